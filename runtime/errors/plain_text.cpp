#include "runtime/errors/plain_text.h"
#include <algorithm>
#include <iterator>

namespace tilewright {

namespace {

// Letters that are not shown, or change where others are shown: controls, soft hyphen, marks and controls of
// the direction of writing, spaces without width, ends of lines and paragraphs, marks of annotations, and
// tags. The joiners (U+200C and U+200D), which words of some languages need, are not among them.
constexpr struct {
    uint32_t first, last;
} not_plain[] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e}, {0x200b, 0x200b},
    {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    {0xe0000, 0xe007f}};

}  // namespace

// UTF-8 that is valid: the shortest form, no surrogate, at most U+10FFFF.
Letter letter_at(std::string_view text, size_t at) noexcept {
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

bool is_plain(Letter letter) noexcept {
    return letter.bytes > 0 &&
           std::none_of(std::begin(not_plain), std::end(not_plain),
               [&](const auto &range) { return letter.code >= range.first && letter.code <= range.last; });
}

std::string plain_text(std::string_view text, char control) {
    std::string plain;
    for (size_t at = 0; at < text.size();) {
        const Letter letter = letter_at(text, at);
        const size_t bytes = std::max<size_t>(letter.bytes, 1);
        if (is_plain(letter)) {
            plain.append(text.substr(at, bytes));
        } else {
            plain += letter.bytes == 0 ? '?' : control;
        }
        at += bytes;
    }
    return plain;
}

}  // namespace tilewright
