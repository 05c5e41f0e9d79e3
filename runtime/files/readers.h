#pragma once
// The readers of each kind of file, for a file that is open already. Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/npy.h"
#include "tilewright/png.h"

namespace tilewright {

// As the functions of tilewright/png.h and tilewright/npy.h, from the file's beginning on; the array is made
// by `make`, Array::uninitialized or Array::pinned.
using MakeArray = decltype(Array::uninitialized);
Png read_png(InputFile &file, const PngLimits &limits, MakeArray *make);
Array read_npy(InputFile &file, const NpyLimits &limits, MakeArray *make);

}  // namespace tilewright
