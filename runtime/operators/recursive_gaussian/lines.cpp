// The forms of recursive_gaussian that filter whole lines, and what all forms share.
#include "generators/algorithms/cache.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "runtime/operators/recursive_gaussian/forms.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tilewright {

TileWeights::TileWeights(double sigma, int samples)
    : tiles(sigma, samples), table(Type::f32, {recursive_weight_rows(samples), recursive_weight_pitch}, 0) {
    float *to = table.as<float>();
    for (size_t r = 0; r < (size_t)samples; r++) {
        for (size_t k = 0; k < 3; k++) {
            to[recursive_weight_pitch * r + k] = (float)tiles.weights[r][k];
            to[recursive_weight_pitch * r + 3 + k] = (float)tiles.weights[(size_t)samples - 1 - r][k];
        }
    }
    to += recursive_weight_pitch * samples;
    float *const halves = to + recursive_weight_pitch * 3 * (samples / recursive_run);
    for (int r = 0; r < recursive_run / 2; r++) {
        for (size_t k = 0; k < 3; k++) {
            const double weight = tiles.weights[(size_t)(samples - recursive_run + r)][k],
                         mirrored = tiles.weights[(size_t)(samples - 1 - r)][k];
            halves[recursive_weight_pitch * r + (int)k] = (float)((weight + mirrored) / 2);
            halves[recursive_weight_pitch * r + 3 + (int)k] = (float)((weight - mirrored) / 2);
        }
    }
    const int runs = samples / recursive_run;
    for (int j = 0; j < 3; j++) {
        Vector3 state{};
        state[(size_t)j] = 1;
        for (int behind = 0; behind < runs; behind++) {  // runs between a run and the end of the tile
            for (int k = 0; k < 3; k++) {
                to[recursive_weight_pitch * (3 * (runs - 1 - behind) + j) + k] = (float)state[(size_t)k];
                to[recursive_weight_pitch * (3 * behind + j) + 3 + k] = (float)state[(size_t)k];
            }
            for (int n = 0; n < recursive_run; n++) {
                tiles.coefficients.step(0, state);
            }
        }
    }
}

std::shared_ptr<const TileWeights> TileWeights::of(double sigma, int samples) {
    auto &known = immortal([] { return Cache<std::pair<double, int>, TileWeights>(64); });
    return known.get({sigma, samples}, [=] { return TileWeights(sigma, samples); });
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

void bind_matrix(Launch &launch, const std::string &name, const Matrix3 &matrix) {
    bind_numbers<float>(launch, name, elements_of(matrix));
}

void bind_recursion(
    Launch &launch, const std::string &axis, const std::string &type, const RecursiveTiles &tiles) {
    const RecursiveCoefficients &c = tiles.coefficients;
    const auto bind = type == "f64" ? bind_numbers<double> : bind_numbers<float>;
    bind(launch, "step" + axis, std::array{c.gain, c.slope, c.feedback[2]});
    bind(launch, "turn" + axis, elements_of(tiles.end_matrix));
}

void RecursiveForm::bind(Launch &launch, const Variant &, const BlurRequest &request, Array &output) const {
    const auto weights = TileWeights::of(request.sigma, arguments_.samples);
    launch.in("image", request.image(), arguments_.image(request.image()));
    bind_recursion(launch, "", request.type, weights->tiles);
    bind_rest(launch, request, *weights, output);
    launch.out("output", output, arguments_.output(output));
}

namespace {

// The elements of an image of one row or one column.
View line_of(const Array &array) {
    const bool is_row = array.shape()[0] == 1;
    return {
        halide_type(array.type()), {{array.size(), is_row ? 1 : array.strides()[0]}}, array.offset_bytes()};
}

// Binds the recursion down columns.
void bind_columns(Launch &launch, const BlurRequest &request) {
    bind_recursion(launch, "_y", request.type, TileWeights::of(request.sigma_y, recursive_tile)->tiles);
}

// Whether a grid has the tiles of the row's transposes, where it has some.
bool has_tiles(const Variant &variant, const BlurRequest &request) {
    const std::vector<int64_t> &shape = request.image().shape();
    const int64_t side = variant.tunable("side", 0);
    return side == 0 || std::max(shape[0], shape[1]) <= most_blocks * side;
}

struct DefinitionForm final : RecursiveForm {
    using RecursiveForm::RecursiveForm;

    bool serves(const Variant &variant, const BlurRequest &request, const Array &) const override {
        const bool is_for_two = variant.configuration<RecursiveGaussianConfiguration>().two_sigmas;
        return has_tiles(variant, request) &&
               (!is_for_two || request.sigma_y != request.sigma || request.type == "f64");
    }
    bool takes_two_sigmas() const override {
        return true;
    }

protected:
    void bind_rest(Launch &launch, const BlurRequest &request, const TileWeights &, Array &) const override {
        bind_columns(launch, request);
    }
};

// Transposed copies of other types, or in other memory.
struct CopiesForm final : RecursiveForm {
    using RecursiveForm::RecursiveForm;

    bool serves(const Variant &variant, const BlurRequest &request, const Array &) const override {
        return has_tiles(variant, request);
    }

    BlurError own_error(const Variant &variant) const override {
        return {.bits = variant.configuration<RecursiveGaussianCopiesConfiguration>().half ? 11 : 0};
    }
};

struct StripsForm final : RecursiveForm {
    using RecursiveForm::RecursiveForm;

    bool takes_two_sigmas() const override {
        return true;
    }

protected:
    void bind_rest(Launch &launch, const BlurRequest &request, const TileWeights &, Array &) const override {
        bind_columns(launch, request);
        launch.value("channels", (int32_t)request.channels());
    }
};

constexpr DefinitionForm definition("recursive_gaussian", {.image = pixels_of, .output = pixels_of});
constexpr CopiesForm copies("recursive_gaussian_copies");
constexpr RecursiveForm line("recursive_gaussian_line", {.image = line_of, .output = line_of});
constexpr StripsForm strips("recursive_gaussian_strips");

}  // namespace

std::vector<const Form *> forms_by_lines() {
    return {&definition, &copies, &line, &strips};
}

}  // namespace tilewright
