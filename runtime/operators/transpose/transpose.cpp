// The front of transpose: which of its forms serves an image, their arguments, and calls in halves.
#include "tilewright/transpose.h"
#include "generators/algorithms/transpose/configuration.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace tilewright {

const std::vector<Variant> &transpose_variants();

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
bool whole_patches(const Variant &variant, const Array &image, const Array &output) {
    const int64_t bytes = pixel_bytes(image), vector = bytes % 3 == 0 ? 4 : 4 * bytes;
    const bool in_place =
        variant.backend != Backend::opencl || (image.offset_bytes() == 0 && output.offset_bytes() == 0);
    return image.shape()[0] % 4 == 0 && image.shape()[1] % 4 == 0 && is_aligned(image, vector) &&
           is_aligned(output, vector) && in_place;
}

// The words that a pixel is moved as: one, three of a pixel of 3 or 6 bytes, and of a larger pixel words of 4
// bytes.
int64_t word_bytes(const Array &a) {
    const int64_t bytes = pixel_bytes(a);
    return bytes > 8 ? 4 : bytes % 3 == 0 ? bytes / 3 : bytes;
}

int64_t words_of_pixel(const Array &a) {
    return pixel_bytes(a) / word_bytes(a);
}

// From row to row, in words.
int64_t pitch_in_words(const Array &a) {
    return a.shape()[0] > 1 ? pitch(a) / word_bytes(a) : a.shape()[1] * words_of_pixel(a);
}

// Pixels of one word: x, y. Pixels of several words: x, y, word.
View pixels(const Array &a) {
    const int64_t h = a.shape()[0], w = a.shape()[1], row = pitch_in_words(a), words = words_of_pixel(a);
    if (words > 1) {
        return {bits(word_bytes(a)), {{w, words}, {h, row}, {words, 1}}, a.offset_bytes()};
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

struct TransposeRequest : Request {
    const Array &image() const {
        return inputs[0];
    }
    // The same for another input and the output that belongs to it.
    TransposeRequest with_input(const Array &image) const {
        TransposeRequest other = *this;
        other.inputs = {image};
        other.output_shape[0] = image.shape()[1];
        other.output_shape[1] = image.shape()[0];
        return other;
    }
};

// The variants of a type move pixels of so many bytes, channels included. Those of the type `words` move all
// larger pixels.
struct PixelType {
    std::string_view name;
    int64_t bytes;
};
constexpr PixelType pixel_types[] = {
    {"u8", 1}, {"u16", 2}, {"rgb8", 3}, {"f32", 4}, {"rgb16", 6}, {"u64", 8}};
constexpr int64_t most_pixel_bytes = 32;

// As it is: libraries that take any image of pixels. What a library cannot address at once is split, and
// what it does not take where it is gets an array of its own.
class TransposeForm : public FormOf<TransposeRequest> {
public:
    using FormOf::FormOf;

    Plan plan(const OperatorOf<TransposeRequest> &op, const Variant &variant, Device device,
        const TransposeRequest &request, Array &output) const final {
        const Array &image = request.image();
        Plan plan;
        if (const std::optional<Axis> axis = split(variant, image, output)) {
            for (auto &[half, output_half] : halves(request, output, *axis)) {
                // A half that the variant does not serve takes one of `tuned`.
                const bool serves = op.serves(variant, half, output_half);
                const Variant &served = serves ? variant : op.choose(half, output_half, "tuned", device);
                plan.append(op.plan(served, device, half, output_half));
            }
        } else if (!in_place(variant, image)) {
            const TransposeRequest moved =
                request.with_input(Array::uninitialized(image.type(), image.shape(), row_bytes()));
            plan.host([from = image, to = moved.image()]() mutable { copy(from, to); });
            plan.append(this->plan(op, variant, device, moved, output));
        } else if (!in_place(variant, output)) {
            Array moved = Array::uninitialized(output.type(), output.shape(), row_bytes());
            plan.append(this->plan(op, variant, device, request, moved));
            plan.host([from = moved, to = output]() mutable { copy(from, to); });
        } else {
            bind(plan.launch(variant, device), variant, request, output);
        }
        return plan;
    }

protected:
    // The most pixels along a side on a GPU.
    virtual int64_t most_side() const {
        return most_pixels;
    }

    // Whether a library takes the array where it is. Pixels between the words of the memory, on OpenCL parts
    // of other arrays, and parts of storages that are too large to be seen whole need an array of their own,
    // with rows of row_bytes().
    virtual bool in_place(const Variant &variant, const Array &a) const {
        const bool is_opencl = variant.backend == Backend::opencl;
        return is_aligned(a, word_bytes(a)) &&
               (variant.backend == Backend::cpu || a.storage()->is_copied_at_once()) &&
               (!is_opencl || (a.offset_bytes() == 0 && (int64_t)a.storage()->bytes() <= most_bytes));
    }
    virtual int64_t row_bytes() const {
        return Array::padded;
    }

private:
    enum class Axis { rows, columns };  // of the input

    // Whether the call is split into halves of the input's rows or of its columns.
    std::optional<Axis> split(const Variant &variant, const Array &image, const Array &output) const {
        const int64_t h = image.shape()[0], w = image.shape()[1];
        if (span(image) > most_bytes) {
            return h > 1 ? Axis::rows : Axis::columns;
        }
        if (span(output) > most_bytes) {
            return w == 1 ? Axis::rows : Axis::columns;
        }
        if (variant.backend != Backend::cpu && std::max(h, w) > most_side()) {
            return h > w ? Axis::rows : Axis::columns;
        }
        return {};
    }

    static std::vector<std::pair<TransposeRequest, Array>> halves(
        const TransposeRequest &request, Array &output, Axis axis) {
        const Array &image = request.image();
        const int64_t h = image.shape()[0], w = image.shape()[1], all = axis == Axis::rows ? h : w,
                      half = all > 1024 ? all / 2 / 512 * 512 : all / 2;
        std::vector<std::pair<TransposeRequest, Array>> parts;
        for (const auto &[begin, count] : {std::pair{(int64_t)0, half}, {half, all - half}}) {
            if (axis == Axis::rows) {
                parts.emplace_back(
                    request.with_input(image.crop(begin, 0, count, w)), output.crop(0, begin, w, count));
            } else {
                parts.emplace_back(
                    request.with_input(image.crop(0, begin, h, count)), output.crop(begin, 0, count, h));
            }
        }
        return parts;
    }
};

struct DefinitionForm final : TransposeForm {
    using TransposeForm::TransposeForm;

    bool serves(const Variant &variant, const TransposeRequest &request, const Array &output) const override {
        return !variant.configuration<TransposeConfiguration>().whole_vectors ||
               whole_patches(variant, request.image(), output);
    }

protected:
    int64_t most_side() const override {
        return (most_blocks - 1) * least_tile;
    }
    void bind(
        Launch &launch, const Variant &, const TransposeRequest &request, Array &output) const override {
        launch.in("image", request.image(), pixels(request.image())).out("output", output, pixels(output));
    }
};

constexpr TransposeForm in_blocks(
    "transpose_blocks", [](Launch &launch, const Variant &, const TransposeRequest &request, Array &output) {
        launch.in("image", request.image(), pixels(request.image()))
            .value("pitch", (int32_t)pitch_in_words(output))
            .out("output", output, pixels(output));
    });

constexpr TransposeForm of_words(
    "transpose_words", [](Launch &launch, const Variant &, const TransposeRequest &request, Array &output) {
        const auto rows = [](const Array &a) {
            return View{bits(4), {{a.shape()[1] * words_of_pixel(a), 1}, {a.shape()[0], pitch_in_words(a)}},
                a.offset_bytes()};
        };
        launch.in("image", request.image(), rows(request.image()))
            .value("words", (int32_t)words_of_pixel(request.image()))
            .out("output", output, rows(output));
    });

constexpr TransposeForm in_squares(
    "transpose_squares",
    [](Launch &launch, const Variant &, const TransposeRequest &request, Array &output) {
        const View memory = flat(output);
        launch.in("memory", request.image(), flat(request.image()))
            .value("pitch", (int32_t)pitch_in_words(request.image()))
            .value("output_pitch", (int32_t)pitch_in_words(output))
            .value("output_elements", (int32_t)memory.dims[0].extent)
            .value("width", (int32_t)output.shape()[1])
            .value("height", (int32_t)output.shape()[0])
            .out("output", output, memory);
    },
    [](const Variant &variant, const TransposeRequest &request, const Array &) {
        const std::vector<int64_t> &shape = request.image().shape();
        return shape[0] >= variant.tunable("width") && shape[1] >= variant.tunable("height");
    });

constexpr TransposeForm in_patches(
    "transpose_patches",
    [](Launch &launch, const Variant &, const TransposeRequest &request, Array &output) {
        launch.in("words", request.image(), patches(request.image())).out("output", output, patches(output));
    },
    [](const Variant &variant, const TransposeRequest &request, const Array &output) {
        const std::vector<int64_t> &shape = request.image().shape();
        const int64_t across = 4 * variant.tunable("across"), down = 4 * variant.tunable("down");
        return whole_patches(variant, request.image(), output) && shape[1] >= across &&
               shape[0] >= down * variant.tunable("patches") && shape[1] / across < most_blocks;
    });

struct FlatForm final : TransposeForm {
    using TransposeForm::TransposeForm;

protected:
    bool in_place(const Variant &, const Array &a) const override {
        return 4 * words(a).dims[0].extent <= most_bytes;
    }
    int64_t row_bytes() const override {
        return 0;
    }
    void bind(
        Launch &launch, const Variant &, const TransposeRequest &request, Array &output) const override {
        const Array &image = request.image();
        const View output_memory = words(output);
        launch.in("memory", image, words(image))
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

constexpr DefinitionForm definition("transpose");
constexpr FlatForm of_bytes("transpose_flat");

std::vector<int64_t> sizes_of_pixels() {
    std::vector<int64_t> sizes;
    for (const PixelType &type : pixel_types) {
        sizes.push_back(type.bytes);
    }
    for (int64_t bytes = 12; bytes <= most_pixel_bytes; bytes += 4) {
        sizes.push_back(bytes);
    }
    return sizes;
}

class Transpose : public OperatorOf<TransposeRequest> {
public:
    Transpose()
        : OperatorOf({.name = "transpose",
                         .summary = "rows become columns: output(x, y) = input(y, x)",
                         .inputs = {{.pixel_bytes = sizes_of_pixels()}},
                         .bands = Bands::columns},
              transpose_variants(),
              {&definition, &in_blocks, &in_squares, &in_patches, &of_words, &of_bytes}) {}

    // "kib": of the image.
    double measure(std::string_view name, const Variant &variant, const Measures &measures) const override {
        if (name != "kib") {
            return OperatorOf::measure(name, variant, measures);
        }
        const int64_t pixel = std::ranges::find(pixel_types, variant.type, &PixelType::name)->bytes;
        return measures.numbers[0] * measures.numbers[1] * (double)pixel / 1024;
    }

protected:
    TransposeRequest read(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        TransposeRequest request;
        const auto known = std::ranges::find(pixel_types, pixel_bytes(image), &PixelType::bytes);
        request.type = known != std::end(pixel_types) ? known->name : "words";
        request.output_type = image.type();
        request.output_shape = image.shape();
        std::swap(request.output_shape[0], request.output_shape[1]);
        return request;
    }
};

}  // namespace

const Operator &transpose_operator() {
    return immortal([] { return Transpose(); });
}

void transpose(const Array &input, Array &output, const Call &call) {
    transpose_operator()({&input, 1}, output, {}, call);
}

}  // namespace tilewright
