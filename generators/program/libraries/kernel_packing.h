#pragma once
#include <array>
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
    // Packs what is not packed yet.
    void end_group();

    const std::string &bytes() const {
        return bytes_;
    }
    // Values of KernelText (tilewright/kernel_texts.h).
    std::string entries() const {
        return entries_.str();
    }

private:
    struct Part {
        uint64_t key;
        size_t at, begin, bytes, text_bytes;
    };
    // OpenCL C and the PTX behind it are in groups of their own, because they have few letters in common.
    struct Language {
        std::string group;
        std::vector<Part> parts;  // of the group
    };

    std::string symbol_, bytes_;
    std::array<Language, 2> languages_;
    std::ostringstream entries_;

    void add_part(Language &language, uint64_t key, size_t at, const std::string &text);
    void end_group(Language &language);
};

}  // namespace tilewright
