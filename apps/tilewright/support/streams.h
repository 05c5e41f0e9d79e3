#pragma once
#include <string_view>

// Standard error, and the state in which the program finds its three standard streams.
namespace tilewright::app {

// Opens those of the descriptors 0 to 2 that are closed, so that no file of this program becomes one of them. Reading from
// such a stream and writing to it fails, as it did before. To be called before any file is opened.
void open_closed_streams() noexcept;

// Writes to standard error. A program whose standard error is closed or full does its work all the same, and its exit code
// says how it went: what cannot be written is left out.
void print_error(std::string_view text) noexcept;

// Writes `before` and the message in one line. It takes no memory, so that it can say that there is none.
void print_error_line(std::string_view before, std::string_view message) noexcept;

// Calls `put` with each character of the line that `text` becomes: line ends and tabs are blanks there, and no blanks are at
// its end.
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
