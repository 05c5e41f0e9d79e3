#pragma once
// libjpeg-turbo without surprises. As with libpng (libpng.h), all its calls are made inside attempt(), whose
// step may hold pointers, numbers and references, but no object with a destructor. Not installed.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>  // after <cstdio> and <cstddef>, which it does not include
#include <string>
#include <type_traits>

namespace tilewright::libjpeg {

// What libjpeg is created with. It must outlive the compressor or decompressor.
struct Errors {
    Errors();

    // libjpeg's own words for its error.
    std::string text() const {
        return message[0] == 0 ? "libjpeg gives no reason" : message;
    }

    jpeg_error_mgr manager;  // first, because libjpeg hands its address to the functions that report
    jmp_buf jump;
    char message[JMSG_LENGTH_MAX] = "";
    bool is_out_of_memory = false;
};

// Runs libjpeg calls. False when libjpeg reported an error, or would have made up pixels that the file does
// not have; they end there.
template<typename Step>
[[gnu::noinline]] bool attempt(Errors &errors, const Step &step) {
    static_assert(std::is_trivially_destructible_v<Step>);
    if (setjmp(errors.jump) != 0) {
        return false;
    }
    step();
    return true;
}

}  // namespace tilewright::libjpeg
