// The forms of recursive_gaussian that filter whole lines, and what all forms share.
#include "generators/algorithms/cache.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "runtime/operators/recursive_gaussian/forms.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <vector>

namespace tilewright {

namespace {

// The table as an array of numbers of this type.
template<typename Number>
Array table_of(const std::vector<double> &weights, Type number) {
    Array table(number, {(int64_t)weights.size() / recursive_weight_pitch, recursive_weight_pitch}, 0);
    std::ranges::transform(weights, table.as<Number>(), [](double weight) { return (Number)weight; });
    return table;
}

std::vector<double> weights_of(const RecursiveTiles &tiles, int samples) {
    std::vector<double> all((size_t)recursive_weight_rows(samples) * recursive_weight_pitch);
    double *to = all.data();
    for (size_t r = 0; r < (size_t)samples; r++) {
        for (size_t k = 0; k < 3; k++) {
            to[recursive_weight_pitch * r + k] = tiles.weights[r][k];
            to[recursive_weight_pitch * r + 3 + k] = tiles.weights[(size_t)samples - 1 - r][k];
        }
    }
    to += recursive_weight_pitch * samples;
    double *const halves = to + recursive_weight_pitch * 3 * (samples / recursive_run);
    for (int r = 0; r < recursive_run / 2; r++) {
        for (size_t k = 0; k < 3; k++) {
            const double weight = tiles.weights[(size_t)(samples - recursive_run + r)][k],
                         mirrored = tiles.weights[(size_t)(samples - 1 - r)][k];
            halves[recursive_weight_pitch * r + (int)k] = (weight + mirrored) / 2;
            halves[recursive_weight_pitch * r + 3 + (int)k] = (weight - mirrored) / 2;
        }
    }
    const int runs = samples / recursive_run;
    for (int j = 0; j < 3; j++) {
        Vector3 state{};
        state[(size_t)j] = 1;
        for (int behind = 0; behind < runs; behind++) {  // runs between a run and the end of the tile
            for (int k = 0; k < 3; k++) {
                to[recursive_weight_pitch * (3 * (runs - 1 - behind) + j) + k] = state[(size_t)k];
                to[recursive_weight_pitch * (3 * behind + j) + 3 + k] = state[(size_t)k];
            }
            for (int n = 0; n < recursive_run; n++) {
                tiles.coefficients.step(0, state);
            }
        }
    }
    return all;
}

}  // namespace

TileWeights::TileWeights(double sigma, int samples, Type number)
    : samples(samples), tiles(sigma, samples),
      table((number == Type::f64 ? table_of<double> : table_of<float>)(weights_of(tiles, samples), number)) {}

std::shared_ptr<const TileWeights> TileWeights::of(double sigma, int samples, Type number) {
    auto &known = immortal([] { return Cache<std::tuple<double, int, Type>, TileWeights>(64); });
    return known.get({sigma, samples, number}, [=] { return TileWeights(sigma, samples, number); });
}

View pixels_of(const Array &array) {
    View view = image(array);
    if (view.dims.size() == 2) {
        view.dims.push_back({1, 1});
    }
    return view;
}

namespace {

template<typename Number>
void bind_numbers(Launch &launch, const std::string &name, std::span<const double> all) {
    const std::vector<Number> numbers(all.begin(), all.end());
    launch.values(name, std::span<const Number>(numbers));
}

std::vector<double> elements_of(const Matrix3 &matrix) {
    std::vector<double> all;
    for (const Vector3 &row : matrix) {
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}

}  // namespace

void bind_matrix(Launch &launch, const std::string &name, const std::string &type, const Matrix3 &matrix) {
    (type == "f64" ? bind_numbers<double> : bind_numbers<float>)(launch, name, elements_of(matrix));
}

void bind_recursion(
    Launch &launch, const std::string &axis, const std::string &type, const RecursiveTiles &tiles) {
    const RecursiveCoefficients &c = tiles.coefficients;
    const auto bind = type == "f64" ? bind_numbers<double> : bind_numbers<float>;
    bind(launch, "step" + axis, std::array{c.gain, c.slope, c.feedback[2]});
    bind_matrix(launch, "turn" + axis, type, tiles.end_matrix);
}

void RecursiveForm::bind(Launch &launch, const Variant &, const BlurRequest &request, Array &output) const {
    const auto weights = request.type == "f64" ?
                             TileWeights::of(request.sigma, arguments_.samples_of_f64, Type::f64) :
                             TileWeights::of(request.sigma, arguments_.samples);
    launch.in("image", request.image(), arguments_.image(request.image()));
    bind_recursion(launch, "", request.type, weights->tiles);
    if (arguments_.rest) {
        arguments_.rest(launch, request, *weights, output);
    }
    launch.out("output", output, arguments_.output(output));
}

namespace {

// The elements of an image of one row or one column.
View line_of(const Array &array) {
    const bool is_row = array.shape()[0] == 1;
    return {
        halide_type(array.type()), {{array.size(), is_row ? 1 : array.strides()[0]}}, array.offset_bytes()};
}

// Whether a grid has the tiles of the row's transposes, where it has some.
bool has_tiles(const Variant &variant, const BlurRequest &request, const Array &) {
    const std::vector<int64_t> &shape = request.image().shape();
    const int64_t side = variant.tunable("side", 0);
    return side == 0 || std::max(shape[0], shape[1]) <= most_blocks * side;
}

// Binds the recursion down columns.
void bind_columns(Launch &launch, const BlurRequest &request, const TileWeights &, Array &) {
    bind_recursion(launch, "_y", request.type, TileWeights::of(request.sigma_y, recursive_tile)->tiles);
}

constexpr RecursiveForm definition("recursive_gaussian",
    {.image = pixels_of, .output = pixels_of, .rest = bind_columns}, has_tiles, {.two_sigmas = true});

// Transposed copies of other types, or in other memory.
constexpr RecursiveForm copies(
    "recursive_gaussian_copies", {}, has_tiles, {.own_error = [](const Variant &variant) {
        return BlurError{.bits = variant.configuration<RecursiveGaussianCopiesConfiguration>().half ? 11 : 0};
    }});

constexpr RecursiveForm line("recursive_gaussian_line", {.image = line_of, .output = line_of});

constexpr RecursiveForm strips("recursive_gaussian_strips",
    {.rest =
            [](Launch &launch, const BlurRequest &request, const TileWeights &weights, Array &output) {
                bind_columns(launch, request, weights, output);
                launch.value("channels", (int32_t)request.channels());
            }},
    nullptr, {.two_sigmas = true});

}  // namespace

std::vector<const Form *> forms_by_lines() {
    return {&definition, &copies, &line, &strips};
}

}  // namespace tilewright
