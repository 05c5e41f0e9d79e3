#pragma once
#include "tilewright/operator.h"
#include <string>

namespace tilewright::app {

// What files an operator takes and makes, for its help.
struct Accepted {
    bool png = false;         // some input may be a PNG
    bool png_output = false;  // its output may be one
    std::string inputs;       // "A PNG or .npy file: u8, u16 of shape (h, w)"
    std::string output;       // "The file to write: .npy"
    std::string example;      // inputs and output of an example: "photo.png out.png"
};

// Found by asking the operator about small arrays of every type and shape, with the values that its options' examples have.
Accepted accepted_by(const Operator &op);

}  // namespace tilewright::app
