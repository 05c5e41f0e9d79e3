#pragma once
// Words that a kernel reads or writes once, and that the second cache of NVIDIA's GPUs lets go before others:
// what generators and runtime must agree on. Halide 21 has no such hints. So a generator calls
// passing_words_function, and with_passing_words() gives the hints in the text of the module.
#include "generators/algorithms/text_lines.h"
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// passing_words(word, stored) is `word`. The words of global memory that the thread loaded before the call,
// in the same basic block, pass; where `stored` is 1, so do all words that the kernel stores there.
constexpr std::string_view passing_words_function = "tw_passing_words";
// The oldest compute capability that has such hints, 8.0.
constexpr int passing_words_capability = 80;

namespace tensor_text {

// An access to global memory with the policy of %twe: the access begins with so many characters.
inline void let_pass(std::string &line, std::string_view begin) {
    line.insert(begin.size(), ".L2::cache_hint");
    line.insert(line.rfind(';'), ", %twe");
}

// The hints in the kernels of a module.
class PassingWords {
public:
    std::vector<std::string> made(const std::vector<std::string> &lines) {
        for (size_t i = 0; i < lines.size(); i++) {
            const std::string &line = lines[i];
            if (line.starts_with(".extern .func") && has(line, passing_words_function)) {
                i = end_of_declaration(lines, i);
                continue;
            }
            if (line.starts_with("\t{ // callseq")) {
                const Call call = call_at(lines, i);
                if (call.function == passing_words_function) {
                    hint(call);
                    i = call.end;
                    continue;
                }
            }
            if (line.starts_with(load_)) {
                loads_.push_back(out_.size());
            } else if (line.starts_with(store_)) {
                stores_.push_back(out_.size());
            } else if (ends_block(line)) {
                loads_.clear();
            }
            out_.push_back(line);
            if (line == "{") {
                *this = PassingWords(std::move(out_));
            } else if (line == "}") {
                end_kernel();
            }
        }
        return std::move(out_);
    }

    explicit PassingWords(std::vector<std::string> out = {}) : out_(std::move(out)), body_(out_.size()) {}

private:
    static constexpr std::string_view load_ = "\tld.global.nc", store_ = "\tst.global";
    std::vector<std::string> out_;
    size_t body_;                         // where the kernel's first line is
    std::vector<size_t> loads_, stores_;  // lines: of the basic block, and of the kernel
    bool has_hints_ = false, stored_ = false;

    void hint(const Call &call) {
        if (call.operands.size() != 2 || call.result.empty() || loads_.empty() ||
            (call.operands[1] != "0" && call.operands[1] != "1")) {
            refuse("a call of " + call.function + " that is not understood");
        }
        for (const size_t line : loads_) {
            let_pass(out_[line], load_);
        }
        loads_.clear();
        has_hints_ = true;
        stored_ = stored_ || call.operands[1] == "1";
        out_.push_back("\tmov.b64 \t" + call.result + ", " + call.operands[0] + ";");
    }

    void end_kernel() {
        if (has_hints_) {
            for (const size_t line : stored_ ? stores_ : std::vector<size_t>()) {
                let_pass(out_[line], store_);
            }
            out_.insert(out_.begin() + (std::ptrdiff_t)body_,
                "\t.reg .b64 \t%twe;\n\tcreatepolicy.fractional.L2::evict_first.b64 \t%twe, 1.0;");
        }
    }
};

}  // namespace tensor_text

// The text with hints in place of the calls; other text comes back as it is. Errors: std::runtime_error for
// text that it does not understand.
inline std::string with_passing_words(const std::string &text) {
    using namespace tensor_text;
    if (!has(text, passing_words_function)) {
        return text;
    }
    std::vector<std::string> lines = PassingWords().made(lines_of(text));
    set_directive(lines, ".version ", "7.4");
    std::string made;
    for (const std::string &line : lines) {
        made += line + "\n";
    }
    return made;
}

}  // namespace tilewright
