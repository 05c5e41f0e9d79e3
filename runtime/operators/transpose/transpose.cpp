#include "tilewright/transpose.h"
#include "generators/algorithms/transpose/configuration.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/operator_of.h"
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tilewright {

const std::vector<Row> &transpose_rows();

namespace {

constexpr int64_t most_blocks = 65535;  // of a GPU's grid in y
constexpr int64_t least_tile = 8;       // the tiles of the definition's rows have sides from this on
constexpr int64_t most_pixels = int64_t(1) << 30;  // along a side on a GPU: CUDA refuses the grids of 2^31

int64_t channels(const Array &a) {
    return a.dimensions() == 3 ? a.shape()[2] : 1;
}

int64_t pixel_bytes(const Array &a) {
    return channels(a) * (int64_t)size_of(a.type());
}

// From the first byte of a row to that of the next one.
int64_t pitch(const Array &a) {
    return a.strides()[0] * (int64_t)size_of(a.type());
}

// What a library has to address, the bytes between the rows included.
int64_t span(const Array &a) {
    return a.shape()[0] > 1 ? a.shape()[0] * pitch(a) : a.shape()[1] * pixel_bytes(a);
}

bool is_aligned(const Array &a, int64_t bytes) {
    return a.offset_bytes() % bytes == 0 && pitch(a) % bytes == 0;
}

halide_type_t bits(int64_t bytes) {
    return {halide_type_uint, (uint8_t)(8 * bytes)};
}

// Whether the images are patches of 4 x 4 pixels whose rows are vectors, which a library takes where they
// are.
bool whole_patches(const Row &row, const Array &image, const Array &output) {
    const int64_t bytes = pixel_bytes(image), vector = bytes == 3 ? 4 : 4 * bytes;
    const bool in_place =
        row.backend != Backend::opencl || (image.offset_bytes() == 0 && output.offset_bytes() == 0);
    return image.shape()[0] % 4 == 0 && image.shape()[1] % 4 == 0 && is_aligned(image, vector) &&
           is_aligned(output, vector) && in_place;
}

// The words that a pixel is moved as: one, or three channels of a pixel of 3 or 6 bytes.
int64_t words_of_pixel(const Array &a) {
    return pixel_bytes(a) % 3 == 0 ? 3 : 1;
}

int64_t word_bytes(const Array &a) {
    return pixel_bytes(a) / words_of_pixel(a);
}

// From row to row, in words.
int64_t pitch_in_words(const Array &a) {
    return a.shape()[0] > 1 ? pitch(a) / word_bytes(a) : a.shape()[1] * words_of_pixel(a);
}

// Pixels of one word: x, y. Pixels of three words: x, y, c.
View pixels(const Array &a) {
    const int64_t h = a.shape()[0], w = a.shape()[1], row = pitch_in_words(a);
    if (words_of_pixel(a) == 3) {
        return {bits(word_bytes(a)), {{w, 3}, {h, row}, {3, 1}}, a.offset_bytes()};
    }
    return {bits(word_bytes(a)), {{w, 1}, {h, row}}, a.offset_bytes()};
}

// All words from the first pixel to the last one, with what is between the rows.
View flat(const Array &a) {
    const int64_t words = (a.shape()[0] - 1) * pitch_in_words(a) + a.shape()[1] * words_of_pixel(a);
    return {bits(word_bytes(a)), {{words, 1}}, a.offset_bytes()};
}

// Patches of 4 x 4 pixels in words: word of a patch's row, patch in x, row, patch in y.
View patches(const Array &a) {
    const int64_t words = pixel_bytes(a), row = pitch(a) / 4;
    return {bits(4), {{words, 1}, {a.shape()[1] / 4, words}, {4, row}, {a.shape()[0] / 4, 4 * row}},
        a.offset_bytes()};
}

// The request for another input and the output that belongs to it.
Request with_input(const Request &request, const Array &image) {
    Request other = request;
    other.inputs = {image};
    other.output_shape[0] = image.shape()[1];
    other.output_shape[1] = image.shape()[0];
    return other;
}

// Bytes of a pixel, channels included, and the type of the rows that move such pixels.
const std::map<int64_t, const char *> &types() {
    static const auto &all = *new std::map<int64_t, const char *>{
        {1, "u8"}, {2, "u16"}, {3, "rgb8"}, {4, "f32"}, {6, "rgb16"}, {8, "u64"}};  // never destroyed
                                                                                    // (inside.h)
    return all;
}

std::vector<int64_t> sizes_of_pixels() {
    std::vector<int64_t> sizes;
    for (const auto &[bytes, type] : types()) {
        sizes.push_back(bytes);
    }
    return sizes;
}

class Transpose : public OperatorOf<Request> {
public:
    Transpose()
        : OperatorOf({.name = "transpose",
                         .summary = "rows become columns: output(x, y) = input(y, x)",
                         .inputs = {{.pixel_bytes = sizes_of_pixels()}}},
              transpose_rows()) {}

protected:
    Request read(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        Request request;
        request.type = types().at(pixel_bytes(image));
        request.output_type = image.type();
        request.output_shape = image.shape();
        std::swap(request.output_shape[0], request.output_shape[1]);
        return request;
    }

    bool accepts_request(const Row &row, const Request &request, const Array &output) const override {
        const Array &image = request.inputs[0];
        const int64_t h = image.shape()[0], w = image.shape()[1];
        if (row.form == "transpose") {
            const auto needs = row.configuration<TransposeConfiguration>();
            return !needs.whole_vectors || whole_patches(row, image, output);
        }
        if (row.form == "transpose_squares") {
            return h >= row.tunable("width") && w >= row.tunable("height");
        }
        if (row.form == "transpose_patches") {
            const int64_t across = 4 * row.tunable("across"), down = 4 * row.tunable("down");
            return whole_patches(row, image, output) && w >= across && h >= down * row.tunable("patches") &&
                   w / across < most_blocks;
        }
        return true;
    }

    bool is_meant_for(const Row &row, const Measures &measures) const override {
        if (row.form != "transpose_squares") {
            return true;
        }
        const double pixels = measures.numbers[0] * measures.numbers[1];
        const auto type = std::find_if(
            types().begin(), types().end(), [&](const auto &one) { return row.type == one.second; });
        return pixels * (double)type->first >=
               1024. * row.configuration<TransposeSquaresConfiguration>().least_kib;
    }

    Plan plan(const Row &row, Device device, const Request &request, Array &output) const override {
        const Array &image = request.inputs[0];
        if (const std::optional<bool> rows = split(row, image, output)) {
            return halves(row, device, request, output, *rows);
        }
        const bool flat = row.form == "transpose_flat";
        const int64_t row_bytes = flat ? 0 : Array::padded;
        Plan plan;
        if (!in_place(row, image)) {
            const Request moved =
                with_input(request, Array::uninitialized(image.type(), image.shape(), row_bytes));
            plan.host([from = image, to = moved.inputs[0]]() mutable { copy(from, to); });
            plan.append(this->plan(row, device, moved, output));
        } else if (!in_place(row, output)) {
            Array moved = Array::uninitialized(output.type(), output.shape(), row_bytes);
            plan.append(this->plan(row, device, request, moved));
            plan.host([from = moved, to = output]() mutable { copy(from, to); });
        } else if (flat) {
            add_flat(plan, row, device, image, output);
        } else if (row.form == "transpose") {
            plan.launch(row, device).in("image", image, pixels(image)).out("output", output, pixels(output));
        } else if (row.form == "transpose_squares") {
            add_squares(plan, row, device, image, output);
        } else if (row.form == "transpose_blocks") {
            plan.launch(row, device)
                .in("image", image, pixels(image))
                .value("pitch", (int32_t)pitch_in_words(output))
                .out("output", output, pixels(output));
        } else {
            plan.launch(row, device)
                .in("words", image, patches(image))
                .out("output", output, patches(output));
        }
        return plan;
    }

private:
    // What a library cannot address at once is split: whether into halves of the input's rows (true) or of
    // its columns.
    static std::optional<bool> split(const Row &row, const Array &image, const Array &output) {
        const int64_t h = image.shape()[0], w = image.shape()[1];
        if (span(image) > most_bytes) {
            return h > 1;
        }
        if (span(output) > most_bytes) {
            return w == 1;
        }
        const int64_t most = row.form == "transpose" ? (most_blocks - 1) * least_tile : most_pixels;
        if (row.backend != Backend::cpu && std::max(h, w) > most) {
            return h > w;
        }
        return {};
    }

    // A half that the row does not serve takes one of `tuned`.
    Plan halves(const Row &row, Device device, const Request &request, Array &output, bool rows) const {
        const Array &image = request.inputs[0];
        const int64_t h = image.shape()[0], w = image.shape()[1], all = rows ? h : w,
                      half = all > 1024 ? all / 2 / 512 * 512 : all / 2;
        Plan plan;
        for (const auto &[begin, count] : {std::pair{(int64_t)0, half}, {half, all - half}}) {
            const Request part =
                with_input(request, rows ? image.crop(begin, 0, count, w) : image.crop(0, begin, h, count));
            Array output_part = rows ? output.crop(0, begin, w, count) : output.crop(begin, 0, count, h);
            plan.append(
                this->plan(serves(row, part, output_part) ? row : choose(part, output_part, "tuned", device),
                    device, part, output_part));
        }
        return plan;
    }

    // Whether a library takes the array where it is. Pixels between the words of the memory, on OpenCL parts
    // of other arrays, and parts of storages that are too large to be seen whole need an array of their own.
    static bool in_place(const Row &row, const Array &a) {
        if (row.form == "transpose_flat") {
            return 4 * words(a).dims[0].extent <= most_bytes;
        }
        return is_aligned(a, word_bytes(a)) && (row.backend != Backend::opencl || a.offset_bytes() == 0);
    }

    static void add_squares(Plan &plan, const Row &row, Device device, const Array &image, Array &output) {
        View memory = flat(output);
        plan.launch(row, device)
            .in("memory", image, flat(image))
            .value("pitch", (int32_t)pitch_in_words(image))
            .value("output_pitch", (int32_t)pitch_in_words(output))
            .value("output_elements", (int32_t)memory.dims[0].extent)
            .value("width", (int32_t)output.shape()[1])
            .value("height", (int32_t)output.shape()[0])
            .out("output", output, std::move(memory));
    }

    static void add_flat(Plan &plan, const Row &row, Device device, const Array &image, Array &output) {
        const View output_memory = words(output);
        plan.launch(row, device)
            .in("memory", image, words(image))
            .value("offset", (int32_t)image.offset_bytes())
            .value("stride", (int32_t)pitch(image))
            .value("output_offset", (int32_t)output.offset_bytes())
            .value("output_stride", (int32_t)pitch(output))
            .value("output_words", (int32_t)output_memory.dims[0].extent)
            .value("width", (int32_t)image.shape()[1])
            .value("height", (int32_t)image.shape()[0])
            .out("output", output, output_memory)
            .out("output_bytes", output, words(output, bits(1)));
    }
};

}  // namespace

const Operator &transpose_operator() {
    static const auto &transpose = *new Transpose;  // never destroyed (inside.h)
    return transpose;
}

void transpose(const Array &input, Array &output, const Call &call) {
    transpose_operator()({&input, 1}, output, {}, call);
}

}  // namespace tilewright
