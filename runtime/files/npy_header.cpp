#include "runtime/files/npy_header.h"
#include "generators/algorithms/integers.h"
#include "runtime/arrays/storage.h"
#include "runtime/files/file_errors.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

namespace tilewright {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct TypeCode {
    Type type;
    std::string_view code;  // NumPy's, without the byte order
};

constexpr TypeCode type_codes[] = {
    {Type::u8, "u1"},
    {Type::u16, "u2"},
    {Type::u32, "u4"},
    {Type::u64, "u8"},
    {Type::i32, "i4"},
    {Type::f32, "f4"},
    {Type::f64, "f8"},
    {Type::c64, "c8"},
};

const char *const types_taken = "save uint8, uint16, uint32, uint64, int32, float32, float64 or complex64";

// What the header's text says: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
struct HeaderText {
    std::string descr;
    bool is_fortran = false;
    std::vector<int64_t> shape;
};

// Parses the header's text, a Python dictionary, as far as NumPy's own writers use Python.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const InputFile &file) : text_(text), file_(file) {}

    HeaderText parse() {
        HeaderText header;
        bool has_descr = false, has_order = false, has_shape = false;
        expect('{');
        while (!take('}')) {
            const std::string key = string();
            expect(':');
            if (key == "descr" && !has_descr) {
                has_descr = true;
                if (peek() == '[' || peek() == '(') {
                    file_.refuse(
                        "its elements are records", std::string(types_taken) + ", a field at a time");
                }
                header.descr = string();
            } else if (key == "fortran_order" && !has_order) {
                has_order = true;
                header.is_fortran = boolean();
            } else if (key == "shape" && !has_shape) {
                has_shape = true;
                header.shape = tuple();
            } else {
                fail("'" + key + "' twice or out of place");
            }
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        if (peek() != 0 || !text_.empty()) {
            fail("something after '}'");
        }
        if (!has_descr || !has_order || !has_shape) {
            fail("descr, fortran_order or shape is missing");
        }
        return header;
    }

private:
    [[noreturn]] void fail(const std::string &what) const {
        file_.refuse("its header is broken (" + what + ")", "save the array again with numpy.save");
    }

    // The next character that is not a space; 0 at the end.
    char peek() {
        while (
            !text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t' || text_[0] == '\r')) {
            text_.remove_prefix(1);
        }
        return text_.empty() ? '\0' : text_[0];
    }

    bool take(char c) {
        if (peek() != c || text_.empty()) {
            return false;
        }
        text_.remove_prefix(1);
        return true;
    }

    void expect(char c) {
        if (!take(c)) {
            fail(std::string("no '") + c + "' where one belongs");
        }
    }

    bool take_word(std::string_view word) {
        peek();
        if (!text_.starts_with(word)) {
            return false;
        }
        text_.remove_prefix(word.size());
        return true;
    }

    std::string string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') {
            fail("no string where one belongs");
        }
        const size_t end = text_.find(quote, 1);
        if (end == std::string_view::npos) {
            fail("a string without end");
        }
        const std::string value(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return value;
    }

    bool boolean() {
        if (take_word("True")) {
            return true;
        }
        if (!take_word("False")) {
            fail("fortran_order is neither True nor False");
        }
        return false;
    }

    int64_t integer() {
        int64_t value = 0;
        int digits = 0;
        for (peek(); !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; text_.remove_prefix(1)) {
            const int digit = text_[0] - '0';
            if (value > (std::numeric_limits<int64_t>::max() - digit) / 10) {
                fail("an extent beyond 2^63");
            }
            value = value * 10 + digit;
            digits++;
        }
        if (digits == 0) {
            fail("no number where one belongs");
        }
        if (!text_.empty() && text_[0] == 'L') {
            text_.remove_prefix(1);  // a long integer of Python 2
        }
        return value;
    }

    std::vector<int64_t> tuple() {
        std::vector<int64_t> values;
        expect('(');
        while (!take(')')) {
            values.push_back(integer());
            if (!take(',')) {
                expect(')');
                if (values.size() == 1) {
                    fail("(n) is no tuple, (n,) is one");
                }
                break;
            }
        }
        return values;
    }

    std::string_view text_;
    const InputFile &file_;
};

HeaderText read_text(InputFile &file, const NpyLimits &limits) {
    uint8_t first[8] = {};
    const size_t count = file.read(first, sizeof(first));
    if (std::memcmp(first, magic.data(), std::min(count, magic.size())) != 0) {
        file.refuse("it is no .npy file", "save the array with numpy.save (.npz and text are not read)");
    }
    if (count < sizeof(first)) {
        file.refuse_truncated();
    }
    const int major = first[6], minor = first[7];
    if (major < 1 || major > 3 || minor != 0) {
        file.refuse("it has format " + std::to_string(major) + "." + std::to_string(minor) +
                        ", and 1.0 to 3.0 are known",
            "save it with numpy.lib.format.write_array(file, array, version=(1, 0))");
    }

    uint8_t length_bytes[4] = {};
    file.read_whole(length_bytes, major == 1 ? 2 : 4);
    const int64_t length = int64_t(length_bytes[0]) | int64_t(length_bytes[1]) << 8 |
                           int64_t(length_bytes[2]) << 16 | int64_t(length_bytes[3]) << 24;
    if (length > limits.header_bytes) {
        file.refuse("its header says that it is " + std::to_string(length) +
                        " bytes long, and the limit is " + std::to_string(limits.header_bytes),
            "raise NpyLimits::header_bytes if the file is to be trusted");
    }
    std::string text(static_cast<size_t>(length), ' ');
    file.read_whole(text.data(), text.size());
    return HeaderParser(text, file).parse();
}

Type type_of(const HeaderText &header, const InputFile &file) {
    const std::string &descr = header.descr;
    const std::string shown = in_quotes(descr);
    if (descr.find('O') != std::string::npos) {
        file.refuse("its elements are Python objects (" + shown + ")", types_taken);
    }
    if (descr.size() >= 2) {
        const char order = descr[0];
        const std::string_view code = std::string_view(descr).substr(1);
        for (const TypeCode &known : type_codes) {
            if (code != known.code) {
                continue;
            }
            if (order == '>' && size_of(known.type) > 1) {
                file.refuse("its elements are big-endian (" + shown + ")",
                    "save array.astype('<" + std::string(code) + "')");
            }
            if (order == '<' || size_of(known.type) == 1) {
                return known.type;
            }
        }
    }
    file.refuse("its elements have type " + shown, types_taken);
}

std::string describe(const std::vector<int64_t> &shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); i++) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

// Refuses a shape that is not taken, and a size that is not the file's, before memory is taken for the
// elements.
void check_size(const HeaderText &header, Type type, const InputFile &file, const NpyLimits &limits) {
    const std::vector<int64_t> &shape = header.shape;
    if (shape.empty()) {
        file.refuse("it holds a single number, not an array", "save array.reshape(1)");
    }
    if (shape.size() > 3) {
        file.refuse("it has " + std::to_string(shape.size()) + " dimensions, and 1 to 3 are taken",
            "save it as (n), (h, w) or (h, w, c)");
    }
    auto bytes = static_cast<int64_t>(size_of(type));
    bool is_over = false;
    for (const int64_t extent : shape) {
        if (extent == 0) {
            file.refuse("it has no elements: its shape is " + describe(shape), "give an array with some");
        }
        if (extent > std::numeric_limits<int32_t>::max()) {
            file.refuse("its shape is " + describe(shape) +
                            ", and an array has at most 2^31 - 1 elements along an axis",
                "save it in parts");
        }
        is_over = is_over || bytes > limits.bytes / extent;
        bytes = is_over ? bytes : bytes * extent;
    }
    const auto row = static_cast<int64_t>(padded_bytes(static_cast<size_t>(bytes / shape[0])));
    if (is_over || (shape.size() > 1 && row > limits.bytes / shape[0])) {
        file.refuse("its shape is " + describe(shape) + ", and the limit is " + std::to_string(limits.bytes) +
                        " bytes, with rows that are padded to 64",
            "raise NpyLimits::bytes if the file is to be trusted");
    }
    if (file.size()) {
        const int64_t there = *file.size() - file.position();
        const std::string sizes = std::to_string(there) + " bytes of elements where its shape " +
                                  describe(shape) + " takes " + std::to_string(bytes);
        if (there < bytes) {
            file.refuse("the file ends too early: it has " + sizes, "get a whole copy of it");
        }
        if (there > bytes) {
            file.refuse("the file is too long: it has " + sizes, "save each array to a file of its own");
        }
    }
}

}  // namespace

NpyHeader read_npy_header(InputFile &file, const NpyLimits &limits) {
    HeaderText header = read_text(file, limits);
    const Type type = type_of(header, file);
    check_size(header, type, file, limits);
    return {type, header.is_fortran, std::move(header.shape)};
}

std::string npy_header_of(const Array &array) {
    const Type type = array.type();
    const auto *known = std::find_if(std::begin(type_codes), std::end(type_codes),
        [&](const TypeCode &code) { return code.type == type; });
    const char order = size_of(type) == 1 ? '|' : '<';
    std::string text = std::string("{'descr': '") + order + std::string(known->code) +
                       "', 'fortran_order': False, 'shape': " + describe(array.shape()) + ", }";
    const size_t before = magic.size() + 4;
    const size_t length = round_up(before + text.size() + 1, 64) - before;
    text.resize(length - 1, ' ');
    text += '\n';

    std::string header(magic);
    header += {'\x01', '\x00', static_cast<char>(length & 255), static_cast<char>(length >> 8)};
    return header + text;
}

}  // namespace tilewright
