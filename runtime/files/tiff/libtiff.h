#pragma once
// libtiff without surprises: a handle that closes itself, and libtiff's words kept in place of printed. Not
// installed.
#include <memory>
#include <string>
#include <tiffio.h>

namespace tilewright::libtiff {

struct Close {
    void operator()(TIFF *tiff) const {
        TIFFClose(tiff);
    }
};
using Handle = std::unique_ptr<TIFF, Close>;

// What libtiff said. It must outlive the handle.
struct Messages {
    // libtiff's own words for its first error; without one, for its last warning.
    std::string text() const;
    bool is_out_of_memory() const;

    char error[200] = "", warning[200] = "";
};

// How a file is read, written and measured. `user` is handed to each of them.
struct Access {
    TIFFReadWriteProc read, write;
    TIFFSeekProc seek;
    TIFFSizeProc size;
};

// `mode` as TIFFOpen() has it; `most_bytes` bounds each allocation of libtiff. Null where libtiff reports an
// error.
Handle open(const char *mode, void *user, const Access &access, int64_t most_bytes, Messages &messages);

}  // namespace tilewright::libtiff
