#pragma once
#include <cstdint>
#include <span>
#pragma GCC visibility push(default)

namespace tilewright {

// For the tables: where a part of the text of a library's kernels is, PTX or OpenCL C; its other parts are in
// other elements. The texts of an operator's libraries for a backend are packed in groups, because variants
// that are alike share most of their text.
struct KernelText {
    uint64_t key;                // of the whole text, which its library has too
    const unsigned char *group;  // the beginning of its group
    uint32_t group_bytes;        // of the group, as it is packed
    uint32_t at;                 // its place in the text
    uint32_t begin, bytes;       // its place in the group, when that is unpacked
    uint32_t text_bytes;         // its own size
};

// For the tables: makes texts known to the hooks that load modules and build programs. `texts` must live as
// long as the process. Returns true.
bool embed_kernel_texts(std::span<const KernelText> texts);

}  // namespace tilewright
#pragma GCC visibility pop
