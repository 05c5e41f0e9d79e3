// zlib, base 64, and HTML's entities.
#include "apps/laboratory/report/compressed.h"
#include <new>
#include <vector>
#include <zlib.h>

namespace tilewright::app {

namespace {

std::string base64(const std::vector<unsigned char> &bytes, size_t count) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((count + 2) / 3 * 4);
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (unsigned)bytes[i + 2] : 0);
        text += digits[three >> 18];
        text += digits[three >> 12 & 63];
        text += left > 1 ? digits[three >> 6 & 63] : '=';
        text += left > 2 ? digits[three & 63] : '=';
    }
    return text;
}

}  // namespace

std::string packed(std::string_view text) {
    uLongf size = compressBound(text.size());
    std::vector<unsigned char> bytes(size);
    if (compress2(bytes.data(), &size, (const unsigned char *)text.data(), text.size(), 9) != Z_OK) {
        throw std::bad_alloc();  // the only other reason is a buffer that is too small
    }
    return base64(bytes, size);
}

std::string html(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    }
    return out;
}

}  // namespace tilewright::app
