#pragma once
// What a file's array becomes so that an operator or a pipeline takes it: grey values, single channels, parts
// and surrounds of a picture, and the types of numbers in text.
#include "apps/tilewright/pictures/picture.h"
#include <string>
#include <vector>

namespace tilewright::app {

// The words of the command line about it.
struct FitOptions {
    int channel = -1;  // the one to take; -1: not asked
    bool grey = false, crop = false;
};

// What pictures are fitted to: an operator with its settings, or a pipeline.
struct Receiver {
    std::string name;
    std::vector<Input> inputs;  // the optional one is the last
    Makes makes = Makes::image;
    bool pads = false;             // pictures that are no squares become squares, where it takes squares
    const Operator *op = nullptr;  // multiplies colours by alpha; a pipeline does that itself
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

// What becomes of the arrays follows from what the receiver declares; whether they are then taken is not
// asked. What is taken stays as it is, unless the words ask for a part of it. Of the rest:
//   * A picture with channels, where none are taken, is given to receivers that make vectors one channel at a
//     time, and to others as grey values (ITU-R BT.601: .299 R + .587 G + .114 B; alpha is left out). Where
//     the result is an image too, the user must ask for that.
//   * A picture of integers becomes f32 with the same values, where f32 is taken.
//   * With `crop`, the largest middle part whose sides are taken.
//   * With the option `pad` of the operator or of the first stage, a picture that is no square, where squares
//     are taken, is surrounded by zeros to one.
//   * Numbers read from text become the type of the other input, f64 or f32. Where matrices are taken and
//     vectors are not, one line of them is a matrix of one row, and one number per line one column.
// Colours are multiplied by alpha where the receiver asks for that.
//
// Errors: usage, for a channel that is not there; input, for a number that the type does not have.
Fitted fitted(const Receiver &to, const std::vector<Picture> &pictures, const FitOptions &options = {});

// The error of a call with arrays that were fitted: one of class input gets what else the words can ask for,
// and the names of the files.
Error with_files(const Error &error, const Receiver &to, const std::vector<Picture> &pictures,
    const FitOptions &options = {});

// Puts the result of one of `count` calls into that of all: the result itself where it is the only one, or a
// column of `all` (n, count), which is made if it is empty.
void put_result(Array column, Array &all, int64_t index, int64_t count);

// The shape of that, where each result has this one.
std::vector<int64_t> shape_of_results(std::vector<int64_t> one, size_t count);

}  // namespace tilewright::app
