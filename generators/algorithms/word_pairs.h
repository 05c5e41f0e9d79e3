#pragma once
// Numbers of two words of 64 bits that NVIDIA's GPUs load and store at once: what generators and runtime must
// agree on. Halide 21 accesses such words one by one. So a generator calls word_pairs_function, and
// with_word_pairs() makes one access of each two in the text of the module.
#include "generators/algorithms/text_lines.h"
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

// word_pairs(word) is `word`, and says that all words of 64 bits which the module loads from and stores in
// global memory are the halves of numbers that begin at multiples of 16 bytes.
constexpr std::string_view word_pairs_function = "tw_word_pairs";

namespace tensor_text {

// Makes one access of the two to the words of a number, in each basic block.
class WordPairs {
public:
    std::string made(const std::vector<std::string> &lines) {
        const auto on_call = [&](const Call &call) {
            if (call.operands.size() != 1 || call.result.empty()) {
                refuse("a call of " + call.function + " that is not understood");
            }
            out_.push_back("\tmov.b64 \t" + call.result + ", " + call.operands[0] + ";");
        };
        for_lines(lines, named(word_pairs_function), on_call, [&](const std::string &line) {
            if (ends_block(line) && !halves_.empty()) {
                refuse("a word of global memory without the other one of its number");
            }
            out_.push_back(line);
            if ((line.starts_with("\tld.global") || line.starts_with("\tst.global")) && has(line, ".b64 ")) {
                join(line.starts_with("\tld"));
            }
        });
        std::erase(out_, "");
        return text_of(out_);
    }

private:
    struct Number {
        bool is_load;
        std::string base;
        long long offset;

        auto operator<=>(const Number &) const = default;
    };
    std::vector<std::string> out_;
    std::map<Number, size_t> halves_;  // of which one access was seen: its line

    // The last line is an access.
    void join(bool is_load) {
        const std::string address = between(out_.back(), '[', ']');
        const size_t plus = address.find('+');
        const long long offset = plus == std::string::npos ? 0 : std::stoll(address.substr(plus + 1));
        const bool is_second = (offset & 8) != 0;
        const Number number{is_load, address.substr(0, plus), is_second ? offset - 8 : offset};
        const auto other = halves_.find(number);
        const size_t last = out_.size() - 1;
        if (other == halves_.end()) {
            halves_[number] = last;
            return;
        }
        const size_t first = other->second;
        halves_.erase(other);
        std::string &kept = out_[is_load ? first : last], &dropped = out_[is_load ? last : first];
        const std::string low = word_of(out_[is_second ? first : last]),
                          high = word_of(out_[is_second ? last : first]);
        const std::string words = "{" + low + ", " + high + "}",
                          at = "[" + number.base + "+" + std::to_string(number.offset) + "]",
                          access = kept.substr(0, kept.find(".b64 ")) + ".v2.b64 \t";
        kept = access + (is_load ? words + ", " + at : at + ", " + words) + ";";
        dropped.clear();
    }

    // What an access loads or stores.
    static std::string word_of(const std::string &line) {
        const size_t address = line.find('['), begin = line.find('%'), end = line.find_first_of(",;", begin);
        if (begin < address) {
            return line.substr(begin, end - begin);
        }
        const size_t word = line.find("], ") + 3;
        return line.substr(word, line.find(';') - word);
    }
};

}  // namespace tensor_text

// The text with one access in place of two; other text comes back as it is. Errors: std::runtime_error for
// text that it does not understand.
inline std::string with_word_pairs(const std::string &text) {
    using namespace tensor_text;
    return has(text, word_pairs_function) ? WordPairs().made(lines_of(text)) : text;
}

}  // namespace tilewright
