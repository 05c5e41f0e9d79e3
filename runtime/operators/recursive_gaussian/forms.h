#pragma once
// The forms of recursive_gaussian: which blurs their variants serve, and the arguments of their libraries.
// Those by whole lines: lines.cpp; those that find first what enters each part of a line: parts.cpp. Not
// installed.
#include "generators/algorithms/recursive_gaussian/tile_size.h"
#include "runtime/operators/blurs.h"
#include "runtime/operators/recursive_gaussian/coefficients.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

std::vector<const Form *> forms_by_lines();
std::vector<const Form *> forms_by_parts();

// The numbers of the recursion, and the table of a tile's weights as an array: what its rows are, TileNumbers
// says (generators/algorithms/recursive_gaussian/tiles.h).
struct TileWeights {
    int samples;
    RecursiveTiles tiles;
    Array table;

    TileWeights(double sigma, int samples, Type number);

    // Kept, so that what a device holds of it is not sent again at every call. `number`: the table's type.
    static std::shared_ptr<const TileWeights> of(double sigma, int samples, Type number = Type::f32);

    // The same for another sigma.
    std::shared_ptr<const TileWeights> of_sigma(double sigma) const {
        return of(sigma, samples, table.type());
    }
};

// What the libraries of a form take: image, recursion along rows, and output; and what `rest` binds, which is
// given the weights of a part of a line.
struct RecursiveArguments {
    View (*image)(const Array &) = rows_of;
    View (*output)(const Array &) = rows_of;
    int samples = recursive_tile;  // of a part of a line
    int samples_of_f64 = recursive_tile;
    void (*rest)(Launch &, const BlurRequest &, const TileWeights &, Array &output) = nullptr;
};

class RecursiveForm final : public BlurForm<BlurRequest> {
public:
    explicit constexpr RecursiveForm(std::string_view name, const RecursiveArguments &arguments,
        Serves serves = nullptr, const BlurTraits &traits = {})
        : BlurForm(name, nullptr, serves, traits), arguments_(arguments) {}

protected:
    void bind(Launch &launch, const Variant &variant, const BlurRequest &request, Array &output) const final;

private:
    const RecursiveArguments arguments_;
};

// x, y, c, also where there is no axis for channels.
View pixels_of(const Array &array);

constexpr int64_t most_blocks = 65535;  // along the second axis of a grid

// In f64 where `type` is.
void bind_matrix(Launch &launch, const std::string &name, const std::string &type, const Matrix3 &matrix);

// Binds the numbers of a recursion along an axis, which ends their names. In f64 where `type` is.
void bind_recursion(
    Launch &launch, const std::string &axis, const std::string &type, const RecursiveTiles &tiles);

}  // namespace tilewright
