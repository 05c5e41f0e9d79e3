#pragma once
// What generators and runtime must agree on of the modules of kernels, whose text is assembled later.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

// The text with a directive at the entry of each kernel whose name contains that of a cap:
// `.entry name(parameters)\n.maxnreg 96\n{`. A cap has the members `kernel` and `most`; the first one counts.
template<typename Cap>
std::string with_register_caps(const std::string &text, const std::vector<Cap> &caps) {
    const std::string entry = ".entry ";
    std::string capped;
    size_t done = 0;
    for (size_t at = text.find(entry); at != std::string::npos; at = text.find(entry, at)) {
        at += entry.size();
        const std::string name = text.substr(at, text.find_first_of("( \n", at) - at);
        const size_t body = text.find('{', at);
        const auto cap = std::find_if(
            caps.begin(), caps.end(), [&](const Cap &c) { return name.find(c.kernel) != std::string::npos; });
        if (body == std::string::npos || cap == caps.end()) {
            continue;
        }
        capped += text.substr(done, body - done) + ".maxnreg " + std::to_string(cap->most) + "\n";
        done = body;
    }
    return capped + text.substr(done);
}

// A number that stands for a module, register caps included: FNV-1a of 64 bits. White space at the end does
// not count, because the file that Halide writes has one line end more than the text in the library.
inline uint64_t key_of_module(std::string_view text) {
    uint64_t key = 14695981039346656037u;
    for (const char c : text.substr(0, text.find_last_not_of(" \n") + 1)) {
        key = (key ^ (unsigned char)c) * 1099511628211u;
    }
    return key;
}

// Where PTX of the same kernels is behind OpenCL C (generators/program/libraries/kernel_ptx.h): in a comment,
// so that other programs than ours may compile the whole text.
constexpr std::string_view assembly_begin = "\n/* PTX:\n", assembly_end = "*/\n";

// The parts of such a text; each may be empty.
struct OpenClText {
    std::string source, assembly;

    explicit OpenClText(std::string text) {
        const size_t at = text.find(assembly_begin);
        if (at != std::string::npos) {
            const size_t begin = at + assembly_begin.size();
            assembly = text.substr(begin, text.rfind(assembly_end) - begin);
            text.resize(at);
        }
        source = std::move(text);
    }
};

// What an operator's own library has in place of its kernels' text: the text is with those of the libraries
// that are alike (tilewright/kernel_texts.h). Text of PTX or OpenCL C begins with other bytes.
struct TextElsewhere {
    char mark[8];
    uint64_t key;  // key_of_module() of the text
};
constexpr std::string_view elsewhere_mark = "\x7f"
                                            "texts:";

}  // namespace tilewright
