#pragma once
// libpng without surprises. It reports an error by longjmp, which must not skip the destructor of a C++
// object. So all calls of libpng are made inside attempt(), whose step may hold pointers, numbers and
// references, but no object with a destructor; its `false` becomes an exception outside. Not installed.
#include <csetjmp>
#include <png.h>
#include <string>
#include <type_traits>

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

// Runs libpng calls. False when libpng reported an error.
template<typename Step>
[[gnu::noinline]] bool attempt(png_structp png, const Step &step) {
    static_assert(std::is_trivially_destructible_v<Step>);
    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    step();
    return true;
}

}  // namespace tilewright::libpng
