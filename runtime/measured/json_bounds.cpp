#include "runtime/measured/json_bounds.h"
#include <array>
#include <cstddef>

namespace tilewright {

// Up to the first mistake of a text this sees strings, brackets and colons as a parser does.
std::string_view why_not_parsed(std::string_view json) {
    constexpr size_t most_depth = 64, most_members = 1000;
    std::array<size_t, most_depth> members = {};
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < json.size(); i++) {
        const char c = json[i];
        if (in_string) {
            i += c == '\\';  // and what follows it
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (depth == most_depth) {
                return "its lists and objects are nested more than 64 deep";
            }
            members[depth++] = 0;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        } else if (c == ':' && depth > 0 && ++members[depth - 1] > most_members) {
            return "an object in it has more than 1000 members";
        }
    }
    return "";
}

}  // namespace tilewright
