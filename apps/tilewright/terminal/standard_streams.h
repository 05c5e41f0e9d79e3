#pragma once
// Standard error, and standard streams that are closed when the program starts.
#include "runtime/errors/plain_text.h"
#include <algorithm>
#include <string_view>

namespace tilewright::app {

// Opens those of the descriptors 0 to 2 that are closed, so that no file of this program gets one of these
// numbers. Reading from such a stream and writing to it fails, as it did before. To be called before any file
// is opened.
void open_closed_streams() noexcept;

// Writes to standard error, byte by byte as it is. What cannot be written, because standard error is closed
// or full, is left out: the program does its work all the same, and its exit code says whether it succeeded.
void write_error(std::string_view bytes) noexcept;

// The same of text, as a terminal may show it (put_plain()).
void print_error(std::string_view text) noexcept;

// Whether the stream is a terminal that takes codes for colours and for clearing a line.
bool obeys_codes(int stream) noexcept;

// Leaves out what print_remark() prints, and the bar of progress: the option --quiet.
void be_quiet() noexcept;
bool is_quiet() noexcept;

// print_error() of what is no error, such as a warning or the sum of a command's lines.
void print_remark(std::string_view text) noexcept;

// Writes `before` and the message as one line. It allocates no memory, so that it can report that there is
// none.
void print_error_line(std::string_view before, std::string_view message) noexcept;

// Calls `put` with each letter of a text of files or of the environment, and with a question mark in place of
// each one that is not plain. Line ends and tabs, which are not, are given as they are.
template<typename Put>
void for_plain_letters(std::string_view text, const Put &put) {
    for (size_t at = 0; at < text.size();) {
        const Letter letter = letter_at(text, at);
        const size_t bytes = std::max<size_t>(letter.bytes, 1);
        const bool is_space = text[at] == '\n' || text[at] == '\r' || text[at] == '\t';
        put(is_plain(letter) || is_space ? text.substr(at, bytes) : std::string_view("?"));
        at += bytes;
    }
}

// Calls `put` with each character of `text` as a terminal may show it, in lines.
template<typename Put>
void put_plain(std::string_view text, const Put &put) {
    for_plain_letters(text, [&](std::string_view letter) {
        for (const char c : letter) {
            put(c == '\r' ? '?' : c);
        }
    });
}

// The same as one line: line ends and tabs become blanks, and blanks at the end are left out.
template<typename Put>
void put_in_one_line(std::string_view text, const Put &put) {
    bool begun = false;
    size_t blanks = 0;
    for_plain_letters(text, [&](std::string_view letter) {
        const char first = letter.front();
        if (first == ' ') {
            blanks++;
        } else if (first == '\n' || first == '\r' || first == '\t') {
            blanks += begun && blanks == 0;
        } else {
            for (; blanks > 0; blanks--) {
                put(' ');
            }
            for (const char c : letter) {
                put(c);
            }
            begun = true;
        }
    });
}

}  // namespace tilewright::app
