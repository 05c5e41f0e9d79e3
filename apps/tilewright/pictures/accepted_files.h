#pragma once
// What files an operator takes and makes, as its help says it.
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright::app {

struct Accepted {
    bool png = false;                 // an input may be a PNG
    bool png_output = false;          // the output may be a PNG
    std::vector<std::string> inputs;  // "A picture or .npy file: u8 or u16 of shape (h, w)"
    std::string output;               // "The file to write: .npy"
    std::string example;              // inputs and output of an example: "photo.png out.png"
    std::string example_options;      // what the operator needs for a photograph: " --crop"
    std::string notes;                // further lines about files
};

// From what the operator declares.
Accepted accepted_by(const Operator &op);

}  // namespace tilewright::app
