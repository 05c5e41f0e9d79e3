#pragma once
// The readers of each kind of file, for a file that is open already. Not installed.
#include "runtime/files/input_file.h"
#include "tilewright/npy.h"
#include "tilewright/png.h"

namespace tilewright {

// The picture or array of a file that is open, whose rows are read in their order. A picture is as it is
// stored; orientation.h makes it upright.
class RowReader {
public:
    RowReader() = default;
    virtual ~RowReader() = default;
    RowReader(const RowReader &) = delete;
    RowReader &operator=(const RowReader &) = delete;

    // Fills `rows` with the next ones. Errors: input, memory.
    virtual void read(Array &rows) = 0;

    Type type = Type::u8;
    std::vector<int64_t> shape;
    PngMetadata metadata = {};
    int orientation = 1;
    bool has_alpha = false;
    bool is_by_rows = true;     // else all rows must be read at once
    double decoding_bytes = 0;  // what decoding takes besides the rows,
    double buffer_bytes = 0;    // and what it takes more where not all rows are read at once
};

// Grey has no axis of channels.
inline std::vector<int64_t> shape_of(int64_t h, int64_t w, int64_t channels) {
    return channels == 1 ? std::vector{h, w} : std::vector{h, w, channels};
}

// Each opens a file at its beginning, and outlives neither it nor the limits. Errors: input, memory.
//
// As tilewright/png.h says.
std::unique_ptr<RowReader> open_png(InputFile &file, const PngLimits &limits);
// Grey and RGB, 8 bits.
std::unique_ptr<RowReader> open_jpeg(InputFile &file, const PngLimits &limits);
// Grey, RGB and palettes, of up to 16 bits, grey and RGB with and without alpha; the first picture of a file.
std::unique_ptr<RowReader> open_tiff(InputFile &file, const PngLimits &limits);
// As tilewright/npy.h says.
std::unique_ptr<RowReader> open_npy(InputFile &file, const NpyLimits &limits);

// Arrays that files are read into are made by it: Array::uninitialized or Array::pinned.
using MakeArray = decltype(Array::uninitialized);

// All rows of a picture. Errors: those of the reader; input, where it takes more memory than the limit.
Array read_picture(RowReader &reader, InputFile &file, const PngLimits &limits, MakeArray *make);

// Numbers as text, as f64: one row per line, with commas, semicolons (a file has not both) or blanks between
// numbers; what follows a # is a comment. One row, or one number in each row, is a vector (n), and
// `is_one_line` says which of the two; else a matrix, with dense rows. Errors: input, memory.
Array read_text(InputFile &file, const NpyLimits &limits, bool &is_one_line);

}  // namespace tilewright
