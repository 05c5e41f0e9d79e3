// The front of recursive_gaussian: what it takes, which rows serve it, and how their libraries are called.
#include "tilewright/recursive_gaussian.h"
#include "generators/algorithms/cache.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "generators/algorithms/recursive_gaussian/tile_size.h"
#include "runtime/arrays/storage.h"
#include "runtime/operators/blurs.h"
#include "runtime/operators/recursive_gaussian/coefficients.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tilewright {

const std::vector<Row> &recursive_gaussian_rows();

namespace {

constexpr int tile = recursive_tile;    // samples of a tile of the forms in tiles
constexpr int band = recursive_band;    // rows of a band of the form in bands
constexpr int64_t most_blocks = 65535;  // along the second axis of a grid

// The numbers of the recursion, and the weights of a tile's samples as an array: of sample r, three for the
// causal and three for the anticausal filter.
struct TileWeights {
    RecursiveTiles tiles;
    Array both;

    TileWeights(double sigma, int samples)
        : tiles(sigma, samples), both(Type::f32, {samples, recursive_weight_pitch}, 0) {
        float *to = both.as<float>();
        for (size_t r = 0; r < (size_t)samples; r++) {
            for (size_t k = 0; k < 3; k++) {
                to[recursive_weight_pitch * r + k] = (float)tiles.weights[r][k];
                to[recursive_weight_pitch * r + 3 + k] = (float)tiles.weights[(size_t)samples - 1 - r][k];
            }
        }
    }

    // Kept, so that what a device holds of it is not sent again at every call.
    static std::shared_ptr<const TileWeights> of(double sigma, int samples) {
        using Key = std::pair<double, int>;
        static auto &known = *new Cache<Key, TileWeights>(64);  // never destroyed (inside.h)
        return known.get({sigma, samples}, [=] { return TileWeights(sigma, samples); });
    }
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
bool copies_accept(const Row &row, const BlurRequest &request) {
    constexpr int64_t most = 16384;
    const std::vector<int64_t> &shape = request.image().shape();
    return request.channels() == 1 && (!row.configuration<RecursiveGaussianCopiesConfiguration>().textures ||
                                          (shape[0] <= most && shape[1] <= most));
}

void bind_matrix(Launch &launch, const std::string &name, const Matrix3 &matrix) {
    std::array<float, 9> numbers;
    for (size_t i = 0; i < 9; i++) {
        numbers[i] = (float)matrix[i / 3][i % 3];
    }
    launch.values(name, std::span<const float>(numbers));
}

void bind_weights(Launch &launch, const std::string &name, const TileWeights &weights) {
    std::vector<float> numbers;
    for (const Vector3 &weight : weights.tiles.weights) {
        numbers.insert(numbers.end(), weight.begin(), weight.end());
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
        {halide_type(Type::f32), {{recursive_weights, 1}, {weights.tiles.tile, recursive_weight_pitch}}});
    bind_matrix(launch, "across", weights.tiles.across);
    bind_matrix(launch, "behind", weights.tiles.behind);
}

// Where the states at the edges of bands are, six for each element of a row (RecursiveGaussianBands::states):
// in the output, in the rows of the band that reads them, where no bytes lie there that are not the output's.
// Otherwise in an array of their own.
struct BandStates {
    Array memory;
    View view;

    explicit BandStates(const Array &output) {
        const Storage &storage = *output.storage();
        const int64_t rows = output.shape()[0], elements = output.size() / rows,
                      number = ceil_div(rows, band) - 1, element = (int64_t)size_of(output.type()),
                      pitch = output.strides()[0] * element;
        const bool is_whole = storage.owned() && (int64_t)storage.layout().rows == rows &&
                              (int64_t)storage.layout().row == elements * element;
        const bool in_output =
            (is_whole || pitch == elements * element) && band * pitch % 4 == 0 &&
            reinterpret_cast<uintptr_t>(storage.address() + output.offset_bytes()) % 4 == 0;
        memory = in_output ? output : Array::uninitialized(Type::f32, {number, 6 * elements}, 0);
        view = {halide_type(Type::f32),
            {{elements, 1}, {6, elements}, {number, in_output ? band * pitch / 4 : 6 * elements}},
            memory.offset_bytes()};
    }
};

// What the forms in tiles take besides the carries.
void bind_tiles(Launch &launch, const TileWeights &weights) {
    bind_carries(launch, weights);
    bind_weights(launch, "weights", weights);
}

// Where what RecursiveGaussianEdges carries between its tiles lies: in the memory of the output.
struct EdgeMemory {
    int64_t bytes, height, width, pitch;  // of an element; of the output, in elements

    explicit EdgeMemory(const Array &output)
        : bytes((int64_t)size_of(output.type())), height(output.shape()[0]), width(output.shape()[1]),
          pitch(output.strides()[0]) {}

    // Whether the last tile of a row would have less than 32 bytes.
    bool shifted() const {
        return (width - 1) % tile + 1 < 32 / bytes;
    }
    int64_t across() const {
        return ceil_div(width + (shifted() ? 32 / bytes : 0), (int64_t)tile);
    }
    int64_t down() const {
        return ceil_div(height, (int64_t)recursive_rows);
    }

    // Whether the output has room for all of it, where accesses of 16 bytes are aligned.
    bool fits(const Array &output) const {
        const Storage &storage = *output.storage();
        const bool is_whole = storage.owned() && (int64_t)storage.layout().rows == height &&
                              (int64_t)storage.layout().row == width * bytes;
        return width > tile && (is_whole || pitch == width) && pitch * bytes % 16 == 0 &&
               output.offset_bytes() == 0 && reinterpret_cast<uintptr_t>(storage.address()) % 16 == 0 &&
               sums() * 4 <= pitch * (height - 1) * bytes + width * bytes;
    }
    int64_t sums() const {
        return across() * down() * recursive_weights * tile;
    }
    View view_of_sums() const {
        const int64_t n = recursive_weights * tile;
        return {halide_type(Type::f32),
            {{tile, 1}, {recursive_weights, tile}, {down(), n}, {across(), n * down()}}};
    }
    View view_of_words() const {
        return {halide_type(Type::f32), {{width * bytes / 4, 1}, {height, pitch * bytes / 4}}};
    }
};

// What the form that filters columns first takes besides the recursion: its tiles are not square.
void bind_edges(Launch &launch, const TileWeights &along_x, double sigma, Array &output) {
    const EdgeMemory memory(output);
    const auto along_y = TileWeights::of(sigma, recursive_rows);
    launch.value("shifted", (int32_t)memory.shifted());
    bind_matrix(launch, "across", along_x.tiles.across);
    bind_matrix(launch, "behind", along_x.tiles.behind);
    bind_matrix(launch, "across_y", along_y->tiles.across);
    bind_matrix(launch, "behind_y", along_y->tiles.behind);
    bind_weights(launch, "weights", along_x);
    bind_weights(launch, "weights_y", *along_y);
    launch.out("sums", output, memory.view_of_sums());
    launch.out("tails", output, memory.view_of_words());
    launch.out("states", output, memory.view_of_words());
}

class RecursiveGaussianOperator : public BlurOperator<BlurRequest> {
public:
    RecursiveGaussianOperator()
        : BlurOperator(
              {.name = "recursive_gaussian",
                  .summary = "Gaussian blur by a recursive filter: the time does not depend on sigma",
                  .inputs = {blurred_image()},
                  .options = {{.name = "sigma",
                      .help = "Standard deviation in pixels",
                      .is_number = true,
                      .value = "5",
                      .least = .5,
                      .most = 200}}},
              recursive_gaussian_rows()) {}

protected:
    BlurRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        BlurRequest request = read_blur(image, settings);
        // The image between the passes is f32, in whole tiles.
        const int64_t h = image.shape()[0], w = image.shape()[1];
        if ((h + tile) * (w + tile) * BlurRequest::channels_of(image) * 4 > most_bytes) {
            refuse(Fault::input,
                fmt::format("has nearly 2^29 elements or more, and the f32 image between the passes would "
                            "span more than {} MiB; work on parts of it",
                    most_bytes >> 20),
                "image", image.describe());
        }
        return request;
    }

    // Not the rows with half-precision floats, whose results have an error of their own.
    bool equals_tuned(const Row &row) const override {
        return row.form != "recursive_gaussian_copies" ||
               !row.configuration<RecursiveGaussianCopiesConfiguration>().half;
    }

    bool accepts_request(const Row &row, const BlurRequest &request, const Array &output) const override {
        const bool one_channel = request.channels() == 1;
        if (!fits_grid(row, request.image())) {
            return false;
        }
        if (row.form == "recursive_gaussian_aligned") {
            return one_channel && in_whole_tiles(request.image()) && in_whole_tiles(output);
        }
        if (row.form == "recursive_gaussian_edges") {
            return one_channel && EdgeMemory(output).fits(output);
        }
        if (row.form == "recursive_gaussian_copies") {
            return copies_accept(row, request);
        }
        if (row.form == "recursive_gaussian") {
            return true;
        }
        if (row.form == "recursive_gaussian_line") {
            const std::vector<int64_t> &shape = request.image().shape();
            return one_channel && (shape[0] == 1 || shape[1] == 1);
        }
        if (row.form == "recursive_gaussian_bands" && request.image().shape()[0] <= band) {
            return false;  // one band has no edges
        }
        return one_channel || row.configuration<RecursiveGaussianConfiguration>().colours;
    }

    bool is_meant_for(const Row &row, const Measures &measures) const override {
        const double height = measures.numbers[0], width = measures.numbers[1];
        // Bands with carries cost no more than filtering all rows and then all columns from about this size
        // on. Measured with bands of 64 rows on two cores of an AMD EPYC (Zen 4, 2026-11-22): at 256 x 256
        // the two are equal, at 100 x 100 bands take 1.8 times as long, at 4096 x 4096 .7.
        constexpr double least_width_of_bands = 256, least_height_of_bands = 2 * tile;
        if (row.form == "recursive_gaussian_bands") {
            return width >= least_width_of_bands && height >= least_height_of_bands;
        }
        if (row.form != "recursive_gaussian_strips") {
            return true;
        }
        const int most = row.configuration<RecursiveGaussianConfiguration>().most_elements;
        return most == 0 || width * measures.numbers[2] <= most;
    }

    Plan plan(const Row &row, Device device, const BlurRequest &request, Array &output) const override {
        const Array &image = request.image();
        const bool is_aligned = row.form == "recursive_gaussian_aligned",
                   is_tiled = is_aligned || row.form == "recursive_gaussian_tiles";
        const bool is_edges = row.form == "recursive_gaussian_edges";
        const bool as_pixels = row.form == "recursive_gaussian" || row.form == "recursive_gaussian_tiles";
        const bool is_line = row.form == "recursive_gaussian_line",
                   is_banded = row.form == "recursive_gaussian_bands";
        Plan plan;
        Launch &launch = plan.launch(row, device);
        launch.in("image", image, is_line ? line_of(image) : as_pixels ? pixels_of(image) : rows_of(image));
        if (row.form == "recursive_gaussian_strips" || is_banded) {
            launch.value("channels", (int32_t)request.channels());
        }
        const auto weights = TileWeights::of(request.sigma, is_banded ? band : tile);
        bind_recursion(launch, weights->tiles);
        if (is_tiled) {
            bind_tiles(launch, *weights);
        } else if (is_edges) {
            bind_edges(launch, *weights, request.sigma, output);
        } else if (is_banded) {
            bind_carries(launch, *weights);
            BandStates states(output);
            launch.out("states", states.memory, states.view);
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
