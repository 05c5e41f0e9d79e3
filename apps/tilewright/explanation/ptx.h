#pragma once
// How a kernel's PTX reaches memory.
#include <string>
#include <vector>

namespace tilewright::app {

// Instructions of one kind: "global load", "shared store", "local load", "global atomic" ...
struct PtxAccess {
    std::string kind;
    int bytes = 0;  // that one thread reads or writes at once
    int count = 0;  // in the text, where the body of a loop is written once
};

// The accesses of a kernel, those of one kind and width together, in the order of their first appearance.
std::vector<PtxAccess> accesses_in(const std::string &ptx);

}  // namespace tilewright::app
