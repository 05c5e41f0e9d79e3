// Numbers as text: vectors and matrices in .csv and .txt files.
#include "runtime/arrays/element.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/readers.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace tilewright {

namespace {

constexpr std::string_view between = " \t,;";

// A number may begin with a plus, which std::from_chars() does not take.
bool parse(std::string_view word, double &value) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') {
        word.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    // Numbers beyond the range of f64 become 0 or infinite, as in other programs.
    if (error == std::errc::result_out_of_range) {
        static const locale_t with_points = newlocale(LC_ALL_MASK, "C", nullptr);
        value = strtod_l(std::string(word).c_str(), nullptr, with_points);
    }
    return error != std::errc::invalid_argument && end == word.data() + word.size();
}

// The line without its comment.
std::string_view numbers_of(std::string_view line) {
    return line.substr(0, line.find('#'));
}

// How many words a line has, whatever they are.
int64_t words_in(std::string_view line) {
    line = numbers_of(line);
    int64_t count = 0;
    for (size_t at = line.find_first_not_of(between); at < line.size();
        at = line.find_first_not_of(between, at)) {
        at = std::min(line.find_first_of(between, at), line.size());
        count++;
    }
    return count;
}

// Takes the next line off the text. Lines end in LF, CR LF or CR.
std::string_view take_line(std::string_view &text) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    text.remove_prefix(line.size());
    text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
    return line;
}

// Writes the numbers of a line, of which `to` holds `most`. Returns how many the line has. `separator` is the
// comma or semicolon that the file has between numbers, and 0 before the first one. A file with both has
// commas in its numbers, as in "1,5;2", which would be read as more numbers than there are.
int64_t read_line(
    std::string_view line, size_t number, const InputFile &file, char &separator, double *to, int64_t most) {
    line = numbers_of(line);
    int64_t count = 0;
    bool is_comma_open = false;  // a comma must stand between two numbers
    const auto refuse_empty_place = [&] {
        file.refuse(fmt::format("line {} has an empty place beside a separator", number),
            "give every place a number; nan and inf are numbers");
    };
    for (size_t at = line.find_first_not_of(" \t"); at < line.size();
        at = line.find_first_not_of(" \t", at)) {
        if (line[at] == ',' || line[at] == ';') {
            if (is_comma_open || count == 0) {
                refuse_empty_place();
            }
            if (separator != 0 && line[at] != separator) {
                file.refuse(fmt::format("line {}: commas and semicolons are between numbers", number),
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
            file.refuse(fmt::format("line {}: '{}' is no number", number, word.substr(0, 40)),
                "write numbers with a decimal point, and # before headings");
        }
        if (count < most) {
            to[count] = value;
        }
        is_comma_open = false;
        count++;
        at += word.size();
    }
    if (is_comma_open) {
        refuse_empty_place();
    }
    return count;
}

void append_element(std::string &text, const Array &array, int64_t at) {
    with_element(array.type(), [&]<typename T>(T) {
        char digits[64];  // the shortest form that reads back as the same value
        if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
            text.append(digits, std::to_chars(digits, digits + sizeof(digits), array.as<T>()[at]).ptr);
        } else if constexpr (std::is_convertible_v<T, float>) {
            const auto value = static_cast<float>(array.as<T>()[at]);
            text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
        }  // check_text() refuses complex numbers
    });
}

}  // namespace

// The lines are gone through twice, so that the numbers are written where they stay.
Array read_text(InputFile &file, const NpyLimits &limits, bool &is_one_line) {
    const InputFile::Rest bytes = file.read_rest(limits.bytes);
    std::string_view text = bytes.text();
    if (text.starts_with("\xef\xbb\xbf")) {  // a mark of UTF-8
        text.remove_prefix(3);
    }
    int64_t rows = 0, columns = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const int64_t count = words_in(take_line(rest));
        if (rows > 0 && count > 0 && count != columns) {
            break;  // the second time refuses that line, or one before it
        }
        columns = std::max(columns, count);
        rows += count > 0 ? 1 : 0;
    }
    const auto room = static_cast<int64_t>(sizeof(double)) * std::max<int64_t>(rows * columns, 1);
    if (room > limits.bytes - static_cast<int64_t>(text.size())) {
        file.refuse(
            fmt::format("its text and its numbers take more than {} bytes of memory, which is the limit",
                limits.bytes),
            "raise NpyLimits::bytes if the file is to be trusted, or save the numbers as .npy");
    }
    is_one_line = rows == 1;
    // Dense: rows of few numbers would take several times as much with padding.
    Array array = Array::uninitialized(Type::f64,
        rows <= 1 || columns == 1 ? std::vector<int64_t>{std::max<int64_t>(rows * columns, 1)} :
                                    std::vector<int64_t>{rows, columns},
        0);
    auto *to = array.as<double>();
    char separator = 0;
    int64_t row = 0;
    for (size_t number = 1; !text.empty(); number++) {
        const int64_t count =
            read_line(take_line(text), number, file, separator, to + row * columns, row < rows ? columns : 0);
        if (count > 0 && count != columns) {
            file.refuse(fmt::format("line {} has {} numbers, and the lines before it have {}", number, count,
                            columns),
                "give every line the same number");
        }
        row += count > 0 ? 1 : 0;
    }
    if (rows == 0) {
        file.refuse("it holds no numbers", "give a file with some");
    }
    return array;
}

void check_text(Type type, const std::vector<int64_t> &shape) {
    const bool is_array = !shape.empty() && *std::min_element(shape.begin(), shape.end()) > 0;
    if (is_complex(type) || !is_array || shape.size() > 2) {
        refuse_array("text holds vectors and matrices of real numbers", "write .npy instead", "write_text",
            type, shape);
    }
}

namespace {

class TextWriter final : public RowWriter {
public:
    TextWriter(const std::string &path, char separator) : file_(path), separator_(separator) {}

    void write(const Array &array) override {
        const bool is_vector = array.dimensions() == 1;
        const int64_t rows = array.shape()[0], columns = is_vector ? 1 : array.shape()[1];
        array.sync();
        std::string line;
        for (int64_t y = 0; y < rows; y++) {
            line.clear();
            for (int64_t x = 0; x < columns; x++) {
                if (x > 0) {
                    line += separator_;
                }
                append_element(line, array, is_vector ? y : y * array.strides()[0] + x);
            }
            line += '\n';
            file_.put(line);
        }
    }

    void finish() override {
        file_.commit();
    }

private:
    OutputFile file_;
    const char separator_;
};

}  // namespace

std::unique_ptr<RowWriter> create_csv(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &) {
    check_text(type, shape);
    return std::make_unique<TextWriter>(path, ',');
}

std::unique_ptr<RowWriter> create_txt(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &) {
    check_text(type, shape);
    return std::make_unique<TextWriter>(path, ' ');
}

}  // namespace tilewright
