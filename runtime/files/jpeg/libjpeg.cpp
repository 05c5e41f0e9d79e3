#include "runtime/files/jpeg/libjpeg.h"
#include <jerror.h>

namespace tilewright::libjpeg {

namespace {

Errors &errors_of(j_common_ptr jpeg) {
    return *reinterpret_cast<Errors *>(jpeg->err);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
    Errors &errors = errors_of(jpeg);
    jpeg->err->format_message(jpeg, errors.message);
    errors.is_out_of_memory = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    std::longjmp(errors.jump, 1);
}

// After damage libjpeg would go on to the end of the picture, with grey in place of pixels. Cameras write
// bytes between two markers, which loses no pixel; the other warnings of that kind are about markers.
void on_message(j_common_ptr jpeg, int level) {
    const int code = jpeg->err->msg_code;
    const bool is_harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM ||
                             code == JWRN_JFIF_MAJOR || code == JWRN_BOGUS_ICC;
    if (level < 0 && !is_harmless) {
        on_error(jpeg);
    }
}

}  // namespace

Errors::Errors() {
    jpeg_std_error(&manager);
    manager.error_exit = on_error;
    manager.emit_message = on_message;
}

}  // namespace tilewright::libjpeg
