#pragma once
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace tilewright {

// Texts of kernels as they lie in a file, and the table of them. Apart from kernel_texts.h, and without
// Halide, because it reads megabytes and so is compiled with optimisation.
class KernelPacking {
public:
    // `symbol`: where the file's bytes begin, in C++.
    explicit KernelPacking(std::string symbol) : symbol_(std::move(symbol)) {}

    void add(const std::string &text);
    void end_group();

    const std::string &bytes() const {
        return bytes_;
    }
    // Values of KernelText (tilewright/kernel_texts.h).
    std::string entries() const {
        return entries_.str();
    }

private:
    struct Text {
        uint64_t key;
        size_t begin, bytes, text_bytes;
    };

    std::string symbol_, group_, bytes_;
    std::vector<Text> texts_;  // of the group
    std::ostringstream entries_;
};

}  // namespace tilewright
