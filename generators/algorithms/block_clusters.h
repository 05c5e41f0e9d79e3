#pragma once
// Blocks of threads that are a cluster and read and write each other's shared memory, on NVIDIA's GPUs from
// compute capability 9.0 on: what generators and runtime must agree on. Halide 21 knows no clusters. So a
// generator calls the two functions below, and with_block_clusters() makes instructions of the calls in the
// text of the module. It refuses what it does not understand.
#include "generators/algorithms/text_lines.h"
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Both begin with cluster_prefix. The kernel has its blocks along x in clusters of `blocks`, so that the
// number of a block in its cluster is its index along x modulo `blocks`.
//
// tw_cluster_word(word, block, blocks): what block number `block` has at the address of shared memory that
// the thread loaded `word` from in its own block.
//
// tw_cluster_words(word of block 0, word of block 1, ...): stands for a word per block of the cluster. Where
// the thread stores it in shared memory, it stores each of the words at that address in its block.
//
// Loads of global memory have a hint: the second cache gets the line of 128 bytes that the word is in. The
// columns of a cluster are a part of that line of each row, and the next cluster reads the rest of it.
//
// Barriers of the block that stand directly before these calls, between them or directly behind them become
// barriers of the cluster. Where none stands behind them, no block ends before all blocks have read.
constexpr std::string_view cluster_prefix = "tw_cluster_", cluster_word_function = "tw_cluster_word",
                           cluster_words_function = "tw_cluster_words";
// The oldest compute capability that has clusters, 9.0.
constexpr int cluster_capability = 90;

namespace tensor_text {

// Makes instructions of the calls in a kernel.
class KernelOfClusters {
public:
    // `lines`: from the kernel's directive to its last bracket.
    explicit KernelOfClusters(std::vector<std::string> lines) : lines_(std::move(lines)) {}

    // Of the module: the shared memory that a launch gives.
    static constexpr std::string_view memory = "tw_shared";

    std::vector<std::string> made() {
        const auto on_call = [&](const Call &call) {
            if (call.function == cluster_word_function) {
                load(call);
            } else if (call.function == cluster_words_function) {
                keep(call);
            } else {
                refuse("the call of '" + call.function + "' is not known");
            }
        };
        for_lines(lines_, named(cluster_prefix), on_call, [&](const std::string &line) {
            if (ends_block(line)) {
                end_block();
            }
            if (line.starts_with("\tld.shared.b64 ")) {
                addresses_["%" + between(line, '%', ',')] = between(line, '[', ']');
            }
            if (line.starts_with(load_)) {
                out_.push_back(line.substr(0, load_.size()) + ".L2::128B" + line.substr(load_.size()));
            } else if (!store(line)) {
                has(line, ".shared.") ? add_local(line) : out_.push_back(line);
            }
        });
        if (last_ == 0) {
            return lines_;
        }
        refuse_loops();
        set_barriers();
        const auto body = std::ranges::find(out_, "{");
        if (body == out_.end()) {
            refuse("a kernel of a cluster has no body");
        }
        out_.insert(body + 1, "\t.reg .b32 \t%twc<2>;\n\t.reg .b64 \t%twm<2>;\n\tmov.u64 \t%twm0, " +
                                  std::string(memory) + ";");
        const std::string size = std::to_string(blocks_);
        out_.insert(std::ranges::find(out_, "{"), ".explicitcluster\n.reqnctapercluster " + size + ", 1, 1");
        return out_;
    }

private:
    static constexpr std::string_view load_ = "\tld.global.nc";
    std::vector<std::string> lines_, out_;
    std::map<std::string, std::string> addresses_;              // by the register that was loaded from there
    std::map<std::string, std::vector<std::string>> to_store_;  // by the register that stands for them
    size_t first_ = 0, last_ = 0, last_load_ = 0;  // of the lines that were made of calls; 0: none
    int blocks_ = 0;

    void end_block() {
        if (!to_store_.empty()) {
            refuse("words for the blocks of a cluster are not stored");
        }
        addresses_.clear();
    }

    void set_blocks(int blocks) {
        if (blocks < 2 || blocks > 8 || (blocks_ > 0 && blocks != blocks_)) {
            refuse("a cluster of " + std::to_string(blocks) + " blocks");
        }
        blocks_ = blocks;
    }

    // Halide counts addresses from 0. The memory of a block begins elsewhere, in each block of a cluster at
    // another address. The text puts the address into %twm1, and gives what is behind it: "+64", or nothing.
    std::string add_address(const std::string &address) {
        const size_t plus = address.find('+');
        if (!address.starts_with('%')) {
            refuse("the address '" + address + "' of shared memory");
        }
        out_.push_back("\tadd.s64 \t%twm1, " + address.substr(0, plus) + ", %twm0;");
        return plus == std::string::npos ? "" : address.substr(plus);
    }

    void add_local(const std::string &line) {
        const size_t begin = line.find('['), end = line.find(']', begin);
        const std::string offset = add_address(between(line, '[', ']'));
        out_.push_back(line.substr(0, begin) + "[%twm1" + offset + line.substr(end));
    }

    // An instruction with an address in another block, in the place of `?`.
    void add(const std::string &address, const std::string &block, const std::string &instruction) {
        const size_t at = instruction.find('?');
        const std::string offset = add_address(address);
        out_.push_back("\tcvt.u32.u64 \t%twc0, %twm1;\n\tmapa.shared::cluster.u32 \t%twc1, %twc0, " + block +
                       ";\n\t" + instruction.substr(0, at) + "[%twc1" + offset + "]" +
                       instruction.substr(at + 1));
        first_ = first_ == 0 ? out_.size() - 1 : first_;
        last_ = out_.size() - 1;
    }

    void load(const Call &call) {
        const auto from = call.operands.empty() ? addresses_.end() : addresses_.find(call.operands[0]);
        if (call.operands.size() != 3 || call.result.empty() || from == addresses_.end()) {
            refuse("a call of " + call.function + " whose word was not loaded from shared memory before it");
        }
        set_blocks(number_behind(call.operands[2], ""));
        add(from->second, call.operands[1], "ld.shared::cluster.b64 \t" + call.result + ", ?;");
        last_load_ = last_;
    }

    void keep(const Call &call) {
        set_blocks((int)call.operands.size());
        if (call.result.empty()) {
            refuse("a call of " + call.function + " without a result");
        }
        to_store_[call.result] = call.operands;
    }

    // Whether the line stores what stands for words.
    bool store(const std::string &line) {
        const size_t value = line.find("], ");
        if (!line.starts_with("\tst.shared.b64 ") || value == std::string::npos) {
            return false;
        }
        const auto words = to_store_.find(line.substr(value + 3, line.find(';') - value - 3));
        if (words == to_store_.end()) {
            return false;
        }
        const std::string address = between(line, '[', ']');
        for (size_t block = 0; block < words->second.size(); block++) {
            add(address, std::to_string(block), "st.shared::cluster.b64 \t?, " + words->second[block] + ";");
        }
        to_store_.erase(words);
        return true;
    }

    // Which line has the label that a line branches to; the number of lines where it does not branch.
    size_t line_of_branch(size_t line) const {
        const std::string &text = out_[line];
        const size_t at = has(text, "bra") ? text.find('$') : std::string::npos;
        if (at == std::string::npos) {
            return out_.size();
        }
        const std::string label = text.substr(at, text.find(';', at) - at) + ":";
        const auto place =
            std::ranges::find_if(out_, [&](const std::string &other) { return other.starts_with(label); });
        return (size_t)(place - out_.begin());
    }

    // The order of the lines is that in which they run, where no loop is around the calls.
    void refuse_loops() const {
        for (size_t i = 0; i < out_.size(); i++) {
            if (const size_t to = line_of_branch(i); to < i && to <= last_) {
                refuse("a loop in a kernel of a cluster");
            }
        }
    }

    // Whether some threads skip the last load, as where a stage has fewer butterflies than there are threads.
    bool is_last_load_skipped() const {
        for (size_t i = 0; i < last_load_; i++) {
            if (const size_t to = line_of_branch(i); to > last_load_ && to < out_.size()) {
                return true;
            }
        }
        return false;
    }

    void set_barriers() {
        const auto is_barrier = [](const std::string &line) { return line.starts_with("\tbar.sync"); };
        const std::string arrive = "\tbarrier.cluster.arrive.release.aligned;",
                          wait = "\tbarrier.cluster.wait.acquire.aligned;";
        size_t before = first_, behind = last_;
        while (before > 0 && !is_barrier(out_[before])) {
            before--;
        }
        while (behind < out_.size() && !is_barrier(out_[behind])) {
            behind++;
        }
        if (before == 0) {
            refuse("no barrier stands before the exchange of a cluster");
        }
        const bool stores = last_ != last_load_, ends = behind == out_.size();
        if (ends && stores) {
            refuse("no barrier stands behind what the blocks of a cluster store");
        }
        for (size_t i = before; i < std::min(behind + 1, out_.size()); i++) {
            if (is_barrier(out_[i])) {
                out_[i] = arrive + "\n" + wait;
            }
        }
        if (ends) {
            if (std::ranges::count(out_, "\tret;") != 1) {
                refuse("a kernel of a cluster has several ends");
            }
            // All threads arrive: those that skip the last load as well.
            const bool is_skipped = is_last_load_skipped();
            const std::string end = wait + "\n\tret;";
            *std::ranges::find(out_, "\tret;") = is_skipped ? arrive + "\n" + end : end;
            if (!is_skipped) {
                out_[last_load_] += "\n" + arrive;
            }
        }
    }
};

}  // namespace tensor_text

// The text with instructions in place of the calls, and then for devices of cluster_capability and newer ones
// alone; other text comes back as it is. Errors: std::runtime_error for text that it does not understand.
inline std::string with_block_clusters(const std::string &text) {
    using namespace tensor_text;
    if (!has(text, cluster_prefix)) {
        return text;
    }
    const std::vector<std::string> lines = lines_of(text);
    std::vector<std::string> all;
    for (auto begin = lines.begin(); begin != lines.end();) {
        // What is before a kernel, as far as to the end of the one before, has no calls.
        const auto entry = std::find_if(
                       begin, lines.end(), [](const std::string &line) { return has(line, ".entry "); }),
                   end = std::find(entry, lines.end(), "}");
        for_lines(
            {begin, entry}, named(cluster_prefix), [](const Call &) {},
            [&](const std::string &line) { all.push_back(line); });
        const std::vector<std::string> kernel = KernelOfClusters({entry, end}).made();
        all.insert(all.end(), kernel.begin(), kernel.end());
        begin = end;
    }
    set_directive(all, ".version ", "8.0");
    set_directive(all, " sm_", "sm_" + std::to_string(cluster_capability));
    const auto size =
        std::ranges::find_if(all, [](const std::string &line) { return line.starts_with(".address_size"); });
    if (size == all.end()) {
        refuse("there is no directive with the size of addresses");
    }
    all.insert(size + 1, ".extern .shared .align 16 .b8 " + std::string(KernelOfClusters::memory) + "[];");
    return text_of(all);
}

}  // namespace tilewright
