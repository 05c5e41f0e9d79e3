#pragma once
// Finds out what files an operator takes and makes, for its help.
#include "tilewright/operator.h"
#include <string>

namespace tilewright::app {

struct Accepted {
    bool png = false;             // an input may be a PNG
    bool png_output = false;      // the output may be a PNG
    std::string inputs;           // "A picture or .npy file: u8, u16 of shape (h, w)"
    std::string output;           // "The file to write: .npy"
    std::string example;          // inputs and output of an example: "photo.png out.png"
    std::string example_options;  // what the operator needs for that photograph: " --crop"
    std::string notes;            // further lines about files
};

// Asks the operator about small arrays of every type and shape. Options without a default have the values of
// their examples.
Accepted accepted_by(const Operator &op);

}  // namespace tilewright::app
