#include "tilewright/transpose.h"
#include "generators/algorithms/transpose/configuration.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/image_operator.h"

namespace tilewright {

const std::vector<Row> &transpose_rows();

namespace {

constexpr int64_t most_blocks = 65535;  // of a GPU's grid in y
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

// Pixels as unsigned integers: x, y. Pixels of three bytes: x, y, c.
View pixels(const Array &a) {
    const int64_t h = a.shape()[0], w = a.shape()[1], bytes = pixel_bytes(a), row = h > 1 ? pitch(a) : w * bytes;
    if (bytes == 3) {
        return {bits(1), {{w, 3}, {h, row}, {3, 1}}, a.offset_bytes()};
    }
    return {bits(bytes), {{w, 1}, {h, row / bytes}}, a.offset_bytes()};
}

// Patches of 4 x 4 pixels in words: word of a patch's row, patch in x, row, patch in y.
View patches(const Array &a) {
    const int64_t words = pixel_bytes(a), row = pitch(a) / 4;
    return {bits(4), {{words, 1}, {a.shape()[1] / 4, words}, {4, row}, {a.shape()[0] / 4, 4 * row}}, a.offset_bytes()};
}

class Transpose : public ImageOperator {
public:
    Transpose() : ImageOperator("transpose", "rows become columns: output(x, y) = input(y, x)", transpose_rows()) {
    }

    std::string type_of(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        if (image.dimensions() >= 2) {
            switch (pixel_bytes(image)) {
            case 1: return "u8";
            case 2: return "u16";
            case 3: return "rgb8";
            case 4: return "f32";
            }
        }
        refuse(Fault::input, "takes an image or matrix with pixels of 1 to 4 bytes: u8, u16, u32, i32, f32, or 2, 3 or 4 channels of u8", "image",
               image.describe());
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &) const override {
        std::vector<int64_t> shape = inputs[0].shape();
        std::swap(shape[0], shape[1]);
        return {inputs[0].type(), shape};
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        const Array &image = inputs[0];
        const int64_t h = image.shape()[0], w = image.shape()[1];
        if (row.form == "transpose" && row.configuration<TransposeConfiguration>().at_least_a_block) {
            return h >= row.tunable("width") && w >= row.tunable("height");
        }
        if (row.form == "transpose_patches") {
            const int64_t bytes = pixel_bytes(image), vector = bytes == 3 ? 4 : 4 * bytes;
            const bool whole = w % 4 == 0 && h % 4 == 0 && is_aligned(image, vector) && is_aligned(output, vector);
            const bool in_place = row.backend != Backend::opencl || (image.offset_bytes() == 0 && output.offset_bytes() == 0);
            const int64_t across = 4 * row.tunable("across"), down = 4 * row.tunable("down");
            const bool any_size = !row.configuration<TransposePatchesConfiguration>().at_least_a_block;
            const bool large = any_size || (w >= across && h >= down * row.tunable("patches"));
            return whole && in_place && large && w / across < most_blocks;
        }
        return ImageOperator::serves(row, inputs, output, settings);
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override {
        const Array &image = inputs[0];
        // What a library cannot address at once goes by parts: fewer rows of the input, then of the output.
        if (span(image) > most_bytes) {
            return run_halves(row, device, image, output, settings, image.shape()[0] > 1);
        }
        if (span(output) > most_bytes) {
            return run_halves(row, device, image, output, settings, output.shape()[0] == 1);
        }
        if (row.backend != Backend::cpu && std::max(image.shape()[0], image.shape()[1]) > most_pixels) {
            return run_halves(row, device, image, output, settings, image.shape()[0] > image.shape()[1]);
        }
        const bool flat = row.form == "transpose_flat";
        // Pixels between the words of the memory, on OpenCL parts of other arrays, and parts of storages that are too large to be
        // seen whole go through arrays of their own.
        auto in_place = [&](const Array &a) {
            if (flat) {
                return 4 * words(a).dims[0].extent <= most_bytes;
            }
            return is_aligned(a, pixel_bytes(a) == 3 ? 1 : pixel_bytes(a)) && (device.backend != Backend::opencl || a.offset_bytes() == 0);
        };
        if (!in_place(image)) {
            const Array moved = image.clone(flat ? 0 : Array::padded);
            return run(row, device, {&moved, 1}, output, settings);
        }
        if (!in_place(output)) {
            Array moved(output.type(), output.shape(), flat ? 0 : Array::padded);
            run(row, device, inputs, moved, settings);
            return copy(moved, output);
        }
        if (flat) {
            return run_flat(row, device, image, output);
        }
        Launch launch(row, device);
        if (row.form == "transpose") {
            launch.in(image, view_of(image)).out(output, view_of(output));
        } else if (row.form == "transpose_blocks") {
            launch.in(image, view_of(image)).value((int32_t)(pitch(output) / pixel_bytes(output))).out(output, view_of(output));
        } else {
            launch.in(image, patches(image)).out(output, patches(output));
        }
        launch.run();
    }

protected:
    View view_of(const Array &array) const override {
        return pixels(array);
    }

    Pixel pixel_of(const std::string &type) const override {
        return type == "rgb8" ? Pixel{Type::u8, 3} : ImageOperator::pixel_of(type);
    }

private:
    // The halves of the input's rows (columns of the output) or columns. A half that the row does not serve takes one of `tuned`.
    void run_halves(const Row &row, Device device, const Array &image, Array &output, const Settings &settings, bool rows) const {
        int64_t h = image.shape()[0], w = image.shape()[1], y = 0, x = 0;
        const int64_t all = rows ? h : w, half = all > 1024 ? all / 2 / 512 * 512 : all / 2;
        for (int64_t begin : {(int64_t)0, half}) {
            (rows ? y : x) = begin;
            (rows ? h : w) = begin == 0 ? half : all - half;
            const Array part = image.crop(y, x, h, w);
            Array output_part = output.crop(x, y, w, h);
            const std::span<const Array> inputs{&part, 1};
            const bool fits = serves(row, inputs, output_part, settings);
            run(fits ? row : choose(inputs, output_part, settings, "tuned", device), device, inputs, output_part, settings);
        }
    }

    void run_flat(const Row &row, Device device, const Array &image, Array &output) const {
        const View memory = words(image), output_memory = words(output);
        Launch(row, device)
            .in(image, memory)
            .value((int32_t)image.offset_bytes()).value((int32_t)pitch(image))
            .value((int32_t)output.offset_bytes()).value((int32_t)pitch(output))
            .value((int32_t)output_memory.dims[0].extent)
            .value((int32_t)image.shape()[1]).value((int32_t)image.shape()[0])
            .out(output, output_memory)
            .out(output, words(output, bits(1)))
            .run();
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
