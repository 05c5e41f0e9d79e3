// Numbers as text: vectors and matrices in .csv and .txt files.
#include "runtime/files/file_errors.h"
#include "runtime/files/output_file.h"
#include "runtime/files/readers.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace tilewright {

namespace {

constexpr std::string_view between = " \t,;";

// Whether a decimal number that f64 does not hold is too large for it, and not too near to 0. The place of
// its first digit that is not 0, and its exponent, say so.
bool is_too_large(std::string_view word) {
    const size_t mark = std::min(word.find_first_of("eE"), word.size());
    const std::string_view digits = word.substr(0, mark);
    const auto point = static_cast<int64_t>(std::min(digits.find('.'), digits.size()));
    const auto first = static_cast<int64_t>(std::min(digits.find_first_of("123456789"), digits.size()));
    std::string_view exponent = word.substr(std::min(mark + 1, word.size()));
    exponent.remove_prefix(exponent.starts_with('+') ? 1 : 0);
    int64_t power = 0;
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (error == std::errc::result_out_of_range) {
        return exponent[0] != '-';
    }
    return power > first - point;
}

// A number may begin with a plus, which std::from_chars() does not take.
bool parse(std::string_view word, double &value) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') {
        word.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    // Numbers beyond the range of f64 become 0 or infinite, as in other programs.
    if (error == std::errc::result_out_of_range) {
        value = is_too_large(word) ? std::numeric_limits<double>::infinity() : 0;
        value = word[0] == '-' ? -value : value;
    }
    return error != std::errc::invalid_argument && end == word.data() + word.size();
}

// Adds the numbers of a line. Returns how many there are. `separator` is the comma or semicolon that the file
// has between numbers, and 0 before the first one. A file with both has commas in its numbers, as in "1,5;2",
// which would be read as more numbers than there are.
size_t read_line(std::string_view line, size_t number, const InputFile &file, char &separator,
    std::vector<double> &values) {
    line = line.substr(0, line.find('#'));
    size_t count = 0;
    bool is_comma_open = false;  // a comma must stand between two numbers
    const auto refuse_empty_place = [&] {
        file.refuse("line " + std::to_string(number) + " has an empty place beside a separator",
            "give every place a number; nan and inf are numbers");
    };
    for (size_t at = line.find_first_not_of(" \t"); at < line.size();
        at = line.find_first_not_of(" \t", at)) {
        if (line[at] == ',' || line[at] == ';') {
            if (is_comma_open || count == 0) {
                refuse_empty_place();
            }
            if (separator != 0 && line[at] != separator) {
                file.refuse("line " + std::to_string(number) + ": commas and semicolons are between numbers",
                    "write numbers with a decimal point, and one of the two between them");
            }
            separator = line[at];
            is_comma_open = true;
            at++;
            continue;
        }
        const std::string_view word = line.substr(at, line.find_first_of(between, at) - at);
        double value = 0;
        if (!parse(word, value)) {
            file.refuse(
                "line " + std::to_string(number) + ": '" + std::string(word.substr(0, 40)) + "' is no number",
                "write numbers with a decimal point, and # before headings");
        }
        values.push_back(value);
        is_comma_open = false;
        count++;
        at += word.size();
    }
    if (is_comma_open) {
        refuse_empty_place();
    }
    return count;
}

template<typename T>
void append(std::string &text, T value) {
    char digits[64];  // the shortest form that reads back as the same value
    text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void append_element(std::string &text, const Array &array, int64_t at) {
    switch (array.type()) {
    case Type::u8: return append(text, unsigned(array.as<uint8_t>()[at]));
    case Type::u16: return append(text, array.as<uint16_t>()[at]);
    case Type::u32: return append(text, array.as<uint32_t>()[at]);
    case Type::u64: return append(text, array.as<uint64_t>()[at]);
    case Type::i32: return append(text, array.as<int32_t>()[at]);
    case Type::f32: return append(text, array.as<float>()[at]);
    case Type::f64: return append(text, array.as<double>()[at]);
    case Type::c64: break;  // check_text() refuses it
    }
}

}  // namespace

Array read_text(InputFile &file, const NpyLimits &limits, bool &is_one_line) {
    const std::string text = file.read_rest(limits.bytes);
    std::string_view rest = text;
    if (rest.starts_with("\xef\xbb\xbf")) {  // a mark of UTF-8
        rest.remove_prefix(3);
    }
    std::vector<double> values;
    size_t columns = 0;
    int64_t rows = 0;
    char separator = 0;
    for (size_t number = 1; !rest.empty(); number++) {
        const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
        const size_t count = read_line(line, number, file, separator, values);
        rest.remove_prefix(line.size());
        rest.remove_prefix(rest.starts_with("\r\n") ? 2 : rest.empty() ? 0 : 1);  // or one of the two alone
        if (count == 0) {
            continue;
        }
        if (rows > 0 && count != columns) {
            file.refuse("line " + std::to_string(number) + " has " + std::to_string(count) +
                            " numbers, and the lines before it have " + std::to_string(columns),
                "give every line the same number");
        }
        columns = count;
        rows++;
    }
    if (values.empty()) {
        file.refuse("it holds no numbers", "give a file with some");
    }
    is_one_line = rows == 1;
    const auto count = static_cast<int64_t>(values.size());
    Array array(Type::f64,
        rows == 1 || columns == 1 ? std::vector<int64_t>{count} : std::vector<int64_t>{rows, count / rows});
    auto *to = array.as<double>();
    const int64_t width = array.dimensions() == 1 ? count : array.shape()[1];
    for (int64_t i = 0; i < count; i++) {
        to[i / width * (array.dimensions() == 1 ? 0 : array.strides()[0]) + i % width] =
            values[static_cast<size_t>(i)];
    }
    return array;
}

void check_text(Type type, const std::vector<int64_t> &shape) {
    const bool is_array = !shape.empty() && *std::min_element(shape.begin(), shape.end()) > 0;
    if (type == Type::c64 || !is_array || shape.size() > 2) {
        refuse_array("text holds vectors and matrices of real numbers", "write .npy instead", "write_text",
            type, shape);
    }
}

void write_text(const std::string &path, const Array &array, char separator) {
    check_text(array.type(), array.shape());
    const bool is_vector = array.dimensions() == 1;
    const int64_t rows = array.shape()[0], columns = is_vector ? 1 : array.shape()[1];
    array.sync();
    OutputFile file(path);
    std::string line;
    for (int64_t y = 0; y < rows; y++) {
        line.clear();
        for (int64_t x = 0; x < columns; x++) {
            if (x > 0) {
                line += separator;
            }
            append_element(line, array, is_vector ? y : y * array.strides()[0] + x);
        }
        line += '\n';
        if (!file.write(line.data(), line.size())) {
            file.fail();
        }
    }
    file.commit();
}

}  // namespace tilewright
