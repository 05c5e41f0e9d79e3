#include "runtime/files/png/libpng.h"
#include <cstdlib>
#include <cstring>

namespace tilewright::libpng {

namespace {

void keep(char (&message)[200], const char *text) {
    std::strncpy(message, text, sizeof(message) - 1);
}

[[noreturn]] void on_error(png_structp png, const char *message) {
    keep(static_cast<Messages *>(png_get_error_ptr(png))->error, message);
    png_longjmp(png, 1);
}

void on_warning(png_structp png, const char *message) {
    keep(static_cast<Messages *>(png_get_error_ptr(png))->warning, message);
}

png_voidp allocate(png_structp png, png_alloc_size_t bytes) {
    void *memory = std::malloc(bytes);
    if (memory == nullptr) {
        static_cast<Messages *>(png_get_mem_ptr(png))->is_out_of_memory = true;
    }
    return memory;
}

void deallocate(png_structp, png_voidp memory) {
    std::free(memory);
}

}  // namespace

std::string Messages::text() const {
    std::string text = error;
    if (text == "Invalid IHDR data" && warning[0] != 0) {
        text += std::string(" (") + warning + ")";
    }
    return text.empty() ? "libpng gives no reason" : text;
}

png_structp create_reader(Messages &messages) {
    return png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, &messages, on_error, on_warning, &messages, allocate, deallocate);
}

png_structp create_writer(Messages &messages) {
    return png_create_write_struct_2(
        PNG_LIBPNG_VER_STRING, &messages, on_error, on_warning, &messages, allocate, deallocate);
}

}  // namespace tilewright::libpng
