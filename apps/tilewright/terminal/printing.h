#pragma once
// Words and numbers as the commands print them. Data is written to standard output, words to standard error.
#include "tilewright/variant.h"
#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// The text in one line: line ends and tabs become blanks.
std::string one_line(const std::string &text);

// Lines of cells as text with aligned columns. The first line is the heading. A line of one cell is text
// between the others: no column is as wide as it.
std::string table(const std::vector<std::vector<std::string>> &lines);

// As table(), with the last cell of each line broken between words, so that no line is longer than `width`
// columns where words allow it.
std::string wrapped_table(const std::vector<std::vector<std::string>> &lines, size_t width = 100);

// "140 GB", "12.5 MB"
std::string bytes(double count);

// A number of things: "1 byte", "2 bytes".
std::string plural(uint64_t count, const char *word);

// The words between separators, and words with separators between them.
std::vector<std::string> parted(const std::string &text, char separator = ',');
std::string joined(const std::vector<std::string> &words, const std::string &between = " ");

// The number that a text is, from its first character to its last; nothing where it is none.
template<typename Number>
std::optional<Number> number_in(const std::string &text) {
    Number number = {};
    const char *const end = text.data() + text.size();
    const auto [stopped, fault] = std::from_chars(text.data(), end, number);
    return fault == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

// The libraries that a call of `variant` ran, where they are others than the variant's own:
// "fft2d/fused_rows_64/c64/cuda, 2 times + ...". Empty otherwise.
std::string other_libraries(const std::string &variant, const std::vector<std::string> &ran);
std::string other_libraries(const Variant &variant, const std::vector<const Variant *> &ran);

// Prints to standard output. Errors: failed, when it cannot be written.
void print(const std::string &text);

// The same of lines with verdicts. On a terminal, `ok` and `warn` at the beginning of a line, and words in
// capitals such as WRONG, have colours, unless the environment's NO_COLOR is set.
void print_verdicts(const std::string &text);

}  // namespace tilewright::app
