#include "tilewright/recursive_gaussian.h"
#include "runtime/dispatch/image_operator.h"
#include "runtime/operators/recursive_gaussian/coefficients.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace tilewright {

const std::vector<Row> &recursive_gaussian_rows();

namespace {

constexpr double least_sigma = .5, largest_sigma = 200;
constexpr int tile = 64;  // samples of a tile of the forms in tiles
constexpr int64_t most_blocks = 65535;  // along the second axis of a grid

double sigma_of(const Settings &settings) {
    return settings.number("sigma", 5);
}

int64_t channels_of(const Array &image) {
    return image.dimensions() == 3 ? image.shape()[2] : 1;
}

// x, y, c, also where there is no axis for channels.
View pixels_of(const Array &array) {
    View view = image(array);
    if (view.dims.size() == 2) {
        view.dims.push_back({1, 1});
    }
    return view;
}

// The memory of an image of one channel by tiles: x and y in the tile, tile along x and along y.
View tiles_of(const Array &array) {
    const int64_t pitch = array.strides()[0];
    return {halide_type(array.type()),
            {{tile, 1}, {tile, pitch}, {array.shape()[1] / tile, tile}, {array.shape()[0] / tile, tile * pitch}},
            array.offset_bytes()};
}

bool in_whole_tiles(const Array &array) {
    const int64_t pitch = array.strides()[0] * (int64_t)size_of(array.type());
    const int64_t h = array.shape()[0], w = array.shape()[1];
    return h % tile == 0 && w % tile == 0 && pitch % 256 == 0 && array.offset_bytes() % 16 == 0 && h / tile <= most_blocks;
}

// The weights of a tile's samples as an array: of sample r, three for the causal and three for the anticausal filter.
struct TileWeights {
    std::shared_ptr<const RecursiveTiles> tiles;
    Array both;

    explicit TileWeights(double sigma) : tiles(RecursiveTiles::of(sigma, tile)), both(Type::f32, {tile, 8}, 0) {
        float *to = both.as<float>();
        for (size_t r = 0; r < tile; r++) {
            for (size_t k = 0; k < 3; k++) {
                to[8 * r + k] = (float)tiles->weights[r][k];
                to[8 * r + 3 + k] = (float)tiles->weights[tile - 1 - r][k];
            }
        }
    }

    // Kept, so that what a device holds of it need not be sent again at every call.
    static std::shared_ptr<const TileWeights> of(double sigma) {
        static auto &mutex = *new std::mutex;  // neither is destroyed (inside.h)
        static auto &known = *new std::map<double, std::shared_ptr<const TileWeights>>;
        const std::lock_guard lock(mutex);
        if (known.size() > 64 && !known.count(sigma)) {
            known.clear();
        }
        auto &entry = known[sigma];
        return entry ? entry : entry = std::make_shared<const TileWeights>(sigma);
    }
};

Launch &matrix(Launch &launch, const Matrix3 &m) {
    for (const Vector3 &row : m) {
        for (const double value : row) {
            launch.value((float)value);
        }
    }
    return launch;
}

double largest(const Array &image) {
    const int64_t h = image.shape()[0], n = image.size() / h, pitch = image.strides()[0];
    double top = 0;
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < n; x++) {
            const int64_t at = y * pitch + x;
            top = std::fmax(top, image.type() == Type::u8    ? image.as<uint8_t>()[at] :
                                 image.type() == Type::u16 ? image.as<uint16_t>()[at] :
                                                             std::fabs(image.as<float>()[at]));
        }
    }
    return top;
}

class RecursiveGaussianOperator : public ImageOperator {
public:
    RecursiveGaussianOperator()
        : ImageOperator("recursive_gaussian", "Gaussian blur by a recursive filter: the time does not depend on sigma", recursive_gaussian_rows()) {
    }

    std::vector<Option> options() const override {
        return {{"sigma", "standard deviation in pixels, from 0.5 to 200", true, "5", {}}};
    }

    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        const bool type = image.type() == Type::u8 || image.type() == Type::u16 || image.type() == Type::f32;
        const bool shape = image.dimensions() == 2 || (image.dimensions() == 3 && image.shape()[2] >= 1 && image.shape()[2] <= 4);
        if (!type || !shape) {
            refuse(Fault::input, "takes u8, u16 or f32 of shape (h, w) or (h, w, c) with 1 to 4 channels", "image", image.describe());
        }
        const double sigma = sigma_of(settings);
        if (!(sigma >= least_sigma && sigma <= largest_sigma)) {
            refuse(Fault::usage, "must be a number from 0.5 to 200", "sigma", fmt::format("{}", sigma));
        }
        const int64_t h = image.shape()[0], w = image.shape()[1];  // what lies between the passes is f32, in whole tiles
        if ((h + tile) * (w + tile) * channels_of(image) * 4 > most_bytes) {
            refuse(Fault::input,
                   fmt::format("has nearly 2^29 elements or more, and the f32 image between the passes would span more than {} MiB; work on parts of it", most_bytes >> 20),
                   "image", image.describe());
        }
        return name_of(image.type());
    }

    Array premultiplied(const Array &image) const override {
        return premultiply(image);
    }
    Array unpremultiplied(const Array &image, Type type) const override {
        return unpremultiply(image, type);
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &) const override {
        const Array &image = inputs[0];
        if (row.form == "recursive_gaussian_aligned") {
            return channels_of(image) == 1 && in_whole_tiles(image) && in_whole_tiles(output);
        }
        if (row.form == "recursive_gaussian_tiles") {
            return row.tunable("colours") || channels_of(image) == 1;
        }
        if (!row.autoscheduler.empty()) {
            return takes(row, image, output);
        }
        return row.backend == Backend::cpu || channels_of(image) == 1;
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override {
        const Array &image = inputs[0];
        const auto weights = TileWeights::of(sigma_of(settings));
        const RecursiveTiles &tiles = *weights->tiles;
        Launch launch(row, device);
        if (row.form == "recursive_gaussian") {
            launch.in(image, pixels_of(image));
            recursion(launch, tiles).out(output, pixels_of(output)).run();
        } else if (row.form == "recursive_gaussian_runs") {
            launch.in(image, rows_of(image)).value((int32_t)channels_of(image));
            recursion(launch, tiles).out(output, rows_of(output)).run();
        } else if (row.form == "recursive_gaussian_turned") {
            launch.in(image, rows_of(image));
            recursion(launch, tiles).out(output, rows_of(output)).run();
        } else {
            const bool aligned = row.form == "recursive_gaussian_aligned";
            launch.in(image, aligned ? rows_of(image) : pixels_of(image));
            launch.in(weights->both, {halide_type(Type::f32), {{6, 1}, {tile, 8}}});
            recursion(launch, tiles);
            matrix(launch, tiles.across);
            matrix(launch, tiles.behind);
            for (const Vector3 &weight : tiles.weights) {
                for (const double value : weight) {
                    launch.value((float)value);
                }
            }
            launch.out(output, aligned ? tiles_of(output) : pixels_of(output)).run();
        }
    }

    // f32: 2e-6 max |image|; integers: half a step more, for the rounding.
    Array bound(std::span<const Array> inputs, const Settings &) const override {
        const Array &image = inputs[0];
        const double allowed = 2e-6 * largest(image) + (image.type() == Type::f32 ? 0 : .5);
        Array bound(Type::f64, image.shape());
        const int64_t h = image.shape()[0], n = image.size() / h;
        for (int64_t y = 0; y < h; y++) {
            std::fill_n(bound.as<double>() + y * bound.strides()[0], n, allowed);
        }
        return bound;
    }

    std::vector<Sample> samples(const std::string &type) const override {
        struct Case {
            std::vector<int64_t> shape;
            double sigma;
            bool crop = false;
        };
        const Case cases[] = {{{1, 1}, 5},         {{5, 3}, .5},        {{1, 1031}, 20},       {{1031, 1}, 2},   {{63, 65}, 1},   {{64, 64}, 5},
                              {{128, 192}, 200},   {{127, 131}, 20},    {{257, 521}, 5},       {{197, 291}, 5, true}, {{200001, 1}, 3},
                              {{1, 200001}, 3},    {{70, 90, 3}, 5},    {{64, 128, 4}, 2},     {{61, 67, 3}, 10, true}};
        std::vector<Sample> samples;
        for (const Case &c : cases) {
            std::vector<int64_t> shape = c.shape;
            if (c.crop) {
                shape[0] += 5;
                shape[1] += 9;
            }
            Array image = random_image(type, shape);
            if (c.crop) {
                image = image.crop(2, 3, c.shape[0], c.shape[1]);
            }
            samples.push_back({{image}, {{"sigma", c.sigma}}, fmt::format("{} sigma {}{}", image.describe(), c.sigma, c.crop ? " crop" : "")});
        }
        return samples;
    }

    Sample benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const override {
        return {{random_image(type, {h, w})}, settings, fmt::format("{} {}x{} sigma {}", type, w, h, sigma_of(settings))};
    }

    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Operator::work(inputs, output, settings);
        work.flops = 4. * 8 * (double)output.size();
        return work;
    }

private:
    // Whether a library that an autoscheduler made takes images of this size: it is asked without any data (Halide's bounds query),
    // and writes the shapes that it would need into the buffers.
    static bool takes(const Row &row, const Array &image, const Array &output) {
        const View views[] = {pixels_of(image), pixels_of(output)};
        halide_buffer_t buffers[2] = {};
        halide_dimension_t dims[2][3];
        float number = 0;
        std::vector<void *> arguments(14, &number);  // between the buffers, the twelve numbers of the recursion
        for (size_t i = 0; i < 2; i++) {
            for (size_t d = 0; d < 3; d++) {
                dims[i][d] = halide_dimension_t(0, (int32_t)views[i].dims[d].extent, (int32_t)views[i].dims[d].stride);
            }
            buffers[i].type = views[i].type;
            buffers[i].dimensions = 3;
            buffers[i].dim = dims[i];
            (i ? arguments.back() : arguments.front()) = &buffers[i];
        }
        bool fits = row.entry(arguments.data()) == 0;
        for (size_t i = 0; i < 2; i++) {
            for (size_t d = 0; d < 3; d++) {
                fits = fits && dims[i][d].min >= 0 && dims[i][d].min + dims[i][d].extent <= views[i].dims[d].extent;
            }
        }
        return fits;
    }

    static Launch &recursion(Launch &launch, const RecursiveTiles &tiles) {
        const RecursiveCoefficients &c = tiles.coefficients;
        launch.value((float)c.gain).value((float)c.slope).value((float)c.feedback[2]);
        return matrix(launch, tiles.turn);
    }

    // Integers of all values, f32 in [-1, 1).
    static Array random_image(const std::string &type, const std::vector<int64_t> &shape) {
        Array image(type == "u8" ? Type::u8 : type == "u16" ? Type::u16 : Type::f32, shape);
        const int64_t h = shape[0], n = image.size() / h, pitch = image.strides()[0];
        uint64_t state = 88172645463325252u;
        auto each = [&](auto *data, auto value) {
            for (int64_t y = 0; y < h; y++) {
                for (int64_t x = 0; x < n; x++) {
                    state ^= state << 13;  // xorshift: a benchmark's image must not take longer than the benchmark
                    state ^= state >> 7;
                    state ^= state << 17;
                    data[y * pitch + x] = value(state >> 40);
                }
            }
        };
        switch (image.type()) {
        case Type::u8: each(image.as<uint8_t>(), [](uint64_t v) { return (uint8_t)v; }); break;
        case Type::u16: each(image.as<uint16_t>(), [](uint64_t v) { return (uint16_t)v; }); break;
        default: each(image.as<float>(), [](uint64_t v) { return (float)((double)v / (1 << 23) - 1); }); break;
        }
        return image;
    }
};

}  // namespace

const Operator &recursive_gaussian_operator() {
    static const auto &op = *new RecursiveGaussianOperator;  // never destroyed (inside.h)
    return op;
}

void recursive_gaussian(const Array &image, Array &output, double sigma, const Call &call) {
    recursive_gaussian_operator()(std::span(&image, 1), output, {{"sigma", sigma}}, call);
}

Array recursive_gaussian(const Array &image, double sigma, const Call &call) {
    Array output;
    recursive_gaussian(image, output, sigma, call);
    return output;
}

}  // namespace tilewright
