// The front of recursive_gaussian: what it takes, which rows serve it, and how their libraries are called.
#include "tilewright/recursive_gaussian.h"
#include "generators/algorithms/cache.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/tile_size.h"
#include "runtime/operators/blurs.h"
#include "runtime/operators/recursive_gaussian/coefficients.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>

namespace tilewright {

const std::vector<Row> &recursive_gaussian_rows();

namespace {

constexpr int tile = recursive_tile;    // samples of a tile of the forms in tiles
constexpr int64_t most_blocks = 65535;  // along the second axis of a grid

// The numbers of the recursion, and the weights of a tile's samples as an array: of sample r, three for the
// causal and three for the anticausal filter.
struct TileWeights {
    RecursiveTiles tiles;
    Array both;

    explicit TileWeights(double sigma)
        : tiles(sigma, tile), both(Type::f32, {tile, recursive_weight_pitch}, 0) {
        float *to = both.as<float>();
        for (size_t r = 0; r < tile; r++) {
            for (size_t k = 0; k < 3; k++) {
                to[recursive_weight_pitch * r + k] = (float)tiles.weights[r][k];
                to[recursive_weight_pitch * r + 3 + k] = (float)tiles.weights[tile - 1 - r][k];
            }
        }
    }

    // Kept, so that what a device holds of it is not sent again at every call.
    static std::shared_ptr<const TileWeights> of(double sigma) {
        static auto &known = *new Cache<double, TileWeights>(64);  // never destroyed (inside.h)
        return known.get(sigma, [=] { return TileWeights(sigma); });
    }
};

struct RecursiveGaussianRequest : BlurRequest {
    std::shared_ptr<const TileWeights> weights;
};

// x, y, c, also where there is no axis for channels.
View pixels_of(const Array &array) {
    View view = image(array);
    if (view.dims.size() == 2) {
        view.dims.push_back({1, 1});
    }
    return view;
}

// The elements of an image of one row or one column.
View line_of(const Array &array) {
    const bool is_row = array.shape()[0] == 1;
    return {
        halide_type(array.type()), {{array.size(), is_row ? 1 : array.strides()[0]}}, array.offset_bytes()};
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
    return h % tile == 0 && w % tile == 0 && pitch % 256 == 0 && array.offset_bytes() % 16 == 0 &&
           h / tile <= most_blocks;
}

// Whether a grid has the tiles of the row's transposes, where it has some.
bool fits_grid(const Row &row, const Array &image) {
    const int64_t side = row.tunable("side", 0), longest = std::max(image.shape()[0], image.shape()[1]);
    return side == 0 || longest <= most_blocks * side;
}

// The form with transposed copies: whether the row takes the image. Images of a device have at least 16384
// elements along each axis.
bool copies_accept(const Row &row, const RecursiveGaussianRequest &request) {
    constexpr int64_t most = 16384;
    const std::vector<int64_t> &shape = request.image().shape();
    return request.channels() == 1 && (!row.configuration<RecursiveGaussianCopiesConfiguration>().textures ||
                                          (shape[0] <= most && shape[1] <= most));
}

// Whether bands with carries cost no more than filtering all rows and then all columns. Measured on two cores
// of an AMD EPYC (Zen 4, 2026-11-22): at 256 x 256 the two are equal, at 100 x 100 bands take 1.8 times as
// long, at 4096 x 4096 .7.
bool pays_in_bands(const Array &image) {
    constexpr int64_t least_width = 256, least_height = 2 * tile;
    return image.shape()[1] >= least_width && image.shape()[0] >= least_height;
}

void bind_matrix(Launch &launch, const std::string &name, const Matrix3 &matrix) {
    std::array<float, 9> numbers;
    for (size_t i = 0; i < 9; i++) {
        numbers[i] = (float)matrix[i / 3][i % 3];
    }
    launch.values(name, std::span<const float>(numbers));
}

void bind_recursion(Launch &launch, const RecursiveTiles &tiles) {
    const RecursiveCoefficients &c = tiles.coefficients;
    const std::array<float, 3> step = {(float)c.gain, (float)c.slope, (float)c.feedback[2]};
    launch.values("step", std::span<const float>(step));
    bind_matrix(launch, "turn", tiles.end_matrix);
}

// What the forms with carries take besides the recursion.
void bind_carries(Launch &launch, const TileWeights &weights) {
    launch.in("both", weights.both,
        {halide_type(Type::f32), {{recursive_weights, 1}, {tile, recursive_weight_pitch}}});
    bind_matrix(launch, "across", weights.tiles.across);
    bind_matrix(launch, "behind", weights.tiles.behind);
}

// What the forms in tiles take besides the carries.
void bind_tiles(Launch &launch, const TileWeights &weights) {
    bind_carries(launch, weights);
    int i = 0;
    for (const Vector3 &weight : weights.tiles.weights) {
        for (const double value : weight) {
            launch.value("weight" + std::to_string(i++), (float)value);
        }
    }
}

class RecursiveGaussianOperator : public BlurOperator<RecursiveGaussianRequest> {
public:
    RecursiveGaussianOperator()
        : BlurOperator(
              {.name = "recursive_gaussian",
                  .summary = "Gaussian blur by a recursive filter: the time does not depend on sigma",
                  .options = {{.name = "sigma",
                      .help = "Standard deviation in pixels",
                      .is_number = true,
                      .value = "5",
                      .least = .5,
                      .most = 200}}},
              recursive_gaussian_rows()) {}

protected:
    RecursiveGaussianRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        RecursiveGaussianRequest request = read_blur(image, settings);
        // The image between the passes is f32, in whole tiles.
        const int64_t h = image.shape()[0], w = image.shape()[1];
        if ((h + tile) * (w + tile) * BlurRequest::channels_of(image) * 4 > most_bytes) {
            refuse(Fault::input,
                fmt::format("has nearly 2^29 elements or more, and the f32 image between the passes would "
                            "span more than {} MiB; work on parts of it",
                    most_bytes >> 20),
                "image", image.describe());
        }
        request.weights = TileWeights::of(request.sigma);
        return request;
    }

    // Not the rows with half-precision floats, whose results have an error of their own.
    bool equals_tuned(const Row &row) const override {
        return row.form != "recursive_gaussian_copies" ||
               !row.configuration<RecursiveGaussianCopiesConfiguration>().half;
    }

    bool accepts_request(
        const Row &row, const RecursiveGaussianRequest &request, const Array &output) const override {
        const bool one_channel = request.channels() == 1;
        if (!fits_grid(row, request.image())) {
            return false;
        }
        if (row.form == "recursive_gaussian_aligned") {
            return one_channel && in_whole_tiles(request.image()) && in_whole_tiles(output);
        }
        if (row.form == "recursive_gaussian_copies") {
            return copies_accept(row, request);
        }
        if (row.form == "recursive_gaussian_bands" && !pays_in_bands(request.image())) {
            return false;
        }
        if (row.form == "recursive_gaussian") {
            return true;
        }
        if (row.form == "recursive_gaussian_line") {
            const std::vector<int64_t> &shape = request.image().shape();
            return one_channel && (shape[0] == 1 || shape[1] == 1);
        }
        const auto serves = row.configuration<RecursiveGaussianConfiguration>();
        const int64_t elements = request.image().shape()[1] * request.channels();
        return (one_channel || serves.colours) &&
               (serves.most_elements == 0 || elements <= serves.most_elements);
    }

    Plan plan(const Row &row, Device device, const RecursiveGaussianRequest &request,
        Array &output) const override {
        const Array &image = request.image();
        const bool is_aligned = row.form == "recursive_gaussian_aligned",
                   is_tiled = is_aligned || row.form == "recursive_gaussian_tiles";
        const bool as_pixels = row.form == "recursive_gaussian" || row.form == "recursive_gaussian_tiles";
        const bool is_line = row.form == "recursive_gaussian_line";
        Plan plan;
        Launch &launch = plan.launch(row, device);
        launch.in("image", image, is_line ? line_of(image) : as_pixels ? pixels_of(image) : rows_of(image));
        if (row.form == "recursive_gaussian_strips" || row.form == "recursive_gaussian_bands") {
            launch.value("channels", (int32_t)request.channels());
        }
        bind_recursion(launch, request.weights->tiles);
        if (is_tiled) {
            bind_tiles(launch, *request.weights);
        } else if (row.form == "recursive_gaussian_bands") {
            bind_carries(launch, *request.weights);
        }
        launch.out("output", output,
            is_line    ? line_of(output) :
            is_aligned ? tiles_of(output) :
            as_pixels  ? pixels_of(output) :
                         rows_of(output));
        return plan;
    }

private:
    std::optional<int64_t> halo_of(const Settings &settings, double error) const override {
        return error > 0 ?
                   std::optional<int64_t>(RecursiveCoefficients(settings.number("sigma")).halo(error)) :
                   std::nullopt;
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
