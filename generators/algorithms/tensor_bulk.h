#pragma once
// Copies of rows by the tensor memory accelerator of compute capability 9.0, in place of those of
// tensor_copies.h.
#include "generators/algorithms/tensor_bulk_sums.h"
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
//
// Where the thread blocks along z are a cluster (TensorProduct::shares), thread block (x, y, z) multiplies
// share z of the depth of tile (x, y). Beyond the end of the depth the accelerator writes zeros. The sums of
// all shares are then in the shared memory of their thread blocks. Each block adds those of some boxes, in
// the order of the shares, and stores them. Shared memory of a cluster has no address 0: all addresses are
// behind that of the memory of the launch.
class BulkCopies {
public:
    // The text has one kernel with products.
    BulkCopies(const TensorProduct &product, const std::vector<std::string> &texts)
        : ahead_(product.ahead), slots_(product.ahead + 2), columns_(product.columns),
          shares_(product.shares) {
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
            if (shares_ > 1 && line == "{") {
                all.push_back(".explicitcluster\n.reqnctapercluster 1, 1, " + std::to_string(shares_));
            } else if (shares_ > 1 && line.starts_with(".address_size")) {
                all.push_back(line + "\n.extern .shared .align 1024 .b8 " + std::string(memory) + "[];");
                continue;
            }
            if (!is_of_threads) {
                all.push_back(line);
            }
            if (line.starts_with("\t.reg .b64 \t%twd")) {
                add(all, begin());
            } else if (line.starts_with(descriptor_of_a)) {
                add(all, same_in_a_warp);
                add(all, behind_memory("%twd0"));
            } else if (line.starts_with(descriptor_of_b)) {
                add(all, behind_memory("%twd1"));
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
    static constexpr int box = bytes_of_box;
    // The address in the descriptor of A, which is the same in all lanes of a warp. The compiler keeps it in
    // a register of the warp where it sees that.
    static constexpr std::string_view descriptor_of_a = "\tadd.s64 \t%twd0, ",
                                      descriptor_of_b = "\tadd.s64 \t%twd1, ";
    static constexpr std::string_view memory = "tw_shared";
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
    const int ahead_, slots_, columns_, shares_;
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
        // Of more than 16 parameters, Halide's order is not that of the arguments, by which a launch
        // finds the matrices.
        if (a_.parameter != "0" || b_.parameter != "1") {
            refuse("the first parameters are not the matrices");
        }
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
            boxes_of_sums().bytes() > ring || stores != columns_ / 4 ||
            std::ranges::count_if(lines_, is_store) != stores) {
            refuse("the sums of products are not those of whole boxes");
        }
        std::string own;
        for (size_t at = begin; at < end; at++) {
            own += lines_[at] + "\n";
        }
        for (size_t sum = 0; sum < sums.size(); sum += 2) {
            if (!has(own, "{" + sums[sum] + ", " + sums[sum + 1] + "}")) {
                refuse("a pair of sums is not stored");
            }
        }
        return boxes_of_sums().stores(sums);
    }

    BoxesOfSums boxes_of_sums() const {
        return {(int)a_.boxes(), columns_, shares_, std::min(a_.to_offset, b_.to_offset), map_of_output()};
    }

    // %twm0: the first barrier. %twm1 and %twm5: the place in shared memory of the block that is multiplied
    // next, and the phase of its barrier. %twm2: the block that is copied next; %twm3: its place. %twm6 and
    // %twm7: the tile's first row and column. %twm11: blocks of the depth; none beyond the last column. Of a
    // share they are those of the share; %twm12: where shared memory begins, %twm13: where the share does.
    std::string begin() const {
        std::string text =
            "\t.reg .b32 \t%twm<14>;\n\t.reg .b64 \t%twe;\n\t.reg .pred \t%twq<3>;\n"
            "\tmov.u32 \t%twm0, %dynamic_smem_size;\n\tadd.s32 \t%twm0, %twm0, -128;\n" +
            (shares_ > 1 ? "\tmov.u32 \t%twm12, " + std::string(memory) + ";\n" : "") +
            behind_memory("%twm0") +
            "\tmov.u32 \t%twm1, %tid.x;\n\tsetp.ne.u32 \t%twq0, %twm1, 0;\n"
            "\tmov.u32 \t%twm6, %ctaid.y;\n\tmul.lo.u32 \t%twm6, %twm6, " +
            std::to_string(64 * a_.boxes()) +
            ";\n\tmov.u32 \t%twm7, %ctaid.x;\n\tmov.u32 \t%twm8, %ctaid.z;\n" +
            (shares_ > 1 ? "" :
                           "\tmov.u32 \t%twm9, %nctaid.x;\n\tmad.lo.u32 \t%twm7, %twm8, %twm9, %twm7;\n") +
            "\tmul.lo.u32 \t%twm7, %twm7, " + std::to_string(columns_) + ";\n\tld.param.u32 \t%twm11, [" +
            map_of(a_.parameter) + "+128];\n\tld.param.u32 \t%twm9, [" + map_of(b_.parameter) +
            "+128];\n\tshl.b32 \t%twm9, %twm9, 6;\n\tsetp.ge.u32 \t%twq1, %twm7, %twm9;\n"
            "\t@%twq1 mov.b32 \t%twm11, 0;\n" +
            (shares_ > 1 ? "\tadd.s32 \t%twm11, %twm11, " + std::to_string(shares_ - 1) +
                               ";\n\tdiv.u32 \t%twm11, %twm11, " + std::to_string(shares_) +
                               ";\n\tmul.lo.u32 \t%twm13, %twm11, %twm8;\n\tshl.b32 \t%twm13, %twm13, 6;\n" :
                           "") +
            "\t@%twq0 bra \t$TW_made;\n";
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

    std::string behind_memory(const std::string &address) const {
        return tensor_text::behind_memory(address, shares_);
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
                           std::to_string(tile.to_offset) + ";\n" + behind_memory("%twm8") +
                           "\tmov.b64 \t%twe, " + map_of(tile.parameter) +
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

    std::string depth_of_block(const std::string &to) const {
        return "\tshl.b32 \t" + to + ", %twm2, 6;\n" +
               (shares_ > 1 ? "\tadd.s32 \t" + to + ", " + to + ", %twm13;\n" : "");
    }

    // Block %twm2, at place %twm3.
    std::string block_of_boxes() const {
        return barrier_of("%twm3") + "\tmbarrier.arrive.expect_tx.shared::cta.b64 \t_, [%twm4], " +
               std::to_string((a_.boxes() + b_.boxes()) * box) + ";\n\tmov.b32 \t%twm9, %twm6;\n" +
               depth_of_block("%twm10") + boxes_of(a_, "%twm9") + depth_of_block("%twm9") +
               "\tmov.b32 \t%twm10, %twm7;\n" + boxes_of(b_, "%twm10");
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
