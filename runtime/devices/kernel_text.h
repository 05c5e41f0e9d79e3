#pragma once
// The text of a library's kernels, PTX or OpenCL C, as the driver takes it. Not installed.
#include <string>

namespace tilewright::driver {

// The text that begins at `text` and ends with a zero byte, or that `text` says is in a table
// (tilewright/kernel_texts.h). Only its first part where `all_parts` is false: of a text with PTX behind
// OpenCL C, the OpenCL C.
std::string kernel_text(const char *text, bool all_parts = true);

}  // namespace tilewright::driver
