#pragma once
// The copies of tensor_text.h: from global to shared memory, while the tensor cores work.
#include "generators/algorithms/text_lines.h"
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tilewright::tensor_text {

// Makes asynchronous copies of the copies of 16 bytes from global to shared memory: of a load and the store
// of what it loaded. A thread waits for them at the barrier behind them, but for those of the `under_way`
// blocks of the depth that it copied last, which nobody reads before the next barrier. Before it stores to
// shared memory itself, it waits for all. Of products of warps that is the only barrier that is left: a ring
// has two blocks more, and a warp copies into the slot of the block before the last one, which every warp has
// multiplied when it comes to the barrier.
class Copies {
public:
    // of_chains: the products of the kernels are chains (TensorProduct), and not those of warps.
    Copies(int under_way, bool of_chains) : under_way_(under_way), is_of_chains_(of_chains) {}

    // Of rows (TensorProduct::ahead), in a ring of two blocks more, or of one where it is tight. The only
    // barrier that is left stands before the copies: there every thread has the block that it multiplies
    // next, and the products of the block whose slot it copies into now are at their end: the one before the
    // last one, or the last one. Behind the products a barrier becomes the wait for the last ones.
    static Copies of_rows(int ahead, bool tight) {
        Copies made(ahead - 1, true);
        made.ahead_ = ahead;
        made.tight_ = tight;
        return made;
    }

    std::vector<std::string> made(const std::vector<std::string> &lines) {
        for (size_t i = 0; i < lines.size(); i++) {
            const std::string &line = lines[i];
            if (line == "{") {
                count_uses(lines, i);
                has_copies_ = false;
            }
            if (becomes_copy(lines, i)) {
                continue;
            }
            if (ahead_ == 0 && has_copies_ && !stored_ && line.starts_with("\tst.shared")) {
                out_.emplace_back("\tcp.async.wait_group 0;\n\tbar.sync \t0;");
                has_copies_ = false;
            }
            if (!is_of_chains_ && has(line, "bar.sync") && !copied_ && !stored_) {
                continue;
            }
            stored_ = stored_ || line.starts_with("\tst.shared");
            read_ = read_ || line.starts_with("\tld.shared");
            if (has(line, "bar.sync") && (copied_ || stored_)) {
                if (copied_ && !read_ && is_between_copies(lines, i)) {
                    continue;
                }
                if (copied_) {
                    out_.emplace_back("\tcp.async.commit_group;");
                }
                if (ahead_ == 0) {
                    wait();
                }
                copied_ = stored_ = false;
            }
            if (ahead_ > 0 && has(line, "bar.sync")) {
                if (has_products_) {
                    out_.emplace_back("\twgmma.wait_group.sync.aligned 0;");
                }
                waits_ = has_products_;
                continue;
            }
            has_products_ = has_products_ || has(line, "\twgmma.");
            if (ahead_ > 0 && (stored_ || (line == "}" && has_products_ && !waits_))) {
                refuse(stored_ ? "rows are stored to shared memory, and not copied" :
                                 "no barrier stands behind the products of rows");
            }
            read_ = read_ && !has(line, "bar.sync");
            out_.push_back(line);
        }
        return std::move(out_);
    }

private:
    std::map<std::string, int> uses_;       // of the kernel's registers
    std::map<size_t, std::string> stores_;  // lines that become copies
    std::vector<std::string> out_;
    const int under_way_;
    const bool is_of_chains_;
    int ahead_ = 0;  // of rows
    bool tight_ = false;
    bool has_copies_ = false;  // of this kernel, under way
    bool has_products_ = false, waits_ = false;
    bool copied_ = false, stored_ = false, read_ = false;  // since the last barrier that is left

    // Whether the line is a load or a store that a copy stands for. The copy takes the place of the store.
    bool becomes_copy(const std::vector<std::string> &lines, size_t i) {
        if (const size_t store = store_of(lines, i); store != 0) {
            stores_[store] = "\tcp.async.cg.shared.global \t[" + between(lines[store], '[', ']') + "], [" +
                             between(lines[i], '[', ']') + "], 16;";
            return true;
        }
        const auto copy = stores_.find(i);
        if (copy == stores_.end()) {
            return false;
        }
        if (ahead_ > 0 && !copied_) {
            copied_ = true;
            wait();
            if (tight_) {
                out_.emplace_back("\twgmma.wait_group.sync.aligned 0;");
            }
            out_.emplace_back("\tbar.sync \t0;");
        }
        out_.push_back(copy->second);
        copied_ = has_copies_ = true;
        return true;
    }

    // For all copies but the last ones.
    void wait() {
        if (copied_) {
            out_.emplace_back("\tcp.async.wait_group " + std::to_string(under_way_) + ";");
        }
        if (is_of_chains_) {  // which read shared memory past the order of the thread's loads and stores
            out_.emplace_back("\tfence.proxy.async.shared::cta;");
        }
    }

    void count_uses(const std::vector<std::string> &lines, size_t at) {
        uses_.clear();
        for (; at < lines.size() && lines[at] != "}"; at++) {
            for (const std::string &name : registers_in(lines[at])) {
                uses_[name]++;
            }
        }
    }

    static std::vector<std::string> registers_in(const std::string &text) {
        std::vector<std::string> names;
        for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
            size_t end = at + 1;
            while (end < text.size() && std::isalnum((unsigned char)text[end])) {
                end++;
            }
            names.push_back(text.substr(at, end - at));
        }
        return names;
    }

    static bool is_vector(const std::string &line) {  // of 16 bytes
        return has(line, ".v4.b32") || has(line, ".v4.f32") || has(line, ".v4.u32") || has(line, ".v2.b64") ||
               has(line, ".v2.u64") || has(line, ".v2.f64");
    }

    // The line that stores what this line loads, and nobody else uses it; 0 where there is none. Between the
    // two, addresses may be computed.
    size_t store_of(const std::vector<std::string> &lines, size_t load) const {
        if (!lines[load].starts_with("\tld.global") || !is_vector(lines[load])) {
            return 0;
        }
        for (size_t at = load + 1; at < lines.size() && !ends_block(lines[at]); at++) {
            const std::string &line = lines[at];
            if (line.starts_with("\tst.") || line.starts_with("\tld.")) {
                const bool fits = line.starts_with("\tst.shared") && is_vector(line) &&
                                  between(line, '{', '}') == between(lines[load], '{', '}');
                const auto names = registers_in(between(lines[load], '{', '}'));
                const bool once = std::all_of(
                    names.begin(), names.end(), [&](const std::string &name) { return uses_.at(name) == 2; });
                return fits && once ? at : 0;
            }
        }
        return 0;
    }

    // Whether a barrier stands before a run of copies to shared memory, and nobody reads there before the
    // next barrier of its basic block. Behind another run of copies it orders nothing then.
    static bool is_between_copies(const std::vector<std::string> &lines, size_t barrier) {
        bool copies = false;
        for (size_t at = barrier + 1; at < lines.size(); at++) {
            if (has(lines[at], "bar.sync")) {
                return copies;
            }
            if (ends_block(lines[at]) || lines[at].starts_with("\tld.shared")) {
                return false;
            }
            copies = copies || lines[at].starts_with("\tst.shared");
        }
        return false;
    }
};

}  // namespace tilewright::tensor_text
