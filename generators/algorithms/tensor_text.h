#pragma once
// Products on the tensor cores of NVIDIA's GPUs: what generators and runtime must agree on. Halide 21 knows
// no such instruction. So a generator calls a function per number that an instruction gives
// (generators/algorithms/tensor_products.h), and with_tensor_products() makes instructions of the calls in
// the text of the module. It refuses what it does not understand.
#include "generators/algorithms/tensor_bulk.h"
#include "generators/algorithms/tensor_copies.h"
#include "generators/algorithms/tensor_product.h"
#include "generators/algorithms/text_lines.h"
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

namespace tensor_text {

inline bool names_product(const std::string &text) {
    return has(text, tensor_prefix) || has(text, pair_of_halves) ||
           std::ranges::any_of(lane_products, [&](const LaneProduct &p) { return has(text, p.prefix); });
}

// Makes an instruction, or a chain of them, of all calls of a basic block that have the same operands.
class Products {
public:
    // Of rows, which are copied ahead; none: there are no such products.
    const std::optional<TensorProduct> &of_rows() const {
        return of_rows_;
    }
    // Of products of warps: LaneProduct::ahead.
    int copies_ahead() const {
        return copies_ahead_;
    }

    // The lines with instructions in place of calls.
    std::vector<std::string> made(const std::vector<std::string> &lines) {
        const auto on_call = [&](const Call &called) { call(called); };
        for_lines(lines, names_product, on_call, [&](const std::string &line) {
            if (ends_block(line)) {
                close();
            }
            if (line == "}") {
                out_[body_] = declarations();
            }
            out_.push_back(line);
            if (line == "{") {
                body_ = out_.size();
                out_.emplace_back();
                registers_ = 0;
                has_chains_ = false;
            }
        });
        return std::move(out_);
    }

private:
    struct Group {
        size_t at;                             // the place of the first call
        std::optional<TensorProduct> product;  // none: of a warp
        std::string_view instruction;          // of a warp
        std::vector<std::string> operands, sums, results;
    };
    std::vector<std::string> out_;
    std::vector<Group> groups_;  // of the basic block
    std::optional<TensorProduct> of_rows_;
    size_t body_ = 0;  // where the kernel declares its registers
    int registers_ = 0, copies_ahead_ = 0, labels_ = 0;
    bool has_chains_ = false;

    std::string new_register() {
        return "%twr" + std::to_string(registers_++);
    }

    std::string declarations() const {
        std::string all = "\t.reg .b32 \t%twr<" + std::to_string(registers_ + 1) + ">;";
        if (has_chains_) {
            all += "\n\t.reg .b64 \t%twd<4>;\n\t.reg .pred \t%twp<3>;\n\tsetp.ne.u32 \t%twp0, 0, 0;\n"
                   "\tsetp.eq.u32 \t%twp1, 0, 0;";
        }
        return registers_ > 0 || has_chains_ ? all : "//";
    }

    // What a function stands for.
    struct Wanted {
        std::optional<TensorProduct> product;  // none: of a warp
        int number;                            // of the result
        LaneProduct of_warp = {};

        size_t operands() const {
            return product ? (size_t)(product->words_of_a() + product->parts() + 2 * product->adds() +
                                      product->has_factor()) :
                             LaneProduct::words + 1;
        }
        size_t results() const {
            return product ? (size_t)product->results() : LaneProduct::results;
        }
    };

    static std::optional<Wanted> wanted(const std::string &function) {
        if (const auto known = tensor_result(function)) {
            return Wanted{known->first, known->second};
        }
        const auto of_warp = lane_result(function);
        return of_warp ? std::optional(Wanted{{}, of_warp->second, of_warp->first}) : std::nullopt;
    }

    void call(const Call &call) {
        if (const auto known = wanted(call.function)) {
            add(*known, call);
        } else if (call.function == pair_of_halves && call.operands.size() == 2) {
            out_.push_back("\tcvt.rn.f16x2.f32 \t" + call.result + ", " + call.operands[1] + ", " +
                           call.operands[0] + ";");
        } else {
            refuse("the call of '" + call.function + "' is not known");
        }
    }

    static size_t number_of_result(const std::string &word, size_t results) {
        size_t number = results;
        const char *const end = word.data() + word.size();
        if (std::from_chars(word.data(), end, number).ptr != end || number >= results) {
            refuse("'" + word + "' is the number of no result of a product");
        }
        return number;
    }

    void add(const Wanted &wanted, const Call &call) {
        if (call.operands.size() != wanted.operands() || call.result.empty()) {
            refuse("a call of " + call.function + " has other operands");
        }
        if (!wanted.product) {
            copies_ahead_ = std::max(copies_ahead_, wanted.of_warp.ahead);
            return add_lanes(wanted, call);
        }
        of_rows_ = wanted.product->ahead > 0 ? wanted.product : std::nullopt;
        size_t number = (size_t)wanted.number;
        std::vector<std::string> operands = call.operands;
        std::string sum;
        if (wanted.product->adds()) {
            number = number_of_result(operands.front(), wanted.results());
            sum = operands.back();
            operands = {operands.begin() + 1, operands.end() - 1};
        }
        const bool has_words = wanted.product->ahead == 0;  // of A
        for (size_t part = has_words ? (size_t)wanted.product->words_of_a() : 0;
            part < operands.size() - wanted.product->has_factor(); part++) {
            operands[part] = address_of(operands[part]);
        }
        auto group = std::find_if(groups_.begin(), groups_.end(),
            [&](const Group &g) { return g.product == wanted.product && g.operands == operands; });
        if (group == groups_.end()) {
            groups_.push_back({out_.size(), wanted.product, {}, operands,
                std::vector<std::string>(sum.empty() ? 0 : wanted.results()),
                std::vector<std::string>(wanted.results())});
            group = groups_.end() - 1;
            out_.emplace_back();
        }
        if (!sum.empty()) {
            group->sums[number] = sum;
        }
        std::string &place = group->results[number];
        if (!place.empty()) {
            refuse(call.function + " is called twice");
        }
        place = call.result;
    }

    // The calls of a product of a warp follow each other, because sums that they share registers with may
    // change behind them.
    void add_lanes(const Wanted &wanted, const Call &call) {
        std::vector<std::string> words = call.operands;
        words.pop_back();
        const bool follows = !groups_.empty() && groups_.back().at + 1 == out_.size() &&
                             !groups_.back().product && groups_.back().operands == words &&
                             groups_.back().instruction == wanted.of_warp.instruction &&
                             groups_.back().results[(size_t)wanted.number].empty();
        if (!follows) {
            groups_.push_back({out_.size(), {}, wanted.of_warp.instruction, words,
                std::vector<std::string>(wanted.results(), "0"), std::vector<std::string>(wanted.results())});
            out_.emplace_back();
        }
        groups_.back().sums[(size_t)wanted.number] = call.operands.back();
        groups_.back().results[(size_t)wanted.number] = call.result;
    }

    void close() {
        const auto last = std::find_if(
            groups_.rbegin(), groups_.rend(), [](const Group &group) { return group.product.has_value(); });
        for (Group &group : groups_) {
            for (std::string &result : group.results) {
                result = result.empty() ? new_register() : result;  // nobody reads it
            }
            out_[group.at] = group.product ? chain(group, *group.product) : instruction(group);
            // Sums are read behind the basic block at the earliest, so that its last chain waits for all. Of
            // rows it waits for those of the block of the depth before, where no sum changes its register.
            if (group.product && (!group.product->adds() || &group == &*last)) {
                const bool stays = group.product->ahead > 0 && group.sums == group.results;
                out_[group.at] +=
                    "\n\twgmma.wait_group.sync.aligned " + std::to_string(stays ? groups_.size() : 0) + ";";
            }
            has_chains_ = has_chains_ || group.product;
        }
        groups_.clear();
    }

    // The address of a word of B, which was loaded from shared memory before its product.
    std::string address_of(const std::string &operand) const {
        const std::string word = "\t" + operand + ", [";
        size_t at = out_.size() - 1;
        while (at > body_ && !(out_[at].starts_with("\tld.shared") && has(out_[at], word))) {
            if (has(out_[at], "bar.sync")) {
                refuse("a barrier stands between the load of an operand and its product");
            }
            at--;
        }
        if (at == body_) {
            refuse("an operand of a product is not loaded from shared memory before it");
        }
        return between(out_[at], '[', ']');
    }

    // The descriptor, in register `number`, of an operand at an address. `leading` and `stride` are the two
    // distances of PTX's matrix descriptor, in units of 16 bytes: without swizzle, of the groups of eight
    // along k, and along the columns. Of rows of A the first one is not used, and the second one is that of
    // eight rows; of rows of B they are those of 64 columns, and of eight rows. Swizzle 1 and 2 are of lines
    // of 128 and 64 bytes.
    static std::string descriptor(
        std::string address, int number, long long leading, long long stride, long long swizzle = 0) {
        std::string offset = "0";
        if (const size_t plus = address.find('+'); plus != std::string::npos) {
            offset = address.substr(plus + 1);
            address.resize(plus);
        }
        const std::string d = "%twd" + std::to_string(number), same = "\t" + d + ", " + d + ", ";
        return "\tadd.s64 \t" + d + ", " + address + ", " + offset + ";\n\tshr.u64 " + same +
               "4;\n\tand.b64 " + same + "16383;\n\tor.b64 " + same +
               std::to_string(leading << 16 | stride << 32 | swizzle << 62) + ";\n";
    }

    // Registers in a row, in braces. Constants get registers.
    std::string list(const std::vector<std::string> &values, size_t from, size_t count, std::string &moves) {
        std::string all;
        for (size_t i = from; i < from + count; i++) {
            std::string value = values[i];
            if (!value.starts_with("%")) {
                value = new_register();
                moves += "\tmov.b32 \t" + value + ", " + values[i] + ";\n";
            }
            all += (all.empty() ? "{" : ", ") + value;
        }
        return all + "}";
    }

    std::string instruction(const Group &group) {
        std::string moves;
        const std::string results = list(group.results, 0, group.results.size(), moves);
        const std::string a = list(group.operands, 0, LaneProduct::words_of_a, moves),
                          b = list(group.operands, LaneProduct::words_of_a, LaneProduct::words_of_b, moves),
                          sums = list(group.sums, 0, group.sums.size(), moves);
        return moves + "\t" + std::string(group.instruction) + " \t" + results + ", " + a + ", " + b + ", " +
               sums + ";";
    }

    // The sums before, once those are at their end, where the factor is not 1.
    std::string multiplied_sums(const Group &group) {
        const std::string &factor = group.operands.back(), label = "$TW_same" + std::to_string(labels_++);
        std::string text = "\tsetp.eq.f32 \t%twp2, " + factor + ", 0f3F800000;\n\t@%twp2 bra.uni \t" + label +
                           ";\n\twgmma.wait_group.sync.aligned 0;\n";
        for (const std::string &sum : group.results) {
            text += "\tmul.rn.f32 \t" + sum + ", " + sum + ", " + factor + ";\n";
        }
        return text + label + ":\n";
    }

    // Of rows: eight rows of A, of one block of the depth, are one behind another, and so are eight rows of
    // 64 columns of B. The instruction transposes B.
    static std::string chain_of_rows(const Group &group, const TensorProduct &product,
        const std::string &instruction, const std::string &results) {
        const int pieces = product.depth / 4;
        std::string text = descriptor(group.operands[0], 0, 1, 8LL * pieces, pieces == 8 ? 1 : 2) +
                           descriptor(group.operands[1], 1, 16LL * product.depth, 64, 1) +
                           "\twgmma.fence.sync.aligned;\n";
        for (int step = 0; step < product.steps(); step++) {
            if (step > 0) {
                text += "\tadd.s64 \t%twd2, %twd0, " + std::to_string(2 * step) +
                        ";\n\tadd.s64 \t%twd3, %twd1, " + std::to_string(128 * step) + ";\n";
            }
            text += instruction + results + (step > 0 ? ", %twd2, %twd3" : ", %twd0, %twd1") +
                    ", %twp1, 1, 1, 0, 1;\n";
        }
        return text + "\twgmma.commit_group.sync.aligned;";
    }

    // Per step: low by high, high by low, high by high; the first one does not add. Of numbers of one part
    // their product, which is added to the sums.
    std::string chain(const Group &group, const TensorProduct &product) {
        std::string moves, descriptors, steps;
        const std::string results = list(group.results, 0, group.results.size(), moves);
        for (size_t i = 0; i < group.sums.size(); i++) {
            if (group.sums[i].empty()) {
                refuse("a sum of a product is missing");
            }
            if (group.sums[i] != group.results[i]) {
                if (std::ranges::find(group.sums, group.results[i]) != group.sums.end()) {
                    refuse("a result of a product takes the place of another sum");
                }
                moves += "\tmov.b32 \t" + group.results[i] + ", " + group.sums[i] + ";\n";
            }
        }
        const char *const types[] = {
            "k8.f32.tf32.tf32", "k16.f32.f16.f16", "k16.f32.bf16.bf16", "k16.f32.f16.f16"};
        const int parts = product.parts();
        const std::string instruction = "\twgmma.mma_async.sync.aligned.m64n" +
                                        std::to_string(product.columns) + types[(int)product.numbers] + " \t";
        if (product.ahead > 0) {
            return moves + (product.has_factor() ? multiplied_sums(group) : "") +
                   chain_of_rows(group, product, instruction, results);
        }
        const std::string signs = parts == 2 ? ", 1, 1;\n" : ", 1, 1, 0;\n";  // 0: B is not transposed
        const auto pairs = parts == 2 ? std::vector<std::pair<int, int>>{{1, 0}, {0, 1}, {0, 0}} :
                                        std::vector<std::pair<int, int>>{{0, 0}};
        for (int step = 0; step < product.steps(); step++) {
            for (const auto &[part_a, part_b] : pairs) {
                std::string d = "%twd" + std::to_string(part_b);
                if (step > 0) {
                    steps += "\tadd.s64 \t%twd2, " + d + ", " +
                             std::to_string(2 * parts * step * product.columns) + ";\n";
                    d = "%twd2";
                }
                const std::string a = list(group.operands, (size_t)(4 * (parts * step + part_a)), 4, moves);
                steps += instruction + results + ", " + a + ", " + d +
                         (step == 0 && part_a == 1 ? ", %twp0" : ", %twp1") + signs;
            }
        }
        for (int part = 0; part < parts; part++) {
            descriptors += descriptor(group.operands[(size_t)(product.words_of_a() + part)], part,
                (long long)parts * product.columns, 8);
        }
        return moves + descriptors + "\twgmma.fence.sync.aligned;\n" + steps +
               "\twgmma.commit_group.sync.aligned;";
    }
};

}  // namespace tensor_text

// Whether the text of a module asks for chains of tensor products, or has them.
inline bool has_tensor_products(std::string_view text) {
    return text.find(tensor_prefix) != std::string_view::npos ||
           text.find("\twgmma.") != std::string_view::npos;
}

// The text with instructions in place of the calls; other text, and text that has them, comes back as it is.
// Text with chains of products is for a device of TensorProduct::capability then, and text with products of
// warps for one of LaneProduct::capability and newer ones, whatever it was for. Errors: std::runtime_error
// for text that it does not understand.
inline std::string with_tensor_products(const std::string &text) {
    using namespace tensor_text;
    if (!names_product(text)) {
        return text;
    }
    Products products;
    std::vector<std::string> lines = products.made(lines_of(text));
    if (number_behind(text, before_capability) < LaneProduct::capability) {
        set_directive(lines, ".version ", "7.0");
        set_directive(lines, " sm_", "sm_" + std::to_string(LaneProduct::capability));
    }
    if (has(text, tensor_prefix)) {
        const std::optional<TensorProduct> &rows = products.of_rows();
        lines = (rows ? Copies::of_rows(rows->ahead, rows->tight) : Copies(1, true)).made(lines);
        lines = rows && rows->boxes ? BulkCopies(*rows, lines).made() : std::move(lines);
        if (number_behind(text, ".version ") < 8) {
            set_directive(lines, ".version ", "8.0");
        }
        set_directive(lines, " sm_", "sm_90a");
    } else if (products.copies_ahead() > 0) {
        lines = Copies(products.copies_ahead(), false).made(lines);
    }
    return text_of(lines);
}

}  // namespace tilewright
