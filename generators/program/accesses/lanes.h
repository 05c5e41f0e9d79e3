#pragma once
// Whole numbers as the 32 threads of a warp have them, and expressions of them.
#include "Halide.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tilewright {

constexpr size_t warp_size = 32;

// One value per thread of a warp. Where some are unknown, `why` says what they depend on.
struct Lanes {
    std::array<std::optional<int64_t>, warp_size> values;
    std::string why;

    static Lanes all(int64_t value);
    static Lanes unknown(const std::string &why);
    bool known() const;
};

using LanesByName = std::map<std::string, Lanes>;

// The value of a scalar expression of whole numbers. Names that `names` does not have, what is read from
// memory and calls other than of Halide's arithmetic are unknown.
Lanes evaluate(const Halide::Expr &expression, const LanesByName &names);

}  // namespace tilewright
