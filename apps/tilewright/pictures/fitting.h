#pragma once
// What a file's array becomes so that an operator or a pipeline takes it: grey values, single channels, parts
// and surrounds of a picture, and the types of numbers in text.
#include "apps/tilewright/pictures/picture.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::app {

// The words of the command line about it.
struct FitWords {
    int channel = -1;  // the one to take; -1: not asked
    bool grey = false, crop = false;
};

struct TypeAndShape {
    Type type;
    std::vector<int64_t> shape;
};

// What the arrays are for: an operator with its settings, or a pipeline.
struct Receiver {
    std::string name;
    // Type and shape of what it makes of the arrays. Errors: input, for those that it does not take.
    std::function<TypeAndShape(const std::vector<Array> &)> result;
    std::function<Array(const Array &)> premultiplied;  // colours times alpha, where it asks for that
    bool pads = false;                                  // pictures that are no squares become squares
    bool may_refuse_small = false;         // it may refuse 64 x 64 pixels although it takes more of them
    std::vector<std::string> beside = {};  // what else it is given, for its errors: "b.npy is f32 (50, 4)"
};

Receiver receiver_of(const Operator &op, const Settings &settings);

// The arrays for an operator or a pipeline, and what was done to make them.
struct Fitted {
    // The inputs of each call: one call, or one per channel of a picture, whose results (n) are the columns
    // of one (n, channels).
    std::vector<std::vector<Array>> calls;
    bool has_alpha = false;                // the first input's last channel is still alpha
    std::vector<std::string> conversions;  // "grey values of 3 channels"
};

// An array that is taken stays as it is, unless the words ask for a part of it. Of what is not taken:
//   * A picture with channels is given to receivers that make vectors one channel at a time, and to others as
//     grey values (ITU-R BT.601: .299 R + .587 G + .114 B; alpha is left out).
//   * A picture of integers becomes f32 with the same values.
//   * With `crop`, the largest middle part of an image that is taken: all of it, the largest square, sides
//     that are powers of two, or the largest square of such a side.
//   * With the option `pad` of the operator or of the first stage, a picture that is no square is surrounded
//     by zeros to one.
//   * Numbers read from text become the type of the other input, f64 or f32. Where matrices are taken and
//     vectors are not, one line of them is a matrix of one row, and one number per line one column.
// Colours are multiplied by alpha where the receiver asks for that.
//
// Errors: those of Receiver::result, with the names of the files; usage, for a channel that is not there.
Fitted fitted(const Receiver &to, const std::vector<Picture> &pictures, const FitWords &words = {});

// Puts the result of one of `count` calls into that of all: the result itself where it is the only one, or a
// column of `all` (n, count), which is made if it is empty.
void put_result(Array column, Array &all, int64_t index, int64_t count);

}  // namespace tilewright::app
