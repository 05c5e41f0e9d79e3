#pragma once
// The readers of each kind of file, for a file that is open already. Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/npy.h"
#include "tilewright/png.h"

namespace tilewright {

// A picture as it is stored, and how to make it upright (orientation.h).
struct StoredPicture {
    Array pixels;
    PngMetadata metadata;
    int orientation = 1;
    bool has_alpha = false;
};

// Grey has no axis of channels.
inline std::vector<int64_t> shape_of(int64_t h, int64_t w, int64_t channels) {
    return channels == 1 ? std::vector{h, w} : std::vector{h, w, channels};
}

// As the functions of tilewright/png.h and tilewright/npy.h, from the file's beginning on; the array is made
// by `make`, Array::uninitialized or Array::pinned.
using MakeArray = decltype(Array::uninitialized);
StoredPicture read_png(InputFile &file, const PngLimits &limits, MakeArray *make);
Array read_npy(InputFile &file, const NpyLimits &limits, MakeArray *make);

// Grey and RGB, 8 bits. Errors: input, memory.
StoredPicture read_jpeg(InputFile &file, const PngLimits &limits);

// Grey, RGB and palettes, of up to 16 bits, grey and RGB with and without alpha; the first picture of a file.
// Errors: input, memory.
StoredPicture read_tiff(InputFile &file, const PngLimits &limits);

// Numbers as text, as f64: one row per line, with commas, semicolons (a file has not both) or blanks between
// numbers; what follows a # is a comment. One row, or one number in each row, is a vector (n), and
// `is_one_line` says which of the two; else a matrix, with dense rows. Errors: input, memory.
Array read_text(InputFile &file, const NpyLimits &limits, bool &is_one_line);

}  // namespace tilewright
