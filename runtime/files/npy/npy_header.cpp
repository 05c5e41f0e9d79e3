#include "runtime/files/npy/npy_header.h"
#include "generators/algorithms/integers.h"
#include "runtime/arrays/storage.h"
#include "runtime/files/file_errors.h"
#include "tilewright/error.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

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
    {Type::f16, "f2"},
    {Type::c128, "c16"},
};

const char *const types_taken =
    "save uint8, uint16, uint32, uint64, int32, float16, float32, float64, complex64 or complex128";

// What the header's text says: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
struct HeaderText {
    std::optional<std::string> descr;
    std::optional<bool> is_fortran;
    std::optional<std::vector<int64_t>> shape;
};

// Parses the header's text, a Python dictionary, as far as NumPy's own writers use Python.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const InputFile &file) : text_(text), file_(file) {}

    HeaderText parse() {
        HeaderText header;
        expect('{');
        while (!take("}")) {
            read_entry(header);
            if (!take(",")) {
                expect('}');
                break;
            }
        }
        skip_blanks();
        if (!text_.empty()) {
            fail("something after '}'");
        }
        if (!header.descr || !header.is_fortran || !header.shape) {
            fail("descr, fortran_order or shape is missing");
        }
        return header;
    }

private:
    [[noreturn]] void fail(const std::string &what) const {
        file_.refuse("its header is broken (" + what + ")", "save the array again with numpy.save");
    }

    void skip_blanks() {
        text_.remove_prefix(std::min(text_.find_first_not_of(" \n\t\r"), text_.size()));
    }

    bool take(std::string_view word) {
        skip_blanks();
        const bool is_there = text_.starts_with(word);
        text_.remove_prefix(is_there ? word.size() : 0);
        return is_there;
    }

    void expect(char c) {
        if (!take({&c, 1})) {
            fail(std::string("no '") + c + "' where one belongs");
        }
    }

    void read_entry(HeaderText &header) {
        const std::string key = string();
        expect(':');
        if (key == "descr" && !header.descr) {
            if (take("[") || take("(")) {
                file_.refuse("its elements are records", std::string(types_taken) + ", a field at a time");
            }
            header.descr = string();
        } else if (key == "fortran_order" && !header.is_fortran) {
            header.is_fortran = take("True");
            if (!*header.is_fortran && !take("False")) {
                fail("fortran_order is neither True nor False");
            }
        } else if (key == "shape" && !header.shape) {
            header.shape = tuple();
        } else {
            fail("'" + key + "' twice or out of place");
        }
    }

    std::string string() {
        const char quote = take("'") ? '\'' : take("\"") ? '"' : '\0';
        if (quote == '\0') {
            fail("no string where one belongs");
        }
        const size_t end = text_.find(quote);
        if (end == std::string_view::npos) {
            fail("a string without end");
        }
        const std::string value(text_.substr(0, end));
        text_.remove_prefix(end + 1);
        return value;
    }

    int64_t integer() {
        skip_blanks();
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range) {
            fail("an extent beyond 2^63");
        }
        if (error != std::errc() || value < 0) {
            fail("no number where one belongs");
        }
        text_.remove_prefix(static_cast<size_t>(end - text_.data()));
        if (text_.starts_with('L')) {
            text_.remove_prefix(1);  // a long integer of Python 2
        }
        return value;
    }

    std::vector<int64_t> tuple() {
        std::vector<int64_t> values;
        expect('(');
        while (!take(")")) {
            values.push_back(integer());
            if (!take(",")) {
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
        file.refuse(fmt::format("it has format {}.{}, and 1.0 to 3.0 are known", major, minor),
            "save it with numpy.lib.format.write_array(file, array, version=(1, 0))");
    }

    uint8_t length_bytes[4] = {};
    file.read_whole(length_bytes, major == 1 ? 2 : 4);
    const int64_t length = int64_t(length_bytes[0]) | int64_t(length_bytes[1]) << 8 |
                           int64_t(length_bytes[2]) << 16 | int64_t(length_bytes[3]) << 24;
    if (length > limits.header_bytes) {
        file.refuse(fmt::format("its header says that it is {} bytes long, and the limit is {}", length,
                        limits.header_bytes),
            "raise NpyLimits::header_bytes if the file is to be trusted");
    }
    std::string text(static_cast<size_t>(length), ' ');
    file.read_whole(text.data(), text.size());
    return HeaderParser(text, file).parse();
}

Type type_of(const std::string &descr, const InputFile &file) {
    const std::string shown = in_quotes(descr);
    if (descr.find('O') != std::string::npos) {
        file.refuse("its elements are Python objects (" + shown + ")", types_taken);
    }
    for (const TypeCode &known : type_codes) {
        if (descr.empty() || descr.substr(1) != known.code) {
            continue;
        }
        if (descr[0] == '<' || descr[0] == '>' || size_of(known.type) == 1) {
            return known.type;
        }
    }
    for (const auto &[code, name, taken] : {std::tuple{"b1", "bool", "uint8"}, {"i1", "int8", "float32"},
             {"i2", "int16", "float32"}, {"i8", "int64", "float32"}}) {
        if (descr.ends_with(code)) {
            file.refuse(fmt::format("its elements are {} ({})", name, shown),
                fmt::format("save array.astype('{}')", taken));
        }
    }
    file.refuse("its elements have type " + shown, types_taken);
}

std::string describe(const std::vector<int64_t> &shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// Refuses a shape that is not taken, and a size that is not the file's, before memory is taken for the
// elements.
void check_size(
    const std::vector<int64_t> &shape, Type type, const InputFile &file, const NpyLimits &limits) {
    if (shape.empty()) {
        file.refuse("it holds a single number, not an array", "save array.reshape(1)");
    }
    if (shape.size() > 8) {
        file.refuse(
            fmt::format("it has {} dimensions, and 1 to 8 are taken", shape.size()), "save it in parts");
    }
    auto bytes = static_cast<int64_t>(size_of(type));
    bool is_over = false;
    for (const int64_t extent : shape) {
        if (extent == 0) {
            file.refuse("it has no elements: its shape is " + describe(shape), "give an array with some");
        }
        if (extent > std::numeric_limits<int32_t>::max()) {
            file.refuse(
                fmt::format("its shape is {}, and an array has at most 2^31 - 1 elements along an axis",
                    describe(shape)),
                "save it in parts");
        }
        is_over = is_over || bytes > limits.bytes / extent;
        bytes = is_over ? bytes : bytes * extent;
    }
    const auto row = static_cast<int64_t>(padded_bytes(static_cast<size_t>(bytes / shape[0])));
    if (is_over || (shape.size() > 1 && row > limits.bytes / shape[0])) {
        file.refuse(fmt::format("its shape is {}, and the limit is {} bytes, with rows that are padded to 64",
                        describe(shape), limits.bytes),
            "raise NpyLimits::bytes if the file is to be trusted");
    }
    if (file.size()) {
        const int64_t there = *file.size() - file.position();
        const std::string sizes =
            fmt::format("{} bytes of elements where its shape {} takes {}", there, describe(shape), bytes);
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
    const Type type = type_of(*header.descr, file);
    check_size(*header.shape, type, file, limits);
    if (*header.is_fortran && header.shape->size() > 3) {
        file.refuse("its elements are in Fortran's order, which is taken of 1 to 3 dimensions",
            "save numpy.ascontiguousarray(array)");
    }
    return {type, header.descr->starts_with('>'), *header.is_fortran, std::move(*header.shape)};
}

std::string npy_header_of(Type type, const std::vector<int64_t> &shape) {
    const auto *known = std::find_if(std::begin(type_codes), std::end(type_codes),
        [&](const TypeCode &code) { return code.type == type; });
    if (known == std::end(type_codes)) {
        throw Error(Fault::usage, "NumPy's files have no code for its type; make it f32",
            {.argument = "array", .value = fmt::format("{} {}", name_of(type), describe(shape))});
    }
    std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
        size_of(type) == 1 ? '|' : '<', known->code, describe(shape));
    const size_t before = magic.size() + 4;
    const size_t length = round_up(before + text.size() + 1, 64) - before;
    text.resize(length - 1, ' ');
    text += '\n';

    std::string header(magic);
    header += {'\x01', '\x00', static_cast<char>(length & 255), static_cast<char>(length >> 8)};
    return header + text;
}

}  // namespace tilewright
