#pragma once
#include "tilewright/array.h"
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// What the axes of an array mean: (n); (h, w); (h, w) or, with channels, (h, w, c).
enum class Axes { vector, image, image_or_channels };

// The height and the width that an operator takes.
struct Sides {
    int64_t least = 1, most = std::numeric_limits<int64_t>::max();  // of each side
    bool are_equal = false;                                         // whether both sides are the same
    // With the operator's option `pad`, zeros enlarge a side n to one that the operator chooses, from
    // `padded_by` n on and up to `most`. 0: there is no such option.
    int64_t padded_by = 0;

    // What may be given with that option.
    Sides padded() const;

    // The largest side up to n that is taken; one below `least` where there is none.
    int64_t up_to(int64_t n) const;

    bool operator==(const Sides &) const = default;
};

// An array that an operator takes. It is declared once: the checks of a call, the help of the command line,
// the documentation of the Python function, and what becomes of a picture on the command line, are made from
// it.
struct Input {
    std::string name = "image";             // of the argument
    std::string help = {};                  // what it means, where the name does not say it
    std::vector<Type> types = {};           // empty: all
    Axes axes = Axes::image_or_channels;    // what they mean
    std::vector<int64_t> channels = {};     // how many channels (h, w, c) may have; empty: any number
    std::vector<int64_t> pixel_bytes = {};  // how large a pixel may be, channels included; empty: any size
    Sides sides = {};                       // how large it may be

    bool takes(Type type) const;

    // "u8, u16 or f32 of shape (h, w) or (h, w, c) with 1, 2, 3 or 4 channels"
    std::string says() const;

    // Why an array is not taken, and what can be done; empty where it is taken. `pads`: the operator's option
    // `pad` is given.
    std::string why_not(Type type, std::span<const int64_t> shape, bool pads = false) const;
};

// What an operator makes of its first input.
enum class Makes {
    image,   // an array of its type, its channels and its sides, which may be exchanged
    field,   // (h, w) of its sides and another type, which files of pictures can show
    matrix,  // (h, w) of other sides
    vector,  // (n)
};

// How the result of an image follows from those of its bands, which are rows from one to another: of what is
// larger than memory (bands.h) an operator gets one band after another.
enum class Bands {
    halo,     // each band with a halo of Operator::halo() rows; where there is none, the image as a whole
    rows,     // a row gives an element
    columns,  // a row gives a column
    sums,     // the results of the bands, added
};

}  // namespace tilewright
#pragma GCC visibility pop
