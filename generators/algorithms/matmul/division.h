#pragma once
// How the work of the form MatmulWorkers is divided, for the host and for generators. Plain C++ without
// Halide.h.
#include "generators/algorithms/tensor_product.h"
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace tilewright {

// Workers, numbered from 0, in a rectangle. They form groups of 32: `across` groups side by side, and `down`
// groups one below another. A worker's number within its group has five bits; those set in `bits` count along
// the rectangle's columns, the others along its rows. Number is an integer type, or Halide's expressions.
struct Rectangle {
    int bits, across, down;

    int group_columns() const {
        return 1 << std::popcount(unsigned(bits));
    }
    int group_rows() const {
        return 32 / group_columns();
    }
    int columns() const {
        return group_columns() * across;
    }
    int rows() const {
        return group_rows() * down;
    }
    template<typename Number>
    Number column(Number worker) const {
        return ((worker / 32) % across) * group_columns() + gathered(worker % 32, true);
    }
    template<typename Number>
    Number row(Number worker) const {
        return ((worker / (32 * across)) % down) * group_rows() + gathered(worker % 32, false);
    }
    template<typename Number>
    Number worker(Number column, Number row) const {
        const Number group = column / group_columns() + across * (row / group_rows());
        Number inside = 0;
        for (const Run &run : runs()) {
            inside +=
                (((run.along_columns ? column : row) / (1 << run.to)) % (1 << run.length)) * (1 << run.from);
        }
        return inside + 32 * group;
    }

private:
    // Neighbouring bits of a number that count along the same axis: the `length` bits from bit `from` on are
    // those from bit `to` on of a coordinate.
    struct Run {
        bool along_columns;
        int from, length, to;
    };

    std::vector<Run> runs() const {
        std::vector<Run> all;
        int used[2] = {0, 0};
        for (int bit = 0; bit < 5; bit++) {
            const bool along_columns = (bits >> bit) & 1;
            if (!all.empty() && all.back().along_columns == along_columns) {
                all.back().length++;
            } else {
                all.push_back({along_columns, bit, 1, used[along_columns]});
            }
            used[along_columns]++;
        }
        return all;
    }

    template<typename Number>
    Number gathered(Number number, bool along_columns) const {
        Number coordinate = 0;
        for (const Run &run : runs()) {
            if (run.along_columns == along_columns) {
                coordinate += ((number / (1 << run.from)) % (1 << run.length)) * (1 << run.to);
            }
        }
        return coordinate;
    }
};

// How the work on a product is divided. A rectangle of workers computes a tile of out. Each worker computes
// `height` rows by `width` columns of the tile (multiples of 4), and sums over blocks of `depth`. With
// several slices, that many rectangles share a tile, and each sums over its part of every block.
struct Division {
    Rectangle rectangle;
    int width, height, depth, slices;

    // Zero-padded copies of A and B, as panels, before the product: each matrix in a Func of its own
    // (`apart`), or both in one (`together`: one kernel less, but more memory to copy). With `none` there are
    // no panels, and every extent must be a multiple of the tile's.
    enum class Copies { none, together, apart } copies;

    int per_slice() const {
        return rectangle.columns() * rectangle.rows();
    }
    int workers() const {
        return per_slice() * slices;
    }
    int tile_columns() const {
        return rectangle.columns() * width;
    }
    int tile_rows() const {
        return rectangle.rows() * height;
    }

    // Why the numbers make no division whose loop over a part of a block is unrolled by `unroll`; empty where
    // they do. A tile is copied in pieces of 32 by 32, four elements at a time.
    std::string why_not(int unroll) const {
        const int wide = std::max(tile_columns(), tile_rows()),
                  narrow = std::min(tile_columns(), tile_rows());
        if (width % 4 || height % 4 || depth % 4) {
            return "width, height and depth must be multiples of 4";
        }
        if (width * height > 128) {
            return "width * height must be at most 128, so that the sums fit a worker's registers";
        }
        if (wide % 32 || narrow % 32) {
            return "the sides of a tile must be multiples of 32";
        }
        if (copies == Copies::together && wide % narrow) {
            return "the wider side of a tile must be a multiple of the other one";
        }
        if (depth % (slices * unroll)) {
            return "depth must be a multiple of slices * unroll";
        }
        return width / 4 * height % slices ? "slices must divide width / 4 * height" : "";
    }
};

// The division that a variant describes; tunable(name) gives the value of one of its tunables.
template<typename Tunable>
Division matmul_division(const Tunable &tunable, Division::Copies copies) {
    const Rectangle rectangle{tunable("lanes"), tunable("across"), tunable("down")};
    return {rectangle, tunable("width"), tunable("height"), tunable("depth"), tunable("slices"), copies};
}

// How the work of the form MatmulFragments is divided. A thread block of `groups` times 128 threads computes
// a tile of out, of `tiles` times 64 rows for each group, and sums over blocks of `depth` words, each in one
// chain of products of the tensor cores.
struct FragmentDivision {
    int tiles, groups, columns, depth;
    // Tiles run down so many columns of tiles at once. Not where the depth is shared.
    int group;
    // Where the depth is shared: as many thread blocks as share the work, where there are fewer tiles.
    int blocks;
    TensorNumbers numbers;
    // A thread block copies to shared memory: zero-padded panels of A and B, which kernels of their own make
    // before; high and low parts of B, and nothing of A; or rows of A as they are, with panels of B where
    // numbers have parts, and rows of B where they have none. `boxes`: rows that CUDA's tensor memory
    // accelerator copies, with zeros beyond the end of a matrix. `tight_rows`: rows of both in a ring of one
    // block less, for larger tiles in little shared memory (TensorProduct::tight). `shared_rows`: as `rows`,
    // where thread blocks share the depth. `turned`: the same for products of few rows. A and B are the
    // transposes of the second and the first matrix, and out is the transpose of the output. `shared_boxes`:
    // as `boxes`, where the thread blocks of a cluster share the depth, and add their sums in shared memory.
    // `halves`: as `rows`, of two matrices of f16 numbers per matrix of f32, which kernels of their own make
    // before (HalfParts).
    enum class Copies {
        panels,
        parts,
        rows,
        boxes,
        tight_rows,
        shared_rows,
        turned,
        shared_boxes,
        halves
    } copies;
    // Of rows of both: so many blocks of the depth are copied while others are multiplied.
    int ahead;
    // Of `shared_boxes`: so many thread blocks are a cluster.
    int shares = 1;

    bool in_cluster() const {
        return copies == Copies::shared_boxes;
    }
    bool in_boxes() const {
        return copies == Copies::boxes || in_cluster();
    }
    bool is_tight() const {
        return copies == Copies::tight_rows;
    }
    bool in_halves() const {
        return copies == Copies::halves;
    }
    bool a_in_rows() const {
        return copies == Copies::rows || copies == Copies::shared_rows || is_tight() || in_boxes() ||
               in_halves();
    }
    bool is_turned() const {
        return copies == Copies::turned;
    }
    bool adds_shares() const {  // by a second kernel
        return copies == Copies::parts || copies == Copies::shared_rows || is_turned();
    }
    bool shares_depth() const {
        return adds_shares() || in_cluster();
    }
    bool both_in_rows() const {
        return a_in_rows() && numbers != TensorNumbers::three_tf32;
    }
    // Whether they are the rows of arrays of 16-bit floats.
    bool of_words() const {
        return both_in_rows() && !in_halves();
    }
    // Whether the rows of out begin at multiples of so many bytes that a thread stores several columns at
    // once.
    bool aligns_out() const {
        return a_in_rows() && !in_halves();
    }
    bool stores_fours() const {  // neighbouring columns of a thread
        return !of_words() && !is_turned();
    }
    bool sums_again() const {  // what is not finite
        return numbers == TensorNumbers::three_tf32 || in_halves();
    }
    bool has_panels() const {  // of B
        return copies == Copies::panels || is_turned() || (a_in_rows() && !both_in_rows());
    }
    // Rows of out begin at multiples of so many bytes, where rows of A are copied: a thread stores four
    // columns at once, or two, or the accelerator stores boxes.
    int alignment_of_out() const {
        return both_in_rows() && !in_boxes() ? 8 : 16;
    }
    // Blocks in shared memory: those that are copied, the one that is multiplied, and, in a ring that is not
    // tight, the one before, whose products may not be at their end (generators/algorithms/tensor_copies.h).
    int slots() const {
        return !both_in_rows() ? 2 : ahead + (is_tight() ? 1 : 2);
    }

    // From this depth K on, the form keeps the bound of matmul, K units of 2^-23 of the sum of absolute
    // products, whatever the numbers are. Parts that are left out or cut off: at most 4 units. The tensor
    // cores cut off nine numbers at the last of 24 bits of the largest one, or later, and their sum at its
    // last bit: at most 10 units per instruction. A block has 3 depth / 8 instructions, and all but two see
    // sums of that size. The sums of the blocks are added in f32: at most K / 32 units. With a depth of 32
    // that makes 104 + K / 32, and 224 + K / 32 with 64.
    //
    // Products of 16-bit floats are exact, and the tensor cores add 16 of them to the sum at a time: each of
    // these numbers loses at most a quarter of a unit (an H200 keeps two bits more than the 24 of the largest
    // number), and what they make at most a unit. That is below six units per 16 products, and the sums keep
    // the bound for every depth. Denormal f16 numbers are aligned as if they were 2^-14.
    //
    // Of f32 in halves, the products of high numbers are such a sum of K: at most 3 K / 8 units. The products
    // of low numbers, which are summed before, count 2^-11 of that, and parts that are left out at most 2
    // units. What small numbers lose is at most K / 2 units (HalfParts): the bound holds from a depth of 20
    // on.
    static constexpr int least_depth(int depth) {
        return 4 * depth;
    }

    TensorProduct product() const {
        return {columns, depth, numbers, both_in_rows() ? ahead : 0, in_boxes(), is_tight(), shares};
    }

    int threads() const {
        return TensorProduct::threads * groups;
    }
    int rows() const {
        return TensorProduct::rows * groups * tiles;
    }
    // Of rows of B that are copied as they are: so many 64 columns hold those of a tile.
    int sixty_fours() const {
        return (columns + 63) / 64;
    }
    std::string why_not() const {
        if (columns % 16 || columns > 256) {
            return "columns must be a multiple of 16, and at most 256";
        }
        if (depth % 16) {
            return "depth must be a multiple of 16";
        }
        if ((a_in_rows() || is_turned()) && (depth & (depth - 1)) != 0) {
            return "depth must be a power of two where rows are copied";
        }
        if (in_boxes() && (tiles != 1 || depth != 32 || groups > 2 || ahead > 6)) {
            return "tiles must be 1, depth 32, groups 1 or 2, and ahead at most 6, where boxes are copied";
        }
        if (both_in_rows() && (columns % (in_boxes() ? 32 : 64) || depth > 32)) {
            return "columns must be a multiple of 64, of boxes of 32, and depth 16 or 32";
        }
        if (shares < 1 || shares > 8 || (shares & (shares - 1)) != 0) {
            return "shares must be 1, 2, 4 or 8";
        }
        return adds_shares() && numbers != TensorNumbers::three_tf32 ?
                   "products of 16-bit floats are by panels or rows" :
                   "";
    }
};

// How the work of the form MatmulLanes is divided. A thread block computes a tile of out, by `slices` slices
// of the depth; a warp of a slice computes 32 by 32 elements. `ahead` blocks of `depth` words are copied
// ahead. The tensor cores sum over the words of a slice in a block, and FragmentDivision::least_depth is that
// of so many words: with 16, 44 units, one per block, and one per slice.
struct LaneDivision {
    int rows, columns, slices, depth, ahead;

    int warps_down() const {
        return rows / 32;
    }
    int warps_of_slice() const {
        return warps_down() * (columns / 32);
    }
    int workers() const {
        return 32 * warps_of_slice() * slices;
    }
    // Blocks in shared memory: those that are copied, the one that is multiplied, and the one before, which
    // some warps may still multiply (generators/algorithms/tensor_copies.h).
    int slots() const {
        return ahead + 2;
    }
    int sixteens() const {  // of a slice in a block of the depth
        return depth / 16 / slices;
    }
    int cells() const {  // of four elements, of a worker
        return rows * columns / 4 / workers();
    }
    std::string why_not() const {
        if (rows % 32 || columns % 32) {
            return "rows and columns must be multiples of 32";
        }
        return depth % (16 * slices) || (depth & (depth - 1)) || 8 % slices ?
                   "depth must be a power of two and a multiple of 16 slices, and slices 1, 2, 4 or 8" :
                   "";
    }
};

template<typename Tunable>
LaneDivision lane_division(const Tunable &tunable) {
    return {tunable("rows"), tunable("columns"), tunable("slices"), tunable("depth"), tunable("ahead")};
}

// The division that a variant for arrays of a type describes; tunable(name) gives the value of one of its
// tunables.
template<typename Tunable, typename Configuration>
FragmentDivision fragment_division(const Tunable &tunable, const Configuration &of, std::string_view type) {
    FragmentDivision made{tunable("tiles"), tunable("groups"), tunable("columns"), tunable("depth"), 0, 0,
        of.copies == FragmentDivision::Copies::halves ? TensorNumbers::three_f16 : tensor_numbers(type),
        of.copies, 0};
    if (made.in_cluster()) {
        made.shares = tunable("shares");
    } else {
        (made.adds_shares() ? made.blocks : made.group) = tunable(made.adds_shares() ? "blocks" : "group");
    }
    made.ahead = made.both_in_rows() ? tunable("ahead") : 0;
    return made;
}

}  // namespace tilewright
