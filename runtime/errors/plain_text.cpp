#include "runtime/errors/plain_text.h"
#include <cstdint>

namespace tilewright {

namespace {

struct Letter {
    uint32_t code = 0;
    size_t bytes = 0;  // 0: the byte begins no letter
};

// The letter at text[at], when its UTF-8 is valid: the shortest form, no surrogate, at most U+10FFFF.
Letter letter_at(const std::string &text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(i < text.size() ? text[i] : 0); };
    const uint8_t first = byte(at);
    const size_t bytes = first < 0x80       ? 1 :
                         first >> 5 == 0x6  ? 2 :
                         first >> 4 == 0xe  ? 3 :
                         first >> 3 == 0x1e ? 4 :
                                              0;
    if (bytes < 2) {
        return {first, bytes};
    }
    uint32_t code = first & (0x7f >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (byte(at + i) >> 6 != 0x2) {
            return {};
        }
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_letter = code >= least[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return is_letter ? Letter{code, bytes} : Letter{};
}

}  // namespace

std::string plain_text(const std::string &text, char control) {
    std::string plain;
    for (size_t at = 0; at < text.size();) {
        const auto [code, bytes] = letter_at(text, at);
        if (bytes == 0) {
            plain += '?';
        } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            plain += control;
        } else {
            plain.append(text, at, bytes);
        }
        at += bytes == 0 ? 1 : bytes;
    }
    return plain;
}

}  // namespace tilewright
