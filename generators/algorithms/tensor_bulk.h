#pragma once
// Copies of rows by the tensor memory accelerator of compute capability 9.0, in place of those of
// tensor_copies.h.
#include "generators/algorithms/tensor_product.h"
#include "generators/algorithms/text_lines.h"
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::tensor_text {

// Makes copies of boxes of the copies that all threads make: 64 rows of 128 bytes, by one instruction of one
// thread. A kernel gets a parameter per matrix, which the launch fills: a description of the matrix by the
// driver, and the distance of its rows (TensorMap, runtime/devices/cuda/tensor_maps.h). Each block of the
// depth in shared memory has a barrier behind all blocks, which says when its boxes are there.
class BulkCopies {
public:
    // The text has one kernel with products.
    BulkCopies(const TensorProduct &product, const std::vector<std::string> &texts)
        : slots_(product.ahead + 2) {
        for (const std::string &text : texts) {  // of a line or more
            add(lines_, text);
        }
    }

    std::vector<std::string> made() {
        const size_t wait = find("cp.async.wait_group", 0), end = find("cp.async.commit_group", wait),
                     products = find("wgmma.fence", end);
        find_tiles(wait, end);
        std::vector<std::string> all;
        for (size_t at = 0; at < lines_.size(); at++) {
            const std::string &line = lines_[at];
            const bool is_of_threads =
                at >= wait && at <= end && (has(line, "cp.async") || has(line, "fence.proxy"));
            if (at == products) {
                add(all, wait_for_block());
            }
            if (line == ")" && has(lines_[at - 1], kernel_ + "_param_")) {
                all.back() += parameters();
            }
            if (!is_of_threads) {
                all.push_back(line);
            }
            if (line.starts_with("\t.reg .b64 \t%twd")) {
                add(all, barriers());
            } else if (line.starts_with(descriptor_of_a)) {
                add(all, same_in_a_warp);
            } else if (at == end) {
                add(all, copies());
            }
        }
        if (std::ranges::any_of(all, [](const std::string &line) { return has(line, "cp.async.cg"); })) {
            refuse("copies by all threads are left beside those of boxes");
        }
        return all;
    }

private:
    static constexpr int box = 8192;  // bytes
    // The address in the descriptor of A, which is the same in all lanes of a warp. The compiler keeps it in
    // a register of the warp where it sees that.
    static constexpr std::string_view descriptor_of_a = "\tadd.s64 \t%twd0, ";
    static constexpr const char *same_in_a_warp =
        "\tcvt.u32.u64 \t%twm8, %twd0;\n\tshfl.sync.idx.b32 \t%twm8, %twm8, 0, 31, 0xffffffff;\n"
        "\tcvt.u64.u32 \t%twd0, %twm8;";

    // The copies of a block of a matrix to shared memory.
    struct Tile {
        std::string to, from;                            // registers of addresses, of the first copy
        long long to_offset, from_offset, step, copies;  // behind them; of the next copy; how many there are
        std::string base, parameter;  // the matrix: a register, and the number of the kernel's parameter

        long long boxes() const {
            return copies * step / box;
        }
    };
    const int slots_;
    std::vector<std::string> lines_;
    std::string kernel_;
    Tile a_, b_;

    static void add(std::vector<std::string> &all, const std::string &text) {
        const std::vector<std::string> lines = lines_of(text);
        all.insert(all.end(), lines.begin(), lines.end());
    }

    size_t find(std::string_view part, size_t from) const {
        for (size_t at = from; at < lines_.size(); at++) {
            if (has(lines_[at], part)) {
                return at;
            }
        }
        refuse("no '" + std::string(part) + "' is among the copies of boxes");
    }

    // "%rd1+16": the register and the number.
    static std::pair<std::string, long long> address(const std::string &text) {
        const size_t plus = text.find('+');
        return {text.substr(0, plus), plus == std::string::npos ? 0 : std::stoll(text.substr(plus + 1))};
    }

    // Copies that follow each other in shared memory are those of a tile. The products say where A begins.
    void find_tiles(size_t begin, size_t end) {
        std::vector<Tile> tiles;
        long long last = 0;
        for (size_t at = begin; at < end; at++) {
            const std::string &line = lines_[at];
            if (!has(line, "cp.async.cg")) {
                continue;
            }
            const auto [to, to_offset] = address(between(line, '[', ']'));
            const auto [from, from_offset] = address(between(line.substr(line.find(']') + 1), '[', ']'));
            const long long step = to_offset - last;
            if (!tiles.empty() && tiles.back().to == to &&
                (tiles.back().copies == 1 || tiles.back().step == step)) {
                tiles.back().step = step;
                tiles.back().copies++;
            } else {
                tiles.push_back({to, from, to_offset, from_offset, 0, 1, {}, {}});
            }
            last = to_offset;
        }
        for (Tile &tile : tiles) {
            if (tile.step <= 0 || box % tile.step != 0 || tile.copies * tile.step % box != 0) {
                refuse("the copies of rows are not those of whole boxes");
            }
            find_matrix(tile);
        }
        const std::string &descriptor = lines_[find(descriptor_of_a, 0)];
        const auto is_a = [&](const Tile &tile) {
            return descriptor.ends_with(", " + std::to_string(tile.to_offset) + ";");
        };
        if (tiles.size() != 2 || is_a(tiles[0]) == is_a(tiles[1])) {
            refuse("the copies of boxes are not those of two matrices");
        }
        a_ = tiles[is_a(tiles[0]) ? 0 : 1];
        b_ = tiles[is_a(tiles[0]) ? 1 : 0];
    }

    // The first operand of the instruction that gives a register its value.
    std::string operand_of(const std::string &instruction, const std::string &name) const {
        const std::string begin = "\t" + instruction + " \t" + name + ", ";
        const std::string &line = lines_[find(begin, 0)];
        return line.substr(begin.size(), line.find_first_of(",;", begin.size()) - begin.size());
    }

    void find_matrix(Tile &tile) {
        tile.base = operand_of("add.s64", tile.from);
        const std::string name = operand_of("ld.param.b64", operand_of("cvta.to.global.u64", tile.base));
        constexpr std::string_view word = "_param_";
        const size_t at = name.rfind(word), number = at + word.size();
        kernel_ = name.substr(1, at - 1);
        tile.parameter = name.substr(number, name.size() - number - 1);
    }

    std::string map_of(const Tile &tile) const {
        return kernel_ + "_map_" + tile.parameter;
    }

    std::string parameters() const {
        const std::string begin = ",\n\t.param .align 64 .b8 ";
        return begin + map_of(a_) + "[192]" + begin + map_of(b_) + "[192]";
    }

    // %twm0: the first barrier. %twm1 and %twm5: the place in shared memory of the block that is multiplied
    // next, and the phase of its barrier. %twm2: the block that is copied next; %twm3: its place. %twm6 and
    // %twm7: the first row of A and column of B. %twe0: where the last block was copied from.
    std::string barriers() const {
        std::string text = "\t.reg .b32 \t%twm<11>;\n\t.reg .b64 \t%twe<3>;\n\t.reg .pred \t%twq<3>;\n"
                           "\tmov.u32 \t%twm0, %dynamic_smem_size;\n\tadd.s32 \t%twm0, %twm0, -128;\n"
                           "\tmov.u32 \t%twm1, %tid.x;\n\tsetp.ne.u32 \t%twq0, %twm1, 0;\n"
                           "\tmov.b64 \t%twe0, 0;\n";
        for (const std::string number : {"1", "2", "3", "5", "6", "7"}) {
            text += "\tmov.b32 \t%twm" + number + ", 0;\n";
        }
        text += "\t@%twq0 bra \t$TW_made;\n";
        for (int slot = 0; slot < slots_; slot++) {
            text += "\tmbarrier.init.shared::cta.b64 \t[%twm0+" + std::to_string(8 * slot) + "], 1;\n";
        }
        return text + "\tfence.mbarrier_init.release.cluster;\n$TW_made:\n\tbar.sync \t0;\n";
    }

    // The barrier of the block at a place, in %twm4.
    static std::string barrier_of(const std::string &place) {
        return "\tshl.b32 \t%twm4, " + place + ", 3;\n\tadd.s32 \t%twm4, %twm4, %twm0;\n";
    }
    // The place of the next block; %twq1: whether it is the first one again. (The compiler makes divisions of
    // floats of a remainder by 4.)
    std::string next(const std::string &place) const {
        return "\tadd.s32 \t" + place + ", " + place + ", 1;\n\tsetp.eq.u32 \t%twq1, " + place + ", " +
               std::to_string(slots_) + ";\n\t@%twq1 mov.b32 \t" + place + ", 0;\n";
    }

    std::string wait_for_block() const {
        return barrier_of("%twm1") +
               "$TW_wait:\n\tmbarrier.try_wait.parity.shared::cta.b64 \t%twq1, [%twm4], %twm5;\n"
               "\t@!%twq1 bra \t$TW_wait;\n" +
               next("%twm1") + "\t@%twq1 xor.b32 \t%twm5, %twm5, 1;\n";
    }

    // The row and the column of a matrix where a thread copies first, in %twm9 and %twm10.
    std::string begin_of(const Tile &tile) const {
        return "\tsub.s64 \t%twe1, " + tile.from + ", " + tile.base + ";\n\tadd.s64 \t%twe1, %twe1, " +
               std::to_string(tile.from_offset) +
               ";\n\tshr.u64 \t%twe1, %twe1, 4;\n\tcvt.u32.u64 \t%twm8, %twe1;\n\tld.param.u32 \t%twm10, [" +
               map_of(tile) +
               "+128];\n\tdiv.u32 \t%twm9, %twm8, %twm10;\n\tmul.lo.u32 \t%twm10, %twm10, %twm9;\n"
               "\tsub.s32 \t%twm10, %twm8, %twm10;\n\tshl.b32 \t%twm10, %twm10, 3;\n";
    }

    // The boxes of a tile, where %twm9 and %twm10 are the row and the column of the first one. `along` is the
    // register that the next one changes.
    std::string boxes_of(const Tile &tile, const std::string &along) const {
        const std::string size = std::to_string(box);
        std::string text = "\tmad.lo.u32 \t%twm8, %twm3, " + std::to_string(tile.copies * tile.step) + ", " +
                           std::to_string(tile.to_offset) + ";\n\tmov.b64 \t%twe2, " + map_of(tile) +
                           ";\n\tcvta.param.u64 \t%twe2, %twe2;\n";
        for (long long i = 0; i < tile.boxes(); i++) {
            text += i == 0 ? "" :
                             "\tadd.s32 \t" + along + ", " + along + ", 64;\n\tadd.s32 \t%twm8, %twm8, " +
                                 size + ";\n";
            text += "\tcp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes \t"
                    "[%twm8], [%twe2, {%twm10, %twm9}], [%twm4];\n";
        }
        return text;
    }

    // Of a block. Where it begins in the matrices is found once, from the addresses of the first block. The
    // instructions are fast where the compiler sees that operands are the same in all lanes of a warp. Behind
    // the last block the addresses are those of the last block again, and nothing is copied.
    std::string copies() const {
        return "\tsetp.ne.u32 \t%twq1, %twm2, 0;\n\t@%twq1 bra \t$TW_known;\n" + begin_of(a_) +
               "\tmov.b32 \t%twm6, %twm9;\n" + begin_of(b_) +
               "\tmov.b32 \t%twm7, %twm10;\n$TW_known:\n"
               "\tshfl.sync.idx.b32 \t%twm6, %twm6, 0, 31, 0xffffffff;\n"
               "\tshfl.sync.idx.b32 \t%twm7, %twm7, 0, 31, 0xffffffff;\n" +
               barrier_of("%twm3") + "\tsetp.eq.or.b64 \t%twq2, " + a_.from +
               ", %twe0, %twq0;\n\tmov.b64 \t%twe0, " + a_.from + ";\n\t@%twq2 bra \t$TW_copied;\n" +
               "\tmbarrier.arrive.expect_tx.shared::cta.b64 \t_, [%twm4], " +
               std::to_string((a_.boxes() + b_.boxes()) * box) +
               ";\n\tmov.b32 \t%twm9, %twm6;\n\tshl.b32 \t%twm10, %twm2, 6;\n" + boxes_of(a_, "%twm9") +
               "\tshl.b32 \t%twm9, %twm2, 6;\n\tmov.b32 \t%twm10, %twm7;\n" + boxes_of(b_, "%twm10") +
               "$TW_copied:\n\tbar.warp.sync \t0xffffffff;\n\tadd.s32 \t%twm2, %twm2, 1;\n" + next("%twm3");
    }
};

}  // namespace tilewright::tensor_text
