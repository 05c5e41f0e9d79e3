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

// passing_words(word, are_stored) is `word`, and says which words of global memory pass: those that the
// thread loaded before the call, in the same basic block, or, where `are_stored` is 1, all that the kernel
// stores.
constexpr std::string_view passing_words_function = "tw_passing_words";
// The oldest compute capability that has such hints, 8.0.
constexpr int passing_words_capability = 80;

namespace tensor_text {

// The hints in the kernels of a module, whose lines and calls it is given one after another.
class PassingWords {
public:
    std::vector<std::string> lines;

    void take(const std::string &line) {
        if (line.starts_with(load_)) {
            loads_.push_back(lines.size());
        } else if (line.starts_with(store_)) {
            stores_.push_back(lines.size());
        } else if (ends_block(line)) {
            loads_.clear();
        }
        lines.push_back(line);
        if (line == "{") {
            *this = PassingWords(std::move(lines));
        } else if (line == "}") {
            end_kernel();
        }
    }

    void hint(const Call &call) {
        const bool are_stored = call.operands.size() == 2 && call.operands[1] == "1";
        if (call.operands.size() != 2 || call.result.empty() || (!are_stored && call.operands[1] != "0") ||
            (!are_stored && loads_.empty())) {
            refuse("a call of " + call.function + " that is not understood");
        }
        if (are_stored) {
            stores_pass_ = true;
        } else {
            let_pass(loads_, load_);
            loads_.clear();
            loads_pass_ = true;
        }
        lines.push_back("\tmov.b64 \t" + call.result + ", " + call.operands[0] + ";");
    }

    explicit PassingWords(std::vector<std::string> made = {}) : lines(std::move(made)), body_(lines.size()) {}

private:
    static constexpr std::string_view load_ = "\tld.global.nc", store_ = "\tst.global";
    size_t body_;                         // where the kernel's first line is
    std::vector<size_t> loads_, stores_;  // lines: of the basic block, and of the kernel
    bool loads_pass_ = false, stores_pass_ = false;

    // Accesses that begin with these characters get the policy of %twe.
    void let_pass(const std::vector<size_t> &accesses, std::string_view begin) {
        for (const size_t access : accesses) {
            std::string &line = lines[access];
            line.insert(begin.size(), ".L2::cache_hint");
            line.insert(line.rfind(';'), ", %twe");
        }
    }

    void end_kernel() {
        if (stores_pass_) {
            let_pass(stores_, store_);
        }
        if (loads_pass_ || stores_pass_) {
            lines.insert(lines.begin() + (std::ptrdiff_t)body_,
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
    PassingWords words;
    for_lines(
        lines_of(text), named(passing_words_function), [&](const Call &call) { words.hint(call); },
        [&](const std::string &line) { words.take(line); });
    set_directive(words.lines, ".version ", "7.4");
    return text_of(words.lines);
}

}  // namespace tilewright
