#pragma once
// The text of a library's kernels, PTX or OpenCL C, as the driver takes it. Not installed.
#include <string>

namespace tilewright::driver {

// The text that begins at `text` and ends with a zero byte, or that `text` says is in a table
// (tilewright/kernel_texts.h).
std::string kernel_text(const char *text);

}  // namespace tilewright::driver
