// Joins the archives of libraries to one.
#include "generators/program/libraries/archive.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace tilewright {

namespace {

// The format: a line, and for each member a header of 60 letters (name 16, times and owners 32, size 10, end
// 2) and its bytes, with a newline after an odd number. GNU's and LLVM's `ar` end a name with '/'. A longer
// name is "/N": it begins at byte N of the member "//".
const std::string magic = "!<arch>\n";
constexpr size_t header_size = 60, name_size = 16, size_at = 48, size_size = 10;

struct Member {
    std::string name, bytes;
};

std::string trimmed(const std::string &text) {
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

// The members of an archive; empty where the file is no archive.
std::optional<std::vector<Member>> read(const std::string &path) {
    std::stringstream stream;
    stream << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string all = stream.str();
    if (!all.starts_with(magic)) {
        return {};
    }
    std::vector<Member> members;
    std::string long_names;
    for (size_t at = magic.size(); at + header_size <= all.size();) {
        std::string name = trimmed(all.substr(at, name_size));
        const size_t size = std::strtoull(all.substr(at + size_at, size_size).c_str(), nullptr, 10),
                     begin = at + header_size;
        if (size > all.size() - begin) {
            return {};
        }
        std::string bytes = all.substr(begin, size);
        at = begin + size + size % 2;
        if (name == "//") {
            long_names = std::move(bytes);
        } else if (name != "/") {  // that is the index
            if (name[0] == '/') {
                const size_t from = std::strtoull(name.c_str() + 1, nullptr, 10);
                name = long_names.substr(std::min(from, long_names.size()));
            }
            members.push_back({name.substr(0, name.find('/')), std::move(bytes)});
        }
    }
    return members;
}

void write_member(std::ostream &out, const std::string &name, const std::string &bytes) {
    char header[header_size + 1];
    std::snprintf(header, sizeof header, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name.c_str(), "0", "0", "0",
        "644", bytes.size());
    out << header << bytes << (bytes.size() % 2 ? "\n" : "");
}

}  // namespace

std::string join_archives(const std::vector<std::string> &archives, const std::string &joined) {
    const std::string unfinished = joined + ".unfinished";
    std::ostringstream out, names;
    std::vector<Member> all;
    for (const std::string &archive : archives) {
        std::optional<std::vector<Member>> members = read(archive);
        if (!members) {
            return archive + " is no archive, or not all of one";
        }
        all.insert(
            all.end(), std::make_move_iterator(members->begin()), std::make_move_iterator(members->end()));
    }
    out << magic;
    for (const Member &member : all) {
        names << member.name << "/\n";
    }
    if (!all.empty()) {
        write_member(out, "//", names.str());
    }
    size_t name_at = 0;
    for (const Member &member : all) {
        write_member(out, "/" + std::to_string(name_at), member.bytes);
        name_at += member.name.size() + 2;
    }
    std::ofstream file(unfinished, std::ios::binary);
    file << out.str();
    file.close();
    std::error_code error;
    if (file) {
        std::filesystem::rename(unfinished, joined, error);
    }
    if (!file || error) {
        std::filesystem::remove(unfinished, error);
        return joined + " cannot be written";
    }
    return "";
}

}  // namespace tilewright
