#pragma once
// The text of kernels, with the numbers of values and the spaces before lines written so that it packs well.
// Halide and LLVM number the values of a kernel one after another (`int _12 = _10 + _11;`,
// `add.s32 %r12, %r11, %r3;`). So code that is alike has other numbers at each place, and a compressor finds
// no repetition. With distances in place of numbers it is the same text, of which a compressor makes a
// quarter (OpenCL C) or half (PTX) of the bytes. Halide puts as many spaces before a line of OpenCL C as
// blocks surround it, so that code which is alike has other spaces at each depth. With only the change from
// the line before, a compressor makes 41 to 79 % of the bytes of that.
//
// A value is a name and a number: `_12`, `%rd3`, and in PTX also the parameter, label or call `param_3`,
// `$L__BB0_2`, `callseq 7`. The first value of a name in a line counts as its definition. A number that is
// one more than that of the name's last definition becomes the byte `next_value`; any other becomes the byte
// `other_value` and its distance from the last definition.
//
// A line has as many spaces before it as the line before, one more for each byte `deeper`, and one less for
// each byte `shallower`.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tilewright {

constexpr char next_value = '\x01', other_value = '\x02', deeper = '\x03', shallower = '\x04';

// The last definition of a name, and the line that it is in.
struct ValueDefinition {
    std::string_view name;
    int number = 0, line = 0;

    void read(int value, int in_line) {
        if (line != in_line) {
            number = value;
            line = in_line;
        }
    }
};

// The last definitions, while a text is read from its beginning to its end.
class ValueDefinitions {
public:
    ValueDefinition &of(std::string_view name) {
        for (ValueDefinition &known : known_) {
            if (known.name == name) {
                return known;
            }
        }
        return known_.emplace_back(ValueDefinition{name});
    }

private:
    std::vector<ValueDefinition> known_;  // about ten in a text
};

// The name of a value at the end of a text: `_`, `%` and small letters, or one of PTX's; empty where there is
// none.
inline std::string_view value_name_at_end(std::string_view text) {
    for (const std::string_view name : {"param_", "$L__BB0_", "callseq "}) {
        if (text.ends_with(name)) {
            return text.substr(text.size() - name.size());
        }
    }
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    size_t at = text.size();
    while (at > 0 && is_letter(text[at - 1])) {
        at--;
    }
    if (at > 0 && at < text.size() && text[at - 1] == '%') {
        return text.substr(at - 1);
    }
    const bool ends = text.ends_with('_');
    const char before = ends && text.size() > 1 ? text[text.size() - 2] : ' ';
    const bool inside_a_word = before == '_' || is_letter(before) || (before >= 'A' && before <= 'Z') ||
                               (before >= '0' && before <= '9');
    return ends && !inside_a_word ? text.substr(text.size() - 1) : std::string_view();
}

// The text with distances in place of numbers, and changes in place of the spaces before lines; it must not
// have the four bytes above.
inline std::string with_distances(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    ValueDefinitions definitions;
    int line = 1;
    size_t spaces_before = 0;
    // Writes the change of spaces, and returns where the rest of the line begins.
    const auto begin_line = [&](size_t at) {
        const size_t rest = std::min(text.find_first_not_of(' ', at), text.size()), spaces = rest - at;
        out.append(spaces - std::min(spaces, spaces_before), deeper);
        out.append(spaces_before - std::min(spaces, spaces_before), shallower);
        spaces_before = spaces;
        return rest;
    };
    for (size_t at = begin_line(0); at < text.size();) {
        const char c = text[at];
        const bool is_digit = c >= '0' && c <= '9';
        const std::string_view name = is_digit ? value_name_at_end(text.substr(0, at)) : std::string_view();
        int number = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
        const size_t digits = (size_t)(end - text.data()) - at;
        // A number that begins with a zero, or that is too large, is none of a value.
        if (name.empty() || error != std::errc() || (c == '0' && digits > 1)) {
            out += c;
            at++;
            if (c == '\n') {
                line++;
                at = begin_line(at);
            }
            continue;
        }
        ValueDefinition &last = definitions.of(name);
        const int back = last.number - number;
        out += back == -1 ? std::string(1, next_value) : other_value + std::to_string(back);
        last.read(number, line);
        at += digits;
    }
    return out;
}

// The text of which with_distances() made this one; it has `size` bytes.
inline std::string with_numbers(std::string_view text, size_t size) {
    std::string out(size, '\0');  // names of definitions are parts of it
    char *to = out.data(), *const to_end = to + size;
    ValueDefinitions definitions;
    int line = 1;
    size_t spaces = 0;
    bool begins_line = true;
    const auto begin_line = [&] {
        to = std::fill_n(to, begins_line ? std::min(spaces, (size_t)(to_end - to)) : 0, ' ');
        begins_line = false;
    };
    for (const char *at = text.data(), *const end = at + text.size(); at != end && to != to_end;) {
        const char c = *at++;
        if (c == deeper || c == shallower) {
            spaces += c == deeper ? 1 : spaces > 0 ? -1 : 0;
            continue;
        }
        begin_line();
        if (to == to_end) {
            break;
        }
        if (c != next_value && c != other_value) {
            begins_line = c == '\n';
            line += begins_line;
            *to++ = c;
            continue;
        }
        int back = -1;
        if (c == other_value) {
            at = std::from_chars(at, end, back).ptr;
        }
        ValueDefinition &last = definitions.of(value_name_at_end({out.data(), to}));
        const int number = (int)((unsigned)last.number - (unsigned)back);  // whatever the bytes are
        last.read(number, line);
        to = std::to_chars(to, to_end, number).ptr;
    }
    begin_line();
    return out;
}

}  // namespace tilewright
