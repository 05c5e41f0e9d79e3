#pragma once
// What blocks of threads read next, fetched into the second cache of NVIDIA's GPUs: what generators and
// runtime must agree on. Halide 21 has no such instruction. So a generator calls next_block_function, and
// with_next_blocks() makes instructions of the call in the text of the module.
#include "generators/algorithms/block_clusters.h"
#include "generators/algorithms/passing_words.h"
#include "generators/algorithms/tensor_text.h"
#include "generators/algorithms/word_pairs.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// next_block(word, ahead, columns) is `word`, and fetches what the block reads that begins `ahead` quarters
// of a round later: one round is as many blocks as the device has multiprocessors. A block reads so many
// neighbouring columns of 8 bytes, which threads that are side by side along x have, and the next block those
// behind them. What is fetched has the addresses that the thread loaded from before the call, as far on. Of
// the 16 threads, of one block or of several, whose columns are in the same lines of 128 bytes, each one
// fetches each 16th line.
constexpr std::string_view next_block_function = "tw_next_block";

namespace tensor_text {

inline std::string next_block_text(const Call &call, const std::vector<std::string> &addresses) {
    const auto is_number = [](const std::string &operand) {
        return !operand.empty() && operand.find_first_not_of("0123456789") == std::string::npos;
    };
    if (call.operands.size() != 3 || call.result.empty() || addresses.empty() ||
        !is_number(call.operands[2])) {
        refuse("a call of " + std::string(next_block_function) + " that is not understood");
    }
    const std::string &ahead = call.operands[1], &columns = call.operands[2];
    std::string text =
        "\t{\n\t.reg .pred \t%twq<2>;\n\t.reg .b32 \t%twn<3>;\n\t.reg .b64 \t%twa<2>;\n"
        // %twn0: how many blocks the other one is ahead; %twa0: how many bytes
        "\tmov.u32 \t%twn0, %nsmid;\n\tshr.u32 \t%twn0, %twn0, 2;\n\tmul.lo.s32 \t%twn0, %twn0, " +
        ahead + ";\n\tmul.wide.u32 \t%twa0, %twn0, " + std::to_string(8 * std::stoul(columns)) +
        // %twn2: which of the 16 threads of a line this one is
        ";\n\tmov.u32 \t%twn1, %ctaid.x;\n\tmov.u32 \t%twn2, %tid.x;\n"
        "\tmad.lo.s32 \t%twn2, %twn1, " +
        columns +
        ", %twn2;\n\tand.b32 \t%twn2, %twn2, 15;\n"
        // %twq0: whether the grid has that block
        "\tadd.s32 \t%twn0, %twn0, %twn1;\n\tmov.u32 \t%twn1, %nctaid.x;\n"
        "\tsetp.lt.u32 \t%twq0, %twn0, %twn1;\n";
    for (size_t i = 0; i < addresses.size(); i++) {
        const size_t plus = addresses[i].find('+');
        text += "\tsetp.eq.and.u32 \t%twq1, %twn2, " + std::to_string(i % 16) +
                ", %twq0;\n\tadd.s64 \t%twa1, " + addresses[i].substr(0, plus) +
                ", %twa0;\n\t@%twq1 prefetch.global.L2 \t[%twa1" +
                (plus == std::string::npos ? "" : addresses[i].substr(plus)) + "];\n";
    }
    return text + "\tmov.b64 \t" + call.result + ", " + call.operands[0] + ";\n\t}";
}

}  // namespace tensor_text

// The text with instructions in place of the calls; other text comes back as it is. Errors:
// std::runtime_error for text that it does not understand.
inline std::string with_next_blocks(const std::string &text) {
    using namespace tensor_text;
    if (!has(text, next_block_function)) {
        return text;
    }
    std::vector<std::string> addresses, made;  // addresses: that the basic block loaded from
    const auto on_call = [&](const Call &call) { made.push_back(next_block_text(call, addresses)); };
    for_lines(lines_of(text), named(next_block_function), on_call, [&](const std::string &line) {
        if (line.starts_with("\tld.global")) {
            addresses.push_back(between(line, '[', ']'));
        } else if (ends_block(line)) {
            addresses.clear();
        }
        made.push_back(line);
    });
    return text_of(made);
}

// The text of a CUDA module with instructions in place of all calls that stand for some.
inline std::string with_instructions(const std::string &text) {
    return with_tensor_products(
        with_block_clusters(with_next_blocks(with_passing_words(with_word_pairs(text)))));
}

}  // namespace tilewright
