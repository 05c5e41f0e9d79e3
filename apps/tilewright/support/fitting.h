#pragma once
// What a file's array becomes so that an operator takes it: grey values, single channels, parts and surrounds
// of a picture, and the types of numbers in text.
#include "apps/tilewright/support/picture.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright::app {

// The words of the command line about it.
struct FitWords {
    int channel = -1;  // the one to take; -1: not asked
    bool grey = false, crop = false;
};

// The arrays for an operator, and what was done to make them.
struct Fitted {
    // The inputs of each call: one call, or one per channel of a picture, whose results (n) are the columns
    // of one (n, channels).
    std::vector<std::vector<Array>> calls;
    bool has_alpha = false;                // the first input's last channel is still alpha
    std::vector<std::string> conversions;  // "grey values of 3 channels"
};

// An array that the operator takes stays as it is, unless the words ask for a part of it. Of what it does not
// take:
//   * A picture with channels is given to operators that make vectors one channel at a time, and to others as
//     grey values (ITU-R BT.601: .299 R + .587 G + .114 B; alpha is left out).
//   * A picture of integers becomes f32 with the same values.
//   * With `crop`, the largest middle part of an image that the operator takes: all of it, the largest
//     square, sides that are powers of two, or the largest square of such a side.
//   * With the operator's own option `pad`, a picture that is no square is surrounded by zeros to one.
//   * Numbers read from text become the type of the other input, f64 or f32. For an operator that takes
//     matrices and no vectors, one line of them is a matrix of one row, and one number per line one column.
// Colours are multiplied by alpha where the operator asks for that.
//
// Errors: those of Operator::type_of, with the names of the files; usage, for a channel that is not there.
Fitted fitted(const Operator &op, const std::vector<Picture> &pictures, const Settings &settings,
    const FitWords &words = {});

// The result of the call of one channel as one of the columns of `all` (n, channels), which is made if it is
// empty.
void put_column(const Array &column, Array &all, int64_t index, int64_t count);

}  // namespace tilewright::app
