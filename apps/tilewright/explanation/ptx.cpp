// Reads instructions such as `ld.global.nc.v4.b32`.
#include "apps/tilewright/explanation/ptx.h"
#include "apps/tilewright/terminal/printing.h"
#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace tilewright::app {

namespace {

// The number behind the first letters: 32 of "b32", 4 of "v4". Nothing where there is none.
std::optional<int> number_in(const std::string &word) {
    const size_t digits = word.find_first_of("0123456789");
    int number = 0;
    if (digits == std::string::npos ||
        std::from_chars(word.data() + digits, word.data() + word.size(), number).ec != std::errc()) {
        return {};
    }
    return number;
}

std::string name_of_instruction(const std::string &word) {
    return word == "ld" ? "load" : word == "st" ? "store" : word == "atom" || word == "red" ? "atomic" : "";
}

// The access that an instruction is, without its count; nothing where it is none of memory.
std::optional<PtxAccess> access_of(const std::string &instruction) {
    const std::vector<std::string> words = parted(instruction, '.');
    const std::string what = words.empty() ? "" : name_of_instruction(words.front());
    const auto has = [&](const char *word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    const std::string space = has("global") ? "global" :
                              has("shared") ? "shared" :
                              has("local")  ? "local" :
                                              "";
    const std::optional<int> bits = number_in(words.empty() ? "" : words.back());
    if (what.empty() || space.empty() || !bits) {
        return {};
    }
    const int lanes = has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1;
    return PtxAccess{space + " " + what, *bits / 8 * lanes, 1};
}

}  // namespace

std::vector<PtxAccess> accesses_in(const std::string &ptx) {
    std::vector<PtxAccess> all;
    std::istringstream lines(ptx);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word.starts_with("@")) {  // it runs where a predicate holds
            words >> word;
        }
        const std::optional<PtxAccess> access = access_of(word);
        if (!access) {
            continue;
        }
        const auto known = std::find_if(all.begin(), all.end(),
            [&](const PtxAccess &a) { return a.kind == access->kind && a.bytes == access->bytes; });
        if (known == all.end()) {
            all.push_back(*access);
        } else {
            known->count++;
        }
    }
    return all;
}

}  // namespace tilewright::app
