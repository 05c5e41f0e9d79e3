#pragma once
// Standard error, and standard streams that are closed when the program starts.
#include <string_view>

namespace tilewright::app {

// Opens those of the descriptors 0 to 2 that are closed, so that no file of this program gets one of these
// numbers. Reading from such a stream and writing to it fails, as it did before. To be called before any file
// is opened.
void open_closed_streams() noexcept;

// Writes to standard error. What cannot be written, because standard error is closed or full, is left out:
// the program does its work all the same, and its exit code says whether it succeeded.
void print_error(std::string_view text) noexcept;

// Writes `before` and the message as one line. It allocates no memory, so that it can report that there is
// none.
void print_error_line(std::string_view before, std::string_view message) noexcept;

// Calls `put` with each character of `text` as one line: line ends and tabs become blanks, and blanks at the
// end are left out.
template<typename Put>
void put_in_one_line(std::string_view text, const Put &put) {
    bool begun = false;
    size_t blanks = 0;
    for (const char c : text) {
        if (c == ' ') {
            blanks++;
        } else if (c == '\n' || c == '\r' || c == '\t') {
            blanks += begun && blanks == 0;
        } else {
            for (; blanks > 0; blanks--) {
                put(' ');
            }
            put(c);
            begun = true;
        }
    }
}

}  // namespace tilewright::app
