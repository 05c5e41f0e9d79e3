#pragma once
// The text of a library's kernels, PTX or OpenCL C, as the driver takes it. Not installed.
#include <cstdint>
#include <string>

namespace tilewright::driver {

// The text that begins at `text` and ends with a zero byte, or that `text` says is in a table
// (tilewright/kernel_texts.h). Only its first part where `all_parts` is false: of a text with PTX behind
// OpenCL C, the OpenCL C. Errors: std::runtime_error where no table has it, or where it cannot be unpacked.
std::string kernel_text(const char *text, bool all_parts = true);

// Gives the text of this key in the tables, or its first part alone; an empty one where no table has it.
using TextFinder = std::string (*)(uint64_t key, bool all_parts);

// What kernel_text() finds texts by. embed_kernel_texts() says it: a program without any table, as one for
// the CPU alone, has nothing of what unpacks texts, and needs no liblzma.
void find_texts_by(TextFinder finder);

}  // namespace tilewright::driver
