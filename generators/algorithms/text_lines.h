#pragma once
// The lines of a module's text, for the files that make instructions of its calls: tensor_text.h,
// next_block.h, passing_words.h, word_pairs.h and block_clusters.h.
#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// What stands before the compute capability of a module, 80 of ".target sm_80".
constexpr std::string_view before_capability = " sm_";

// The whole number behind the first `word` of a text; 0 where there is none.
inline int number_behind(std::string_view text, std::string_view word) {
    int number = 0;
    if (const size_t at = text.find(word); at != std::string_view::npos) {
        std::from_chars(text.data() + at + word.size(), text.data() + text.size(), number);
    }
    return number;
}

namespace tensor_text {

[[noreturn]] inline void refuse(const std::string &what) {
    throw std::runtime_error("calls that stand for instructions: " + what +
                             "; the text of the module is not as Halide 21.0.0 writes it");
}

inline bool has(const std::string &line, std::string_view part) {
    return line.find(part) != std::string::npos;
}

inline std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

inline std::string text_of(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) {
        text += line + "\n";
    }
    return text;
}

// What stands between the first `open` of a line and the next `close`.
inline std::string between(const std::string &line, char open, char close) {
    const size_t begin = line.find(open), end = line.find(close, begin);
    if (begin == std::string::npos || end == std::string::npos) {
        refuse("no " + std::string{open, close} + " in '" + line + "'");
    }
    return line.substr(begin + 1, end - begin - 1);
}

// Whether a basic block ends here: what stands before and behind the line does not always run together.
inline bool ends_block(const std::string &line) {
    return line.starts_with("$") || line.starts_with("}") || has(line, "bra") || has(line, "bar.sync") ||
           has(line, "\tret;");
}

// The last line of the declaration that begins at a line; the number of lines where it does not end.
inline size_t end_of_declaration(const std::vector<std::string> &lines, size_t begin) {
    return (size_t)(std::find(lines.begin() + (std::ptrdiff_t)begin, lines.end(), ";") - lines.begin());
}

// A call, which takes several lines.
struct Call {
    std::string function, result;
    std::vector<std::string> operands;
    size_t end;  // its last line; the number of lines where it does not end
};

inline Call call_at(const std::vector<std::string> &lines, size_t begin) {
    Call call{{}, {}, {}, begin};
    for (; call.end < lines.size() && !lines[call.end].starts_with("\t} // callseq"); call.end++) {
        const std::string &line = lines[call.end];
        if (line.starts_with("\tst.param")) {
            call.operands.push_back(line.substr(line.find("], ") + 3));
            call.operands.back().pop_back();
        } else if (const size_t at = line.find("tw_"); at != std::string::npos) {
            call.function = line.substr(at, line.find(',', at) - at);
        } else if (line.starts_with("\tld.param")) {
            call.result = between(line, '\t', ';');
            call.result =
                call.result.substr(call.result.find('%'), call.result.find(',') - call.result.find('%'));
        }
    }
    return call;
}

// Gives each call of the functions that `is_ours` knows by their names to `on_call`, and each other line to
// `on_line`, but for the declarations of these functions. Refuses lines that name them otherwise.
template<typename IsOurs, typename OnCall, typename OnLine>
void for_lines(const std::vector<std::string> &lines, const IsOurs &is_ours, const OnCall &on_call,
    const OnLine &on_line) {
    for (size_t i = 0; i < lines.size(); i++) {
        const std::string &line = lines[i];
        if (line.starts_with(".extern .func") && is_ours(line)) {
            i = end_of_declaration(lines, i);
            continue;
        }
        if (line.starts_with("\t{ // callseq")) {
            const Call call = call_at(lines, i);
            if (call.end == lines.size()) {
                refuse("the call of '" + call.function + "' does not end");
            }
            if (is_ours(call.function)) {
                on_call(call);
                i = call.end;
                continue;
            }
        }
        if (is_ours(line)) {
            refuse("a call is left in '" + line + "'");
        }
        on_line(line);
    }
}

// The function with that name, or those whose names begin with it, for for_lines().
inline auto named(std::string_view name) {
    return [name](const std::string &text) { return has(text, name); };
}

// Sets what stands behind the first word of the directive that has `part`, as ".version 7.0".
inline void set_directive(std::vector<std::string> &lines, std::string_view part, const std::string &to) {
    const auto at = std::find_if(lines.begin(), lines.end(),
        [&](const std::string &line) { return line.starts_with(".") && has(line, part); });
    if (at == lines.end()) {
        refuse("there is no directive with '" + std::string(part) + "'");
    }
    const size_t begin = at->find(' ') + 1;
    at->replace(begin, at->find_first_of(", ", begin) - begin, to);
}

}  // namespace tensor_text

}  // namespace tilewright
