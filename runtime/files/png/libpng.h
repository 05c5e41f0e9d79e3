#pragma once
// libpng without surprises. All its calls are made inside attempt() (attempt.h), with png_jmpbuf(). Not
// installed.
#include <png.h>
#include <string>

namespace tilewright::libpng {

// The last messages of libpng, and whether it was ever refused memory, for which libpng and zlib have several
// messages.
struct Messages {
    char error[200] = "";
    char warning[200] = "";
    bool is_out_of_memory = false;

    // libpng's own words, which people can search for. When the error is only "Invalid IHDR data", the
    // warning before it says what is invalid.
    std::string text() const;
};

// What libpng is created with; `messages` must outlive it. Null when there is no memory.
png_structp create_reader(Messages &messages);
png_structp create_writer(Messages &messages);

}  // namespace tilewright::libpng
