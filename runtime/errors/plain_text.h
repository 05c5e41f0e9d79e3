#pragma once
// Text from files, callers and the environment, made fit for a terminal. Not installed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

// A letter of a text in UTF-8, and how many bytes it has; 0, where a byte begins none.
struct Letter {
    uint32_t code = 0;
    size_t bytes = 0;
};

// The letter at text[at], which is before the end.
Letter letter_at(std::string_view text, size_t at) noexcept;

// Whether a terminal or a log shows the letter as it is, at its place: no control character (U+0000 to U+001F
// and U+007F to U+009F, some of which begin commands to the terminal), none that turns the direction of
// writing, ends a line or is not shown at all, and no byte that is not UTF-8.
bool is_plain(Letter letter) noexcept;

// `text` as letters that are shown as they are: `control` stands for each of the others, and a question mark
// for each byte that is not UTF-8.
std::string plain_text(std::string_view text, char control);

}  // namespace tilewright
