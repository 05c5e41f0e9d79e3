#pragma once
// libjpeg-turbo without surprises. All its calls are made inside attempt() (attempt.h). Not installed.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>  // after <cstdio> and <cstddef>, which it does not include
#include <string>

namespace tilewright::libjpeg {

// What libjpeg is created with. It must outlive the compressor or decompressor.
struct Errors {
    Errors();

    // libjpeg's own words for its error.
    std::string text() const {
        return message[0] == 0 ? "libjpeg gives no reason" : message;
    }

    jpeg_error_mgr manager;  // first, because libjpeg hands its address to the functions that report
    jmp_buf jump;  // taken where libjpeg reports an error, or would make up pixels that the file does not
                   // have
    char message[JMSG_LENGTH_MAX] = "";
    bool is_out_of_memory = false;
};

}  // namespace tilewright::libjpeg
