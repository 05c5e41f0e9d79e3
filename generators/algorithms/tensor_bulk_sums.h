#pragma once
// The sums of products whose matrices the tensor memory accelerator copies (tensor_bulk.h): how it stores
// them.
#include "generators/algorithms/text_lines.h"
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::tensor_text {

constexpr int bytes_of_box = 8192;

// Of a cluster of `shares` thread blocks: moves an address, which counts from 0, behind that of the memory of
// the launch (%twm12). The registers of descriptors have 64 bits. Otherwise there is nothing to do.
inline std::string behind_memory(const std::string &address, int shares) {
    const std::string same = address + ", " + address + ", ";
    return shares == 1                 ? "" :
           address.starts_with("%twd") ? "\tcvt.u64.u32 \t%twe, %twm12;\n\tadd.s64 \t" + same + "%twe;\n" :
                                         "\tadd.s32 \t" + same + "%twm12;\n";
}

// The text that stores the sums of a tile: to shared memory, in the place of the blocks of the depth, and
// from there as boxes of 64 rows and 32 columns. Its registers are those of tensor_bulk.h, and %tws and %twv.
class BoxesOfSums {
public:
    // A tile has so many groups of 64 rows. `begin`: where the blocks of the depth begin; `map`: the
    // parameter that describes the output.
    BoxesOfSums(int groups, int columns, int shares, long long begin, std::string map)
        : groups_(groups), columns_(columns), shares_(shares), begin_(begin), map_(std::move(map)) {}

    long long bytes() const {
        return groups_ * bytes_of_group();
    }

    // The sums are the registers of a thread, in the order of the instruction.
    std::string stores(const std::vector<std::string> &sums) const {
        std::string text = places();
        for (size_t sum = 0; sum < sums.size(); sum += 2) {
            const size_t of_box = sum % 16 / 2, columns = sum / 16;
            text += "\tst.shared.v2.b32 \t[%tws" + std::to_string(4 + of_box / 2) + "+" +
                    std::to_string((size_t)bytes_of_box * columns + 1024 * (of_box % 2)) + "], {" +
                    sums[sum] + ", " + sums[sum + 1] + "};\n" +
                    (of_box == 7 && shares_ == 1 ? box_of_sums(columns) : "");
        }
        return text + (shares_ > 1 ? sums_of_cluster() :
                                     "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read \t0;\n");
    }

private:
    const int groups_, columns_, shares_;
    const long long begin_;
    const std::string map_;

    long long bytes_of_group() const {
        return 256LL * columns_;
    }

    // Lane 4 g + q of a warp has pairs of neighbouring sums of rows g and g + 8 of its 16 rows, at columns 2
    // q and 2 q + 1 of each eight. A row of 32 columns is a line of 128 bytes, in the order of lines of the
    // accelerator. %tws4 to %tws7: where the pairs of each of the four eights are in the first box. %tws1:
    // where that box is; %tws2 and %tws3: its first row and column, which is counted in words of 16 bits.
    // %twq1: whether the thread is of the second 64 rows; %twq0: whether it is not the first one of its 64.
    std::string places() const {
        std::string text =
            "\t.reg .b32 \t%tws<8>;\n\tbar.sync \t0;\n\tmov.u32 \t%twm8, %tid.x;\n"
            "\tshfl.sync.idx.b32 \t%tws0, %twm8, 0, 31, 0xffffffff;\n\tshr.u32 \t%tws0, %tws0, 7;\n"
            "\tmad.lo.u32 \t%tws1, %tws0, " +
            std::to_string(bytes_of_group()) + ", " + std::to_string(begin_) + ";\n" +
            behind_memory("%tws1", shares_) +
            "\tmad.lo.u32 \t%tws2, %tws0, 64, %twm6;\n\tshl.b32 \t%tws3, %twm7, 1;\n"
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
               map_ + ";\n\tcvta.param.u64 \t%twe, %twe;\n";
    }

    static constexpr std::string_view store_box =
        "\tcp.async.bulk.tensor.2d.global.shared::cta.bulk_group \t[%twe, {%tws3, %tws2}], [%tws1];\n";

    // Stores a box, once its 64 rows are in shared memory.
    std::string box_of_sums(size_t number) const {
        const std::string label = "$TW_stored" + std::to_string(number);
        return std::string("\tfence.proxy.async.shared::cta;\n") +
               (groups_ == 1 ? "\tbar.sync \t0;\n" :
                               "\t@!%twq1 bar.sync \t1, 128;\n\t@%twq1 bar.sync \t2, 128;\n") +
               "\t@%twq0 bra \t" + label + ";\n" + std::string(store_box) + label +
               ":\n\tadd.s32 \t%tws1, %tws1, " + std::to_string(bytes_of_box) +
               ";\n\tadd.s32 \t%tws3, %tws3, 64;\n";
    }

    // Each thread block of the cluster adds the sums of every shares_-th box, pieces of 16 bytes per thread,
    // and stores the boxes. %tws0: its share, which is its number in the cluster; %tws4: the box; %tws6:
    // where the thread's first piece is; %tws7: the same in another block. %twv0 to 3: a piece of that block;
    // from 4 on: the pieces of sums.
    std::string sums_of_cluster() const {
        const int of_group = columns_ / 32, boxes = of_group * groups_, threads = 128 * groups_,
                  pieces = bytes_of_box / 16 / threads;
        const auto piece = [](int first) {
            std::string all;
            for (int word = first; word < first + 4; word++) {
                all += (word == first ? "{%twv" : ", %twv") + std::to_string(word);
            }
            return all + "}";
        };
        const std::string arrive = "\tbarrier.cluster.arrive.release.aligned;\n",
                          wait = "\tbarrier.cluster.wait.acquire.aligned;\n";
        std::string text = "\t.reg .f32 \t%twv<" + std::to_string(4 + 4 * pieces) +
                           ">;\n\tmov.u32 \t%tws0, %ctaid.z;\n\tmov.u32 \t%twm8, %tid.x;\n"
                           "\tsetp.ne.u32 \t%twq0, %twm8, 0;\n" +
                           arrive + wait;
        for (int turn = 0; turn * shares_ < boxes; turn++) {
            const std::string label = "$TW_added" + std::to_string(turn);
            text += "\tadd.s32 \t%tws4, %tws0, " + std::to_string(turn * shares_) + ";\n";
            if ((turn + 1) * shares_ > boxes) {
                text += "\tsetp.ge.u32 \t%twq1, %tws4, " + std::to_string(boxes) + ";\n\t@%twq1 bra \t" +
                        label + ";\n";
            }
            text += "\tmad.lo.u32 \t%tws1, %tws4, " + std::to_string(bytes_of_box) + ", " +
                    std::to_string(begin_) + ";\n" + behind_memory("%tws1", shares_) +
                    "\tmad.lo.u32 \t%tws6, %twm8, 16, %tws1;\n\tdiv.u32 \t%tws5, %tws4, " +
                    std::to_string(of_group) +
                    ";\n\tmad.lo.u32 \t%tws2, %tws5, 64, %twm6;\n\trem.u32 \t%tws5, %tws4, " +
                    std::to_string(of_group) +
                    ";\n\tmad.lo.u32 \t%tws5, %tws5, 32, %twm7;\n\tshl.b32 \t%tws3, %tws5, 1;\n";
            for (int share = 0; share < shares_; share++) {
                text += "\tmapa.shared::cluster.u32 \t%tws7, %tws6, " + std::to_string(share) + ";\n";
                for (int number = 0; number < pieces; number++) {
                    const int sums = 4 + 4 * number;
                    text += "\tld.shared::cluster.v4.f32 \t" + piece(share == 0 ? sums : 0) + ", [%tws7+" +
                            std::to_string(16 * threads * number) + "];\n";
                    for (int word = 0; share > 0 && word < 4; word++) {
                        const std::string sum = "%twv" + std::to_string(sums + word);
                        text +=
                            "\tadd.rn.f32 \t" + sum + ", " + sum + ", %twv" + std::to_string(word) + ";\n";
                    }
                }
            }
            for (int number = 0; number < pieces; number++) {
                text += "\tst.shared.v4.f32 \t[%tws6+" + std::to_string(16 * threads * number) + "], " +
                        piece(4 + 4 * number) + ";\n";
            }
            text += "\tfence.proxy.async.shared::cta;\n\tbar.sync \t0;\n\t@%twq0 bra \t" + label + ";\n" +
                    std::string(store_box) + label + ":\n";
        }
        // No block ends before the others have read its sums.
        return text + arrive + "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read \t0;\n" + wait;
    }
};

}  // namespace tilewright::tensor_text
