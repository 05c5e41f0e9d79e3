#pragma once
#include "tilewright/array.h"
#include "tilewright/settings.h"
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// What a caller should know of a call besides its result.
struct Remarks {
    std::vector<std::pair<std::string, std::string>> facts;  // name and value, for statistics
    std::vector<std::string> warnings;                       // one line each
};

// What a call asks for: its inputs and settings, read and checked once. Each operator derives its own, with
// what it has read.
struct Request {
    virtual ~Request() = default;

    std::vector<Array> inputs;
    std::string type;                   // which of the table's types serves it: "u8", "rgb8" ...
    Type output_type = Type::u8;        // of what the call makes
    std::vector<int64_t> output_shape;  // of the same
    Settings settings = {};             // of the call, with the defaults of all options
    // Set where the first input is larger than libraries address: the call works on so many rows of it at a
    // time, and on `halo` rows more on each side, whose results are left out.
    struct Parts {
        int64_t rows, halo;
    };
    std::optional<Parts> parts = {};
    int64_t images = 1;  // that the call's kernels work on at once, by which its variant is chosen
};

// The numbers by which a front says how much work a call is: height, width, a radius ... By them the times of
// variants are predicted from those that were measured. Description::measures has their names.
struct Measures {
    std::array<double, 6> numbers = {};
    size_t count = 0;  // how many of them the operator has

    Measures() = default;
    // The numbers in the order of their names.
    Measures(std::initializer_list<double> of) {
        for (const double number : of) {
            add(number);
        }
    }
    // One more of them.
    void add(double number) {
        numbers.at(count++) = number;
    }
    bool operator==(const Measures &) const = default;
};

}  // namespace tilewright
#pragma GCC visibility pop
