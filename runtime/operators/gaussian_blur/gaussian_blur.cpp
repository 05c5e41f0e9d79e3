#include "tilewright/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "runtime/dispatch/launch.h"
#include "runtime/dispatch/option_text.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <fmt/format.h>

namespace tilewright {

const std::vector<Row> &gaussian_blur_rows();

namespace {

const auto &border_names = *new std::vector<std::string>{"reflect", "mirror", "nearest", "zero"};  // never destroyed (inside.h)
constexpr double largest_sigma = 8192;

Border border_of(const Settings &settings) {
    const std::string name = settings.text("border", border_names[0]);
    const auto at = std::find(border_names.begin(), border_names.end(), name);
    return static_cast<Border>(at - border_names.begin());
}

// The weights of the taps -radius ... radius as arrays.
struct WeightArrays {
    std::shared_ptr<const GaussianWeights> weights;
    Array real, bytes, bytes_as_floats, words16;
    Array low, high;  // u8 as tap words of the four phases

    explicit WeightArrays(double sigma)
        : weights(GaussianWeights::of(sigma)), real(both_sides<float>(weights->real)), bytes(both_sides<uint32_t>(weights->bytes.taps)),
          bytes_as_floats(both_sides<float>(weights->bytes.taps)), words16(both_sides<uint32_t>(weights->words16.taps)),
          low(tap_words(weights->bytes, weights->radius, false)), high(tap_words(weights->bytes, weights->bytes.high - 1, true)) {
    }

    // Kept, so that what a device holds of it need not be sent again at every call.
    static std::shared_ptr<const WeightArrays> of(double sigma) {
        static auto &mutex = *new std::mutex;  // neither is destroyed (inside.h)
        static auto &known = *new std::map<double, std::shared_ptr<const WeightArrays>>;
        const std::lock_guard lock(mutex);
        if (known.size() > 64 && !known.count(sigma)) {
            known.clear();
        }
        auto &entry = known[sigma];
        return entry ? entry : entry = std::make_shared<const WeightArrays>(sigma);
    }

    const Array &integers(Type pixel) const {
        return pixel == Type::u8 ? bytes : pixel == Type::u16 ? words16 : real;
    }
    const Array &floats(Type pixel) const {
        return pixel == Type::u8 ? bytes_as_floats : real;
    }

private:
    // Phase by phase, the words that meet taps up to `reach`, as bytes; none when `reach` is negative.
    static Array tap_words(const IntegerTaps &taps, int reach, bool high) {
        const int rounded = (reach + 3) / 4 * 4, words = reach < 0 ? 0 : rounded / 2 + 1;
        Array made(Type::u8, {std::max(1, 16 * words)});
        for (int phase = 0; phase < 4; phase++) {
            for (int k = 0; k < words; k++) {
                const uint32_t word = tap_word(taps, rounded, phase, k, high);
                memcpy(made.as<uint8_t>() + 4 * (phase * words + k), &word, 4);
            }
        }
        return made;
    }
    template<typename T>
    static Array both_sides(const auto &taps) {
        const int64_t radius = (int64_t)taps.size() - 1;
        Array made(type_of_element<T>::value, {2 * radius + 1});
        for (int64_t i = -radius; i <= radius; i++) {
            made.as<T>()[i + radius] = (T)taps[(size_t)std::abs(i)];
        }
        return made;
    }
};

int64_t channels_of(const Array &image) {
    return image.dimensions() == 3 ? image.shape()[2] : 1;
}

class GaussianBlurOperator : public Operator {
public:
    std::string name() const override {
        return "gaussian_blur";
    }
    std::string summary() const override {
        return "Gaussian blur with a window of 4 sigma on each side; integers give the same bytes everywhere";
    }
    const std::vector<Row> &rows() const override {
        return gaussian_blur_rows();
    }
    using Operator::rows;

    std::vector<Option> options() const override {
        return {{"sigma", "standard deviation in pixels, above 0 and below 8192", true, "1", {}},
                {"border", "how the image goes on beyond its border, as in scipy.ndimage", false, border_names[0], border_names}};
    }

    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        const bool type = image.type() == Type::u8 || image.type() == Type::u16 || image.type() == Type::f32;
        const bool shape = image.dimensions() == 2 || (image.dimensions() == 3 && image.shape()[2] >= 1 && image.shape()[2] <= 4);
        if (!type || !shape) {
            refuse(Fault::input, "takes u8, u16 or f32 of shape (h, w) or (h, w, c) with 1 to 4 channels", "image", image.describe());
        }
        const double sigma = sigma_of(settings);
        if (!(sigma > 0 && sigma < largest_sigma)) {
            refuse(Fault::usage, "must be a number above 0 and below 8192 (a radius of at most 32768 pixels)", "sigma", fmt::format("{}", sigma));
        }
        // Rows of the CPU look up where each element of a row and of its borders lies: four bytes for each.
        constexpr int64_t most_elements = most_bytes / 4 - 65536;
        if ((image.shape()[1] + 2 * (int64_t)std::floor(4 * sigma + .5)) * channels_of(image) > most_elements) {
            refuse(Fault::input, fmt::format("a row with its borders has more than {} elements, and four bytes for each would span more than {} MiB; work on parts of it",
                                             most_elements, most_bytes >> 20), "image", image.describe());
        }
        // An image and its mirror image are counted together, in 31 bits.
        constexpr int64_t most_rows = (int64_t(1) << 30) - 65536;
        if (image.shape()[0] > most_rows) {
            refuse(Fault::input, fmt::format("has more than {} rows, which is what a blur counts to; work on parts of it", most_rows), "image", image.describe());
        }
        const std::string border = settings.text("border", border_names[0]);
        if (std::find(border_names.begin(), border_names.end(), border) == border_names.end()) {
            refuse(Fault::usage, fmt::format("takes {}", fmt::join(border_names, ", ")), "border", border);
        }
        return name_of(image.type());
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &) const override {
        return {inputs[0].type(), inputs[0].shape()};
    }

    Array premultiplied(const Array &image) const override {
        return premultiply(image);
    }
    Array unpremultiplied(const Array &image, Type type) const override {
        return unpremultiply(image, type);
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        const Array &image = inputs[0];
        const auto weights = GaussianWeights::of(sigma_of(settings));
        const int64_t smallest = std::min(image.shape()[0], image.shape()[1]);
        if (row.backend != Backend::cpu && !is_window(row) && !counts_tiles(row, image)) {
            return false;
        }
        if (row.form == "gaussian_blur_floats") {
            return image.type() != Type::u8 || weights->bytes.fits_f32();
        }
        if (row.form == "gaussian_blur_dots") {
            return channels_of(image) == 1;
        }
        if (row.form == "gaussian_blur_near" || row.form == "gaussian_blur_half") {
            if (row.schedule == "texture" && !fits_texture(row, image, weights->radius)) {
                return false;
            }
            return weights->radius < smallest && (row.schedule != "shared" || tile_bytes(row, image, weights->radius) <= 48 << 10);
        }
        if (is_window(row)) {
            const int64_t most_rows = 65535ll * row.tunable("rows") * row.tunable("groups");  // a grid has at most 65535 blocks downwards
            const bool fits = weights->radius <= row.tunable("radius") && weights->radius < smallest && channels_of(image) == 1 &&
                              image.shape()[0] <= most_rows;
            return fits && in_words(image, row) && in_words(output, row) &&
                   (image.type() == Type::f32 ? serves_floats(row, image, settings) : serves_bytes(row, image, *weights, settings));
        }
        return row.autoscheduler.empty() || takes(row, image, output, *weights);
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override {
        const Array &image = inputs[0];
        const auto arrays = WeightArrays::of(sigma_of(settings));
        const GaussianWeights &weights = *arrays->weights;
        const Border border = border_of(settings);
        Launch launch(row, device);
        if (is_window(row)) {
            run_window(launch, row, image, output, border, weights);
        } else if (row.form == "gaussian_blur_dots") {
            launch.in(image, rows_of(image)).value((int32_t)border);
            for (const Array *words : {&arrays->low, &arrays->high}) {
                const int64_t n = words->size() / 16;
                launch.in(*words, {halide_type(Type::u8), {{4, 1}, {n, 4}, {4, 4 * n}}});
            }
            launch.value(128 * weights.bytes.sum).value(weights.bytes.multiplier).out(output, rows_of(output)).run();
        } else {
            launch.in(image, rows_of(image)).value((int32_t)channels_of(image)).value((int32_t)border);
            launch.in(row.form == "gaussian_blur_floats" ? arrays->floats(image.type()) : arrays->integers(image.type()));
            launch.value(weights.bytes.multiplier).out(output, rows_of(output)).run();
        }
    }

    Array bound(std::span<const Array> inputs, const Settings &settings) const override {
        return bound_between(inputs[0], settings, 0);
    }
    Array bound_of(const Row &row, std::span<const Array> inputs, const Settings &settings) const override {
        return bound_between(inputs[0], settings, row.form == "gaussian_blur_half" ? 11 : 0);
    }

    std::vector<Sample> samples(const std::string &type) const override {
        struct Case {
            std::vector<int64_t> shape;
            double sigma;
            const char *border;
            bool crop = false;
        };
        const Case cases[] = {
            {{1, 1}, 1, "reflect"},          {{1, 1}, 2.25, "mirror"},           {{5, 7}, 3, "reflect"},
            {{31, 33}, .5, "nearest"},       {{64, 64}, 1, "zero"},              {{65, 127}, 2.25, "mirror"},
            {{101, 211}, 1, "reflect"},      {{7, 1031}, 1.5, "zero"},           {{523, 3}, 1, "nearest"},
            {{40, 50, 3}, 1, "reflect"},     {{33, 70, 4}, 2, "mirror"},         {{128, 256}, 1, "reflect"},
            {{90, 110}, 1, "reflect", true}, {{48, 61, 3}, 2.25, "zero", true},  {{80, 96}, 7.5, "nearest"},
            {{20, 24}, 31, "reflect"},       {{96, 520}, 3, "reflect"},
            {{600, 1030}, 1, "reflect"},     {{600001, 3}, .5, "nearest"},
        };
        std::vector<Sample> samples;
        for (const Case &c : cases) {
            if (c.shape[0] > 100000 && type != "u8") {
                continue;  // more rows than a grid has blocks along its second axis: one type shows it
            }
            std::vector<int64_t> shape = c.shape;
            if (c.crop) {
                shape[0] += 5;
                shape[1] += 9;
            }
            Array image = random_image(type, shape);
            if (c.crop) {
                image = image.crop(2, 3, c.shape[0], c.shape[1]);
            }
            Settings settings{{"sigma", c.sigma}, {"border", std::string(c.border)}};
            samples.push_back({{image}, settings, fmt::format("{} sigma {} {}{}", image.describe(), c.sigma, c.border, c.crop ? " crop" : "")});
        }
        return samples;
    }

    Sample benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const override {
        const Array image = random_image(type, {h, w});
        return {{image}, settings, fmt::format("{} {}x{} sigma {} {}", type, w, h, sigma_of(settings), settings.text("border", border_names[0]))};
    }

    std::vector<Settings> benchmark_settings(const std::string &) const override {
        return {{{"sigma", 1.}}, {{"sigma", 2.25}}, {{"sigma", 3.}}, {{"sigma", 7.5}}, {{"sigma", 10.}}};
    }

    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Operator::work(inputs, output, settings);
        work.flops = 4. * (2 * std::floor(4 * sigma_of(settings) + .5) + 1) * (double)output.size();
        return work;
    }

private:
    // f32: 2 (2 r + 3) 2^-24 max |image|, and the rounding to `bits` bits between the passes (0: none).
    static Array bound_between(const Array &image, const Settings &settings, int bits) {
        if (image.type() != Type::f32) {
            return {};
        }
        const int64_t h = image.shape()[0], n = image.size() / h;
        const float *data = image.as<float>();
        double largest = 0;
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < n; x++) {
                largest = std::fmax(largest, std::fabs(data[y * image.strides()[0] + x]));
            }
        }
        const int radius = GaussianWeights::of(sigma_of(settings))->radius;
        double allowed = 2 * (2 * radius + 3) * std::ldexp(largest, -24);
        if (bits) {
            allowed += std::ldexp(largest, -bits) + std::ldexp(1., -25);
        }
        Array bound(Type::f64, image.shape());
        for (int64_t y = 0; y < h; y++) {
            std::fill_n(bound.as<double>() + y * bound.strides()[0], n, allowed);
        }
        return bound;
    }

    // Whether a library that an autoscheduler made takes images of this size: it is asked without any data (Halide's bounds query),
    // and writes the shapes that it would need into the buffers.
    static bool takes(const Row &row, const Array &image, const Array &output, const GaussianWeights &weights) {
        std::vector<View> views = {rows_of(image), {{halide_type_uint, 32}, {{2 * weights.radius + 1, 1}}}, rows_of(output)};
        if (image.type() == Type::f32) {
            views[1].type = halide_type(Type::f32);
        }
        halide_buffer_t buffers[3] = {};
        halide_dimension_t dims[3][2];
        for (size_t i = 0; i < 3; i++) {
            for (size_t d = 0; d < views[i].dims.size(); d++) {
                dims[i][d] = halide_dimension_t(0, (int32_t)views[i].dims[d].extent, (int32_t)views[i].dims[d].stride);
            }
            buffers[i].type = views[i].type;
            buffers[i].dimensions = (int32_t)views[i].dims.size();
            buffers[i].dim = dims[i];
        }
        int32_t channels = (int32_t)channels_of(image), border = 0;
        uint32_t multiplier = 1;
        void *arguments[] = {&buffers[0], &channels, &border, &buffers[1], &multiplier, &buffers[2]};
        bool fits = row.entry(arguments) == 0;
        for (size_t i = 0; i < 3; i++) {
            for (size_t d = 0; d < views[i].dims.size(); d++) {
                fits = fits && dims[i][d].min >= 0 && dims[i][d].min + dims[i][d].extent <= views[i].dims[d].extent;
            }
        }
        return fits;
    }

    // The forms of fixed radius: weights are scalars, u8 images are rows of words.
    static bool is_window(const Row &row) {
        return row.form.rfind("gaussian_blur_window", 0) == 0;
    }

    // Whether rows begin at multiples of 16 bytes; OpenCL has no views on parts of a buffer in other units than the array's own.
    static bool in_words(const Array &array, const Row &row) {
        const int64_t pitch = array.strides()[0] * (int64_t)size_of(array.type());
        const bool whole = row.backend != Backend::opencl || array.type() == Type::f32 || array.offset_bytes() == 0;
        return whole && pitch % 16 == 0 && array.offset_bytes() % 16 == 0;
    }

    static bool serves_floats(const Row &row, const Array &image, const Settings &settings) {
        const int radius = row.tunable("radius");
        return !row.tunable("large") || (border_of(settings) != Border::zero && image.shape()[1] >= row.tunable("columns") + 2 * radius + 8 &&
                                         image.shape()[0] >= row.tunable("rows") * row.tunable("groups") + radius);
    }

    static bool serves_bytes(const Row &row, const Array &image, const GaussianWeights &weights, const Settings &settings) {
        if (!weights.bytes.fits_f32()) {
            return false;
        }
        if (row.form != "gaussian_blur_window_dot") {
            return true;
        }
        const bool whole_words = image.shape()[1] % 4 == 0 && border_of(settings) == Border::reflect;
        return weights.bytes.high <= row.tunable("high") && (row.tunable("any_width") || whole_words);
    }

    // The rows of an image as they are, or of bytes as words; a word may end after the last byte of its row.
    static View window_view(const Array &array) {
        if (array.type() == Type::f32) {
            return rows_of(array);
        }
        return {halide_type(Type::u32), {{(array.shape()[1] + 3) / 4, 1}, {array.shape()[0], array.strides()[0] / 4}}, array.offset_bytes()};
    }

    static void run_window(Launch &launch, const Row &row, const Array &image, Array &output, Border border, const GaussianWeights &weights) {
        const int32_t w = (int32_t)image.shape()[1], h = (int32_t)image.shape()[0], radius = row.tunable("radius");
        const bool turns = border == Border::reflect || border == Border::mirror;
        auto high = [&](int32_t n) { return border == Border::reflect ? 2 * n - 1 : border == Border::mirror ? 2 * n - 2 : n - 1; };
        launch.in(image, window_view(image));
        if (image.type() == Type::u8) {
            launch.value(w);
        }
        launch.value(turns ? -1 : 0).value(border == Border::reflect ? -1 : 0).value(high(w)).value(high(h)).value(border == Border::zero ? 1 : 0);
        if (image.type() == Type::u8) {
            launch.value(weights.bytes.multiplier);
        }
        if (row.form == "gaussian_blur_window_dot") {
            for (const bool upper : {false, true}) {
                const int limit = upper ? row.tunable("high") : radius + 1, rounded = (radius + 3) / 4 * 4;
                for (int phase = 0; phase < 4; phase++) {
                    for (int k = 0; k <= rounded / 2; k++) {
                        const int first = 4 * k - rounded - phase;  // the tap that byte 0 of the word meets
                        if (limit > 0 && first < limit && first + 3 > -limit) {
                            launch.value(tap_word(weights.bytes, radius, phase, k, upper));
                        }
                    }
                }
            }
        } else {
            for (size_t i = 0; i <= (size_t)radius; i++) {
                const bool inside = i <= (size_t)weights.radius;
                launch.value(!inside ? 0.f : image.type() == Type::u8 ? (float)weights.bytes.taps[i] : weights.real[i]);
            }
        }
        launch.out(output, window_view(output)).run();
    }

    // Whether the image between the passes, whose sides are whole tiles, has elements that 31 bits count: a column of pixels is as wide as a tile.
    static bool counts_tiles(const Row &row, const Array &image) {
        const auto tunable = [&](const char *name) {
            const auto at = std::find_if(row.tunables.begin(), row.tunables.end(), [&](const Row::Tunable &t) { return t.name == name; });
            return at == row.tunables.end() ? int64_t(1) : int64_t(at->value);
        };
        const auto whole = [](int64_t n, int64_t tile) { return (n + tile - 1) / tile * tile; };
        return whole(image.shape()[1] * channels_of(image), tunable("width")) * whole(image.shape()[0], tunable("height") * tunable("rows")) < INT32_MAX;
    }

    // Images of a device are at least 16384 elements a side, and hold the rows with what lies over their border.
    static bool fits_texture(const Row &row, const Array &image, int64_t radius) {
        const int64_t across = (image.shape()[1] + 2 * radius) * channels_of(image) + row.tunable("width");
        return across <= 16384 && image.shape()[0] + row.tunable("height") <= 16384;
    }

    // The shared memory of a block of the schedule `shared`: its tile with the halo, and the same blurred down columns.
    static int64_t tile_bytes(const Row &row, const Array &image, int64_t radius) {
        const int64_t width = row.tunable("width"), height = row.tunable("height");
        const int64_t across = width + (2 * radius * channels_of(image) + width - 1) / width * width, down = height + 2 * radius;
        return across * (down + height - 1) / height * height * 2 * (int64_t)size_of(image.type());
    }

    static double sigma_of(const Settings &settings) {
        return settings.number("sigma", 1);
    }

    static Array random_image(const std::string &type, const std::vector<int64_t> &shape) {
        Array image(type == "u8" ? Type::u8 : type == "u16" ? Type::u16 : Type::f32, shape);
        const int64_t h = shape[0], n = image.size() / h, pitch = image.strides()[0];
        uint64_t state = 88172645463325252u;
        auto next = [&] {  // xorshift: a benchmark's image must not take longer than the benchmark
            state ^= state << 13;
            state ^= state >> 7;
            return state ^= state << 17;
        };
        for (int64_t y = 0; y < h; y++) {
            for (int64_t x = 0; x < n; x++) {
                const uint64_t random = next();
                switch (image.type()) {
                case Type::u8: image.as<uint8_t>()[y * pitch + x] = (uint8_t)(random >> 40); break;
                case Type::u16: image.as<uint16_t>()[y * pitch + x] = (uint16_t)(random >> 40); break;
                default: image.as<float>()[y * pitch + x] = (float)((double)(random >> 40) / (1 << 23) - 1); break;
                }
            }
        }
        return image;
    }
};

}  // namespace

const Operator &gaussian_blur_operator() {
    static const auto &op = *new GaussianBlurOperator;  // never destroyed (inside.h)
    return op;
}

void gaussian_blur(const Array &image, Array &output, double sigma, Border border, const Call &call) {
    gaussian_blur_operator()(std::span(&image, 1), output, {{"sigma", sigma}, {"border", word_of((size_t)border, border_names)}}, call);
}

Array gaussian_blur(const Array &image, double sigma, Border border, const Call &call) {
    Array output;
    gaussian_blur(image, output, sigma, border, call);
    return output;
}

}  // namespace tilewright
