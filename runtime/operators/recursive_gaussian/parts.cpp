// The forms of recursive_gaussian that find first what enters each part of a line: bands of rows, and tiles.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/recursive_gaussian/configuration.h"
#include "runtime/arrays/storage.h"
#include "runtime/operators/recursive_gaussian/forms.h"

namespace tilewright {

namespace {

constexpr int tile = recursive_tile, band = recursive_band;

// Binds what lines in tiles along an axis, which ends the names, need besides the recursion.
void bind_carries(
    Launch &launch, const std::string &axis, const std::string &type, const TileWeights &weights) {
    launch.in("weights" + axis, weights.table);
    bind_matrix(launch, "across" + axis, type, weights.tiles.across);
    bind_matrix(launch, "behind" + axis, type, weights.tiles.behind);
}

// Whether the bytes between the rows of an output are its own: it has none, or is a whole array of this
// library.
bool has_all_bytes(const Array &output) {
    const Storage &storage = *output.storage();
    const int64_t rows = output.shape()[0], elements = output.size() / rows;
    const bool is_whole = storage.owned() && (int64_t)storage.layout().rows == rows &&
                          (int64_t)storage.layout().row == elements * (int64_t)size_of(output.type());
    return is_whole || output.strides()[0] == elements;
}

// Where the states at the edges of bands are, six for each element of a row (RecursiveGaussianBands::states):
// in the output, in the rows of the band that reads them, where no bytes lie there that are not the output's.
// Otherwise in an array of their own.
struct BandStates {
    Array memory;
    View view;

    explicit BandStates(const Array &output) {
        const int64_t rows = output.shape()[0], elements = output.size() / rows,
                      number = ceil_div(rows, band) - 1,
                      pitch = output.strides()[0] * (int64_t)size_of(output.type());
        const auto first = reinterpret_cast<uintptr_t>(output.storage()->address() + output.offset_bytes());
        const bool in_output = has_all_bytes(output) && band * pitch % 4 == 0 && first % 4 == 0;
        memory = in_output ? output : Array::uninitialized(Type::f32, {number, 6 * elements}, 0);
        view = {halide_type(Type::f32),
            {{elements, 1}, {6, elements}, {number, in_output ? band * pitch / 4 : 6 * elements}},
            memory.offset_bytes()};
    }
};

constexpr RecursiveForm bands("recursive_gaussian_bands",
    {.samples = band,
        .rest = [](Launch &launch, const BlurRequest &request, const TileWeights &weights, Array &output) {
            launch.value("channels", (int32_t)request.channels());
            bind_carries(launch, "", request.type, weights);
            BandStates states(output);
            launch.out("states", states.memory, states.view);
        }});

bool tiles_serve(const Variant &variant, const BlurRequest &request, const Array &) {
    const auto form = variant.configuration<RecursiveGaussianConfiguration>();
    return (!form.near || request.sigma <= recursive_near_sigma) &&
           (form.two_sigmas || request.sigma_y == request.sigma);
}

void bind_rest_of_tiles(Launch &launch, const BlurRequest &request, const TileWeights &weights, Array &) {
    bind_carries(launch, "", request.type, weights);
    if (launch.variant().configuration<RecursiveGaussianConfiguration>().two_sigmas) {
        const auto down = weights.of_sigma(request.sigma_y);
        bind_recursion(launch, "_y", request.type, down->tiles);
        bind_carries(launch, "_y", request.type, *down);
    }
}

constexpr RecursiveForm tiles("recursive_gaussian_tiles",
    {.image = pixels_of,
        .output = pixels_of,
        .samples_of_f64 = recursive_tile_of_f64,
        .rest = bind_rest_of_tiles},
    tiles_serve, {.two_sigmas = true});

// The memory of an image of one channel by tiles: x and y in the tile, tile along x and along y.
View tiles_of(const Array &array) {
    const int64_t pitch = array.strides()[0];
    return {halide_type(array.type()),
        {{tile, 1}, {tile, pitch}, {array.shape()[1] / tile, tile}, {array.shape()[0] / tile, tile * pitch}},
        array.offset_bytes()};
}

// Also, a block of threads has the carries of a whole row in its shared memory: of 16384 pixels, 13 KB. With
// its other 17 KB that is what every OpenCL device has.
bool in_whole_tiles(const Array &array) {
    const int64_t h = array.shape()[0], w = array.shape()[1], pitch = array.strides()[0];
    return h % tile == 0 && w % tile == 0 && w <= 16384 && pitch % tile == 0 &&
           array.offset_bytes() % 16 == 0 && h / tile <= most_blocks;
}

constexpr RecursiveForm aligned("recursive_gaussian_aligned",
    {.output = tiles_of, .rest = bind_rest_of_tiles},
    [](const Variant &variant, const BlurRequest &request, const Array &output) {
        return in_whole_tiles(request.image()) && in_whole_tiles(output) &&
               tiles_serve(variant, request, output);
    },
    {.two_sigmas = true});

}  // namespace

std::vector<const Form *> forms_by_parts() {
    return {&bands, &tiles, &aligned};
}

}  // namespace tilewright
