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
// thread. Sums go to shared memory, in the place of the blocks of the depth, from where the accelerator
// stores boxes of 64 rows and 32 columns; what is beyond the end of the matrix, it leaves out. A kernel gets
// a parameter per matrix, which the launch fills: a description of the matrix by the driver, and how many
// boxes are side by side in it (TensorMap, runtime/devices/cuda/tensor_maps.h). Each block of the depth in
// shared memory has a barrier behind all blocks, which says when its boxes are there. The first blocks are
// copied before anything else.
//
// Thread block (x, y, z) computes tile y of the rows and tile x + z n of the columns, where n is their number
// along x (MatmulFragments::store_in_groups).
class BulkCopies {
public:
    // The text has one kernel with products.
    BulkCopies(const TensorProduct &product, const std::vector<std::string> &texts)
        : ahead_(product.ahead), slots_(product.ahead + 2), columns_(product.columns) {
        for (const std::string &text : texts) {  // of a line or more
            add(lines_, text);
        }
    }

    std::vector<std::string> made() {
        const size_t wait = find("cp.async.wait_group", 0), end = find("cp.async.commit_group", wait),
                     products = find("wgmma.mma_async", end), fence = find("wgmma.fence", end);
        find_tiles(wait, end);
        const size_t stores = end_of_sums(), last = end_of_stores(stores);
        const std::string stored = stores_of(sums_at(products), stores, last);
        std::vector<std::string> all;
        for (size_t at = 0; at < lines_.size(); at++) {
            if (at == stores) {
                add(all, stored);
                at = last;
            }
            const std::string &line = lines_[at];
            const bool is_of_threads =
                at >= wait && at <= end && (has(line, "cp.async") || has(line, "fence.proxy"));
            if (at == fence) {
                add(all, wait_for_block());
            }
            if (line == ")" && has(lines_[at - 1], kernel_ + "_param_")) {
                all.back() += parameters();
            }
            if (!is_of_threads) {
                all.push_back(line);
            }
            if (line.starts_with("\t.reg .b64 \t%twd")) {
                add(all, begin());
            } else if (line.starts_with(descriptor_of_a)) {
                add(all, same_in_a_warp);
            } else if (at == end) {
                add(all, copies());
            }
        }
        if (std::ranges::any_of(all,
                [](const std::string &line) { return has(line, "cp.async.cg") || has(line, "ld.global"); })) {
            refuse("threads read beside the copies of boxes");
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
        std::string to, from;               // registers of addresses, of the first copy
        long long to_offset, step, copies;  // behind `to`; of the next copy; how many there are
        std::string parameter;              // of the kernel, which is the matrix: its number

        long long boxes() const {
            return copies * step / box;
        }
    };
    const int ahead_, slots_, columns_;
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
            const std::string from = address(between(line.substr(line.find(']') + 1), '[', ']')).first;
            const long long step = to_offset - last;
            if (!tiles.empty() && tiles.back().to == to &&
                (tiles.back().copies == 1 || tiles.back().step == step)) {
                tiles.back().step = step;
                tiles.back().copies++;
            } else {
                tiles.push_back({to, from, to_offset, 0, 1, {}});
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
        const std::string base = operand_of("add.s64", tile.from);
        const std::string name = operand_of("ld.param.b64", operand_of("cvta.to.global.u64", base));
        constexpr std::string_view word = "_param_";
        const size_t at = name.rfind(word), number = at + word.size();
        kernel_ = name.substr(1, at - 1);
        tile.parameter = name.substr(number, name.size() - number - 1);
    }

    std::string map_of(const std::string &parameter) const {
        return kernel_ + "_map_" + parameter;
    }

    std::string parameters() const {
        std::string all;
        for (const std::string &map : {map_of(a_.parameter), map_of(b_.parameter), map_of_output()}) {
            all += ",\n\t.param .align 64 .b8 " + map + "[192]";
        }
        return all;
    }

    // The output is the third address among the kernel's parameters.
    std::string map_of_output() const {
        for (const std::string &line : lines_) {
            const size_t at = line.rfind("_param_");
            const std::string number =
                has(line, ".param .u64 .ptr ") ? line.substr(at + 7, line.find(',', at) - at - 7) : "";
            if (!number.empty() && number != a_.parameter && number != b_.parameter) {
                return map_of(number);
            }
        }
        refuse("no parameter is the output of boxes");
    }

    // The registers of the sums of a thread, in the order of the instruction.
    std::vector<std::string> sums_at(size_t products) const {
        std::vector<std::string> sums;
        std::string all = between(lines_[products], '{', '}') + ", ";
        for (size_t comma = all.find(", "); comma != std::string::npos; comma = all.find(", ")) {
            sums.push_back(all.substr(0, comma));
            all.erase(0, comma + 2);
        }
        return sums;
    }

    // The first line behind the products.
    size_t end_of_sums() const {
        size_t last = 0;
        for (size_t at = 0; at < lines_.size(); at++) {
            last = has(lines_[at], "wgmma.wait_group") ? at : last;
        }
        return last + 1;
    }

    // The last line of the stores of threads, before the label of the end of the kernel. What is between is
    // reached from nowhere else.
    size_t end_of_stores(size_t begin) const {
        size_t last = find("\tret;", begin);
        while (last > begin && !lines_[last].starts_with("$")) {
            last--;
        }
        for (size_t at = begin; at < last; at++) {
            if (lines_[at].starts_with("$")) {
                const std::string label = "\t" + lines_[at].substr(0, lines_[at].find(':')) + ";";
                for (size_t other = 0; other < begin; other++) {
                    if (has(lines_[other], label)) {
                        refuse("the stores of sums are reached from elsewhere");
                    }
                }
            }
        }
        if (last == begin) {
            refuse("no stores of sums are behind the products");
        }
        return last;
    }

    // The stores of the sums of a thread, in place of the lines of its own stores, which store the same sums.
    std::string stores_of(const std::vector<std::string> &sums, size_t begin, size_t end) const {
        const auto is_store = [](const std::string &line) { return has(line, "\tst.global."); };
        const auto stores =
            std::count_if(lines_.begin() + (ptrdiff_t)begin, lines_.begin() + (ptrdiff_t)end, is_store);
        const long long ring = slots_ * (a_.boxes() + b_.boxes()) * box;
        if (columns_ % 32 != 0 || (int)sums.size() != columns_ / 2 || a_.boxes() > 2 ||
            a_.boxes() * bytes_of_group() > ring || stores != columns_ / 4 ||
            std::ranges::count_if(lines_, is_store) != stores) {
            refuse("the sums of products are not those of whole boxes");
        }
        std::string own;
        for (size_t at = begin; at < end; at++) {
            own += lines_[at] + "\n";
        }
        std::string text = places_of_sums();
        for (size_t sum = 0; sum < sums.size(); sum += 2) {
            const std::string pair = "{" + sums[sum] + ", " + sums[sum + 1] + "}";
            if (!has(own, pair)) {
                refuse("a pair of sums is not stored");
            }
            const size_t of_box = sum % 16 / 2, columns = sum / 16;
            text += "\tst.shared.v2.b32 \t[%tws" + std::to_string(4 + of_box / 2) + "+" +
                    std::to_string((size_t)box * columns + 1024 * (of_box % 2)) + "], " + pair + ";\n" +
                    (of_box == 7 ? box_of_sums(columns) : "");
        }
        return text + "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read \t0;\n";
    }

    long long bytes_of_group() const {  // the sums of 64 rows
        return 256LL * columns_;
    }

    // Lane 4 g + q of a warp has pairs of neighbouring sums of rows g and g + 8 of its 16 rows, at columns 2
    // q and 2 q + 1 of each eight. A row of 32 columns is a line of 128 bytes, in the order of lines of the
    // accelerator. %tws4 to %tws7: where the pairs of each of the four eights are in the first box. %tws1:
    // where that box is; %tws2 and %tws3: its first row and column, which is counted in words of 16 bits.
    // %twq1: whether the thread is of the second 64 rows; %twq0: whether it is not the first one of its 64.
    std::string places_of_sums() const {
        std::string text =
            "\t.reg .b32 \t%tws<8>;\n\tbar.sync \t0;\n\tmov.u32 \t%twm8, %tid.x;\n"
            "\tshfl.sync.idx.b32 \t%tws0, %twm8, 0, 31, 0xffffffff;\n\tshr.u32 \t%tws0, %tws0, 7;\n"
            "\tmad.lo.u32 \t%tws1, %tws0, " +
            std::to_string(bytes_of_group()) + ", " + std::to_string(std::min(a_.to_offset, b_.to_offset)) +
            ";\n\tmad.lo.u32 \t%tws2, %tws0, 64, %twm6;\n\tshl.b32 \t%tws3, %twm7, 1;\n"
            "\tsetp.ne.u32 \t%twq1, %tws0, 0;\n"
            // The row, 16 warp + g, in %twm9; the place, 2 (q / 2 ^ g) + q % 2, in pieces of 8 bytes, in
            // %twm10.
            "\tand.b32 \t%twm9, %twm8, 96;\n\tshr.u32 \t%twm9, %twm9, 1;\n\tshr.u32 \t%twm10, %twm8, 2;\n"
            "\tand.b32 \t%twm10, %twm10, 7;\n\tadd.s32 \t%twm9, %twm9, %twm10;\n"
            "\tmad.lo.u32 \t%twm9, %twm9, 128, %tws1;\n\tshl.b32 \t%twm10, %twm10, 1;\n"
            "\tand.b32 \t%tws0, %twm8, 3;\n\txor.b32 \t%twm10, %twm10, %tws0;\n"
            "\tshl.b32 \t%twm10, %twm10, 3;\n";
        for (int eight = 0; eight < 4; eight++) {
            const std::string to = "%tws" + std::to_string(4 + eight);
            text += "\txor.b32 \t" + to + ", %twm10, " + std::to_string(32 * eight) + ";\n\tadd.s32 \t" + to +
                    ", " + to + ", %twm9;\n";
        }
        return text + "\tand.b32 \t%twm8, %twm8, 127;\n\tsetp.ne.u32 \t%twq0, %twm8, 0;\n\tmov.b64 \t%twe, " +
               map_of_output() + ";\n\tcvta.param.u64 \t%twe, %twe;\n";
    }

    // Stores a box, once its 64 rows are in shared memory.
    std::string box_of_sums(size_t number) const {
        const std::string label = "$TW_stored" + std::to_string(number);
        return std::string("\tfence.proxy.async.shared::cta;\n") +
               (a_.boxes() == 1 ? "\tbar.sync \t0;\n" :
                                  "\t@!%twq1 bar.sync \t1, 128;\n\t@%twq1 bar.sync \t2, 128;\n") +
               "\t@%twq0 bra \t" + label +
               ";\n\tcp.async.bulk.tensor.2d.global.shared::cta.bulk_group \t[%twe, {%tws3, %tws2}], "
               "[%tws1];\n" +
               label + ":\n\tadd.s32 \t%tws1, %tws1, " + std::to_string(box) +
               ";\n\tadd.s32 \t%tws3, %tws3, 64;\n";
    }

    // %twm0: the first barrier. %twm1 and %twm5: the place in shared memory of the block that is multiplied
    // next, and the phase of its barrier. %twm2: the block that is copied next; %twm3: its place. %twm6 and
    // %twm7: the tile's first row and column. %twm11: blocks of the depth; none beyond the last column.
    std::string begin() const {
        std::string text =
            "\t.reg .b32 \t%twm<12>;\n\t.reg .b64 \t%twe;\n\t.reg .pred \t%twq<3>;\n"
            "\tmov.u32 \t%twm0, %dynamic_smem_size;\n\tadd.s32 \t%twm0, %twm0, -128;\n"
            "\tmov.u32 \t%twm1, %tid.x;\n\tsetp.ne.u32 \t%twq0, %twm1, 0;\n"
            "\tmov.u32 \t%twm6, %ctaid.y;\n\tmul.lo.u32 \t%twm6, %twm6, " +
            std::to_string(64 * a_.boxes()) +
            ";\n\tmov.u32 \t%twm7, %ctaid.x;\n\tmov.u32 \t%twm8, %ctaid.z;\n\tmov.u32 \t%twm9, %nctaid.x;\n"
            "\tmad.lo.u32 \t%twm7, %twm8, %twm9, %twm7;\n\tmul.lo.u32 \t%twm7, %twm7, " +
            std::to_string(columns_) + ";\n\tld.param.u32 \t%twm11, [" + map_of(a_.parameter) +
            "+128];\n\tld.param.u32 \t%twm9, [" + map_of(b_.parameter) +
            "+128];\n\tshl.b32 \t%twm9, %twm9, 6;\n\tsetp.ge.u32 \t%twq1, %twm7, %twm9;\n"
            "\t@%twq1 mov.b32 \t%twm11, 0;\n\t@%twq0 bra \t$TW_made;\n";
        for (int slot = 0; slot < slots_; slot++) {
            text += "\tmbarrier.init.shared::cta.b64 \t[%twm0+" + std::to_string(8 * slot) + "], 1;\n";
        }
        text += "\tfence.mbarrier_init.release.cluster;\n";
        for (int block = 0; block < ahead_; block++) {
            const std::string number = std::to_string(block);
            text += "\tsetp.le.u32 \t%twq1, %twm11, " + number +
                    ";\n\t@%twq1 bra \t$TW_made;\n\tmov.b32 \t%twm2, " + number + ";\n\tmov.b32 \t%twm3, " +
                    number + ";\n" + block_of_boxes();
        }
        text += "$TW_made:\n\tbar.sync \t0;\n";
        for (const std::string number : {"1", "2", "3", "5"}) {
            text += "\tmov.b32 \t%twm" + number + ", 0;\n";
        }
        return text;
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

    // The boxes of a tile, where %twm9 and %twm10 are the row and the column of the first one. `along` is the
    // register that the next one changes.
    std::string boxes_of(const Tile &tile, const std::string &along) const {
        const std::string size = std::to_string(box);
        std::string text = "\tmad.lo.u32 \t%twm8, %twm3, " + std::to_string(tile.copies * tile.step) + ", " +
                           std::to_string(tile.to_offset) + ";\n\tmov.b64 \t%twe, " + map_of(tile.parameter) +
                           ";\n\tcvta.param.u64 \t%twe, %twe;\n";
        for (long long i = 0; i < tile.boxes(); i++) {
            text += i == 0 ? "" :
                             "\tadd.s32 \t" + along + ", " + along + ", 64;\n\tadd.s32 \t%twm8, %twm8, " +
                                 size + ";\n";
            text += "\tcp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes \t"
                    "[%twm8], [%twe, {%twm10, %twm9}], [%twm4];\n";
        }
        return text;
    }

    // Block %twm2, at place %twm3.
    std::string block_of_boxes() const {
        return barrier_of("%twm3") + "\tmbarrier.arrive.expect_tx.shared::cta.b64 \t_, [%twm4], " +
               std::to_string((a_.boxes() + b_.boxes()) * box) +
               ";\n\tmov.b32 \t%twm9, %twm6;\n\tshl.b32 \t%twm10, %twm2, 6;\n" + boxes_of(a_, "%twm9") +
               "\tshl.b32 \t%twm9, %twm2, 6;\n\tmov.b32 \t%twm10, %twm7;\n" + boxes_of(b_, "%twm10");
    }

    // Of a block, where the beginning has not copied it, and there is one.
    std::string copies() const {
        return "\tsetp.lt.or.u32 \t%twq1, %twm2, " + std::to_string(ahead_) +
               ", %twq0;\n\tsetp.ge.or.u32 \t%twq1, %twm2, %twm11, %twq1;\n\t@%twq1 bra \t$TW_copied;\n" +
               block_of_boxes() +
               "$TW_copied:\n\tbar.warp.sync \t0xffffffff;\n\tadd.s32 \t%twm2, %twm2, 1;\n" + next("%twm3");
    }
};

}  // namespace tilewright::tensor_text
