#pragma once
// A form of matmul whose products are those of the tensor cores. Variants: on CUDA tensor_shares (in parts),
// tensor_few_rows (turned), tensor_few_columns (shared rows) and tensor_halves (halves) of f32,
// tuned_tensor_small_boxes and tuned_tensor_whole_192, 160 and 128 (boxes), tuned_tensor_shares,
// tuned_tensor_shares_tall and tuned_tensor_shares_128 (shared boxes) of f16 and bf16; on CUDA and OpenCL
// tensor_small_whole and tensor_whole (rows of A), tensor_small, tensor_tall and tensor_any of f32,
// tuned_tensor_small_whole, tuned_tensor_whole (rows, or boxes), tuned_tensor_small and tuned_tensor of f16
// and bf16. Long because all ways to copy blocks of the depth share tiles, products and stores.
//
// Three products of TF32 numbers per product of f32: H. Ootomo and R. Yokota, "Recovering single precision
// accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", 2022.
#include "Halide.h"
#include "generators/algorithms/indices.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/matmul/division.h"
#include "generators/algorithms/matmul/halves.h"
#include "generators/algorithms/matmul/number_parts.h"
#include "generators/algorithms/matmul/tiles.h"
#include "generators/algorithms/tensor_products.h"
#include <string>
#include <vector>

namespace tilewright {

// out = A B. The tensor cores sum products over a block of the depth, and the sums of the blocks are added in
// f32. Floats of 16 bits, A and B by their bits, are two per word, as the tensor cores take them.
//
// Each f32 is the sum of a high part, which TF32 has exactly, and a low part, of which TF32 has all but one
// bit. Three of the four products of the parts are summed; the product of the low parts is left out. The
// error is within the bound of matmul from a depth of FragmentDivision::least_depth on. Numbers whose parts
// TF32 does not have become NaN: those between 2^-126 and 2^-100. Those that are too large, infinity and NaN
// make NaN or infinity of every sum that they take part in. All elements of out that are not finite are then
// summed again, from plain products.
//
// The panels are in the order of the tensor cores' fragments. Lane l of a warp has of 16 rows and 8 words
// along k those of rows l / 4 and l / 4 + 8 at l % 4 and l % 4 + 4, and of the results, columns 2 (l % 4) and
// 2 (l % 4) + 1 of each group of 8, in the same rows. Columns of B change places within 16, so that a lane
// has four neighbouring columns of out.
struct MatmulFragments : Halide::NamesInterface {
    static constexpr const char *name = "matmul_fragments";
    const FragmentDivision division;
    const TensorProduct product;
    Var x{"x"}, y{"y"}, v{"v"}, l{"l"}, m{"m"}, n{"n"}, h{"h"}, k{"k"}, b{"b"}, r{"r"}, t{"t"}, bx{"bx"};
    Func panels_a{"panels_a"}, panels_b{"panels_b"}, tile_a{"tile_a"}, tile_b{"tile_b"}, word_b{"word_b"};
    Func fours{"fours"}, words{"words"}, high{"high"}, low{"low"}, products{"products"}, sum{"sum"};
    Var share{"share"};
    Func partial{"partial"}, added{"added"};  // where the depth is shared: sums of a share, and of all
    Func plain{"plain"}, out{"out"};
    RDom depth, domain, all, again;
    std::vector<Func> parts;        // of the words of A: high and low; none where words have no parts
    std::vector<HalfParts> halves;  // of A and B, where they are cut into numbers of f16

    // Where there are halves, `pair` makes words of two of them.
    MatmulFragments(Func A, Func B, const Extents &size, const FragmentDivision &division,
        const HalfParts::Pair &pair = {})
        : division(division), product(division.product()), A(A), B(B), size(size),
          across(ceil_div(size.columns, division.columns)), down(ceil_div(size.rows, division.rows())),
          once(select(size.depth > 0, 1, 2)),
          of_depth(ceil_div(size.depth, division.depth * product.numbers_per_word())),
          blocks(division.in_halves() ? 3 * of_depth : of_depth),
          of_share(ceil_div(blocks, division.in_cluster() ?
                                        Expr(division.shares) :
                                        clamp(division.blocks / (across * down), 1, max(blocks, 1)))),
          shares(
              division.adds_shares() ? max(ceil_div(blocks, max(of_share, 1)), 1) : Expr(division.shares)) {
        cut_into_tiles(pair);
        multiply();
        if (division.adds_shares()) {
            store_shares();
        } else {
            store_in_groups();
        }
        if (division.sums_again()) {
            sum_again();
        }
    }

private:
    Func A, B;
    const Extents size;
    const Expr across, down;  // tiles of out
    const Expr once;          // 1, in a way that Halide does not see: a loop of so many iterations is kept
    // Of the depth: its blocks, those that are multiplied (of halves each three times), blocks of a share,
    // shares of a tile.
    const Expr of_depth, blocks, of_share, shares;

    // Word `at` along k of what `read` gives for a row of A or a column of B; 0 beyond its end, and where
    // that row or column is not `inside`.
    template<typename At>
    Expr word_of(Expr at, Expr is_inside, At read) const {
        const auto number = [&](Expr k, Expr zero, auto made) {
            return select(below(k, size.depth) && is_inside, made(read(not_beyond(k, size.depth))), zero);
        };
        if (product.numbers_per_word() == 1) {
            return number(at, 0.0f, number_parts::representable);
        }
        const auto half = [&](Expr k) {
            return number(k, number_parts::bits(0), [](Expr read) { return cast<uint32_t>(read); });
        };
        return reinterpret<float>(half(2 * at) | half(2 * at + 1) << 16);
    }

    // Word `at` along k of column `n` of a tile of B, in the order of the panels.
    Expr number_of_b(const Expr &n, const Expr &at, const Expr &tile) const {
        const Expr place = 4 * ((n % 8) / 2) + 2 * ((n / 8) % 2) + n % 2,
                   column = division.columns * tile + 16 * (n / 16) + place;
        return word_of(
            at, below(column, size.columns), [&](Expr k) { return B(not_beyond(column, size.columns), k); });
    }

    // tile_a(v, l, m, k, b) is word v of lane l in the rows from 16 m on and the 8 words from 8 k on, of row
    // b of tiles; tile_b(v, n, h, k, b) is part h (high, low) of word 4 k + v of a column.
    void cut_into_tiles(const HalfParts::Pair &pair) {
        if (division.in_halves()) {
            take_halves(pair);
        } else if (division.is_turned()) {
            take_columns();
        } else if (division.a_in_rows()) {
            take_rows();
        }
        if (division.both_in_rows()) {
            return;
        }
        const bool in_parts = division.copies == FragmentDivision::Copies::parts;
        const Expr row = division.rows() * tile(down) + 16 * m + l / 4 + 8 * (v % 2),
                   at_a = 8 * (k + product.steps() * first_block(down)) + l % 4 + 4 * (v / 2);
        const Expr word_a =
            word_of(at_a, below(row, size.rows), [&](Expr k) { return A(k, not_beyond(row, size.rows)); });
        word_b(v, n, k, b) =
            in_parts ? number_of_b(n, 4 * (k + division.depth / 4 * first_block(across)) + v, tile(across)) :
                       number_of_b(n, division.a_in_rows() ? 16 * (k / 4) + 4 * v + k % 4 : 4 * k + v, b);
        const Expr word = word_b(v, n, k, b), rounded = number_parts::high_part(word),
                   part_b = product.parts() == 1 ? word : select(h == 0, rounded, word - rounded);
        if (in_parts) {
            tile_a(v, l, m, k, b) = word_a;
            tile_b(v, n, h, k, b) = part_b;
            return;
        }
        if (!division.a_in_rows() && !division.is_turned()) {
            panels_a(v, l, m, k, b) = word_a;
            tile_a(v, l, m, k, b) = panels_a(v, l, m, k, promised(b, down));
        }
        panels_b(v, n, h, k, b) = part_b;
        tile_b(v, n, h, k, b) =
            panels_b(v, n, h, division.depth / 4 * first_block(across) + k, promised(tile(across), across));
    }

    // Where the depth is shared, b counts the rows or columns of tiles of all shares, one share after
    // another: the tile, of so many, and the first block of its share.
    Expr tile(const Expr &count) const {
        return division.in_cluster() ? b / division.shares : division.adds_shares() ? b % count : Expr(b);
    }
    Expr first_block(const Expr &count) const {
        return division.in_cluster()  ? of_share * (b % division.shares) :
               division.adds_shares() ? of_share * (b / count) :
                                        Expr(0);
    }

    // The place of a piece of 16 bytes among the `pieces` of row `line` in shared memory: piece ^ turn, of
    // which Halide knows no bounds. A row stays within its lines of 128 bytes, because copies are slow
    // otherwise (a third of the rate on an H200); and what is read at once is in different banks: one piece
    // of eight rows by the tensor cores, whose swizzle this is, or four pieces of two rows by lanes.
    Expr place_of(const Expr &piece, const Expr &line, int pieces) const {
        const Expr turn = !division.both_in_rows() ? 4 * (line % 2) + line / 2 % 4 :
                          pieces == 8              ? line % 8 :
                                                     line / 2 % 4;
        return exchanged(piece, turn, pieces);
    }

    // Boxes have zeros beyond the depth, and so has the panel of B, by whose zeros what is read of A there is
    // multiplied; where it is not finite, sum_again() sees to it. Other copies serve depths that are whole
    // blocks alone.
    Expr inside_depth(const Expr &at, const Expr &depth) const {
        return division.in_boxes() || !division.both_in_rows() ? not_beyond(at, depth) : at;
    }

    // tile_a(v, k, l, m, h, b) is word v of the piece at place k of row l, m-th 64 rows, in block h of the
    // depth; tile_b(v, k, l, n, h, b) the same of row l, n-th 64 columns. Behind the last block it is read
    // again: nobody uses what is copied ahead there.
    void take_rows() {
        const int pieces = division.depth / 4;
        const auto block = [&](const Expr &count) { return min(first_block(count) + h, blocks - 1); };
        const Expr row = division.rows() * tile(down) + 64 * m + l,
                   of_row = pieces * block(down) + place_of(k, l, pieces);
        tile_a(v, k, l, m, h, b) =
            A(4 * inside_depth(of_row, size.depth / (4 * product.numbers_per_word())) + v,
                not_beyond(row, size.rows));
        if (division.both_in_rows()) {
            const Expr piece = division.columns / 8 * tile(across) + 8 * n + place_of(k, l, 8);
            tile_b(v, k, l, n, h, b) = B(4 * not_beyond(piece, size.columns / 8) + v,
                inside_depth(2 * division.depth * block(across) + l, size.depth));
        }
    }

    // The same of halves: the low numbers of A by the high ones of B, the high ones by the low ones, and the
    // high ones by the high ones, each over the whole depth. Columns of B change places within 16, as those
    // of panels do.
    void take_halves(const HalfParts::Pair &pair) {
        const auto of_b = [](const Expr &v, const Expr &q, const Expr &j) {
            return std::pair(j, 16 * (q / 2) + 4 * v + 2 * (q % 2));
        };
        const auto of_a = [](const Expr &v, const Expr &q, const Expr &j) {
            return std::pair(8 * q + 2 * v, j);
        };
        halves = {{"a", size.rows, size.depth, true, [this](auto at, auto line) { return A(at, line); }, of_a,
                      pair},
            {"b", size.columns, size.depth, false, [this](auto at, auto line) { return B(line, at); }, of_b,
                pair}};
        const int pieces = division.depth / 4, lines = 2 * division.depth;
        const Expr block = min(h, blocks - 1),
                   turn = cast<int>(block >= of_depth) + cast<int>(block >= 2 * of_depth),
                   of_turn = block - of_depth * turn;
        const auto part = [&](int low_turn) { return promised(cast<int>(turn == low_turn), 2); };
        const Expr row = division.rows() * b + 64 * m + l, eights = 2 * ceil_div(size.columns, 16),
                   piece = division.columns / 8 * b + 8 * n + place_of(k, l, 8);
        tile_a(v, k, l, m, h, b) =
            halves[0].parts(v, promised(pieces * of_turn + place_of(k, l, pieces), pieces * of_depth),
                not_beyond(row, size.rows), part(0));
        tile_b(v, k, l, n, h, b) = halves[1].parts(
            v, not_beyond(piece, eights), promised(lines * of_turn + l, lines * of_depth), part(1));
    }

    // tile_a(v, k, l, m, h, b) is word v of the piece at place k of m-th 64 rows of A, at depth l of block h
    // of a share. Pieces change places, so that lanes read from different banks.
    void take_columns() {
        const Expr block = min(first_block(down) + h, blocks - 1),
                   piece = division.rows() / 4 * tile(down) + 16 * m + place_in_columns(k, l);
        tile_a(v, k, l, m, h, b) =
            A(not_beyond(division.depth * block + l, size.depth), 4 * not_beyond(piece, size.rows / 4) + v);
    }
    static Expr place_in_columns(const Expr &piece, const Expr &line) {
        return exchanged(piece, 2 * (line % 4), 16);
    }

    // sum(r, m, t, bx) is result r of a thread in its m-th 16 rows, of row t / threads and column bx of
    // tiles. A term with a factor of 0 requires what is blocks ahead, which is copied while this one is
    // multiplied; Halide leaves the term out once it knows what is required.
    void multiply() {
        depth = RDom(0, division.shares_depth() ? of_share : blocks, "depth");
        sum(r, m, t, bx) = 0.0f;
        const Expr before = sum(r, m, t, bx);
        if (division.both_in_rows()) {
            sum(r, m, t, bx) = result_of(product, number_of(r), first_words(), before);
            return;
        }
        read_words();
        if (product.adds()) {
            sum(r, m, t, bx) = result_of(product, r, operands_at(depth), before);
            return;
        }
        products(m, k, t, bx) = Tuple(results_of(product, operands_at(k)));
        std::vector<Expr> results;
        for (int i = 0; i < product.results(); i++) {
            results.push_back(products(m, depth, t, bx)[i]);
        }
        sum(r, m, t, bx) += mux(r, results);
    }

    // The number of the result that sum(r, ...) is. Two neighbouring columns are half of the results apart,
    // so that no compiler keeps them as a vector, which each block of the depth would take apart.
    Expr number_of(const Expr &r) const {
        const int half = product.results() / 2;
        return 2 * (r % half) + r / half;
    }

    // Of a thread's 64 rows of A, and of the columns of B. Of halves also the factor of the sums before: the
    // products of low numbers count 2^-11, and are summed before those of high ones.
    std::vector<Expr> first_words() {
        const Expr ahead = depth + division.ahead, row = t / division.threads(), group = group_of_rows();
        std::vector<Expr> operands = {tile_a(0, 0, 0, group, depth, row) +
                                          0.0f * tile_a(3, division.depth / 4 - 1, 63, group, ahead, row),
            tile_b(0, 0, 0, 0, depth, bx) +
                0.0f * tile_b(3, 7, 2 * division.depth - 1, division.sixty_fours() - 1, ahead, bx)};
        if (product.has_factor()) {
            operands.push_back(select(depth == 2 * of_depth, 0x1p-11f, 1.0f));
        }
        return operands;
    }
    Expr group_of_rows() const {
        return division.groups * m + t % division.threads() / TensorProduct::threads;
    }

    // The words of A of a thread. From rows it reads four at a time, which are those of two steps: the panels
    // of B have the depth in that order.
    void read_words() {
        const Expr thread = t % division.threads(), lane = thread % 32, row = t / division.threads();
        if (division.a_in_rows()) {
            const int times = division.depth / 16;
            const Expr line = 16 * (thread / 32 % 4) + lane / 4 + 8 * l,
                       place = place_of(4 * (k % times) + lane % 4, lane / 4, division.depth / 4);
            fours(v, l, m, k, t) = tile_a(v, place, line, group_of_rows(), k / times, row) +
                                   0.0f * tile_a(v, place, line, group_of_rows(), k / times + 1, row);
            words(v, m, k, t) = number_parts::representable(fours(2 * (k % 2) + v / 2, v % 2, m, k / 2, t));
        } else if (division.is_turned()) {  // two neighbouring ones, which are eight rows apart
            const Expr step = k % product.steps(), block = k / product.steps(), word = 2 * (lane / 4 % 2) + v,
                       line = 8 * step + lane % 4 + 4 * l,
                       place = place_in_columns(4 * (thread / 32 % 4) + lane / 8, line);
            fours(v, l, m, k, t) = tile_a(word, place, line, group_of_rows(), block, row) +
                                   0.0f * tile_a(word, place, line, group_of_rows(), block + 1, row);
            words(v, m, k, t) = number_parts::representable(fours(v % 2, v / 2, m, k, t));
        } else {
            const Expr tile = division.threads() / 32 * m + thread / 32, word = tile_a(v, lane, tile, k, row);
            words(v, m, k, t) = division.has_panels() ?
                                    word + 0.0f * tile_a(v, lane, tile, k + division.depth / 8, row) :
                                    word;
        }
        if (product.parts() == 2) {
            parts = {high, low};
        }
        high(v, m, k, t) = number_parts::high_part(words(v, m, k, t));
        low(v, m, k, t) = words(v, m, k, t) - high(v, m, k, t);
    }

    // Of a block of the depth.
    std::vector<Expr> operands_at(const Expr &block) {
        const int steps = product.steps(), ahead = division.has_panels() ? division.depth / 4 : 0;
        std::vector<Expr> operands;
        for (int step = 0; step < steps; step++) {
            for (const Func &part : parts.empty() ? std::vector<Func>{words} : parts) {
                for (int word = 0; word < 4; word++) {
                    operands.push_back(part(word, m, steps * block + step, t));
                }
            }
        }
        const Expr begin = 2 * steps * block, last = begin + 2 * steps - 1 + ahead;
        for (int part = 0; part < product.parts(); part++) {
            operands.push_back(tile_b(0, 0, part, begin, bx) +
                               0.0f * tile_b(3, division.columns - 1, product.parts() - 1, last, bx));
        }
        return operands;
    }

    // Stores the elements of out in the order of the threads: element of four, four, thread, `once`, tile of
    // the group's row, row of tiles, group. Tiles run down `group` columns of tiles at once, so that the
    // blocks that run together share panels or rows. Of rows of both matrices, two neighbouring columns are
    // in place of four. Of a cluster: ..., column of tiles, row of tiles, share. Each thread block stores the
    // sums of its share here, and the text of the kernel those of all (generators/algorithms/tensor_bulk.h).
    void store_in_groups() {
        out(x, y) = Halide::undef<float>();
        if (division.in_cluster()) {
            place(across, shares);
            return store_pairs(domain[4], domain[6]);
        }
        place(division.group, ceil_div(across, division.group));
        const Expr tile_x = domain[4] + division.group * domain[6];
        domain.where(below(tile_x, across));
        if (division.both_in_rows() && !division.in_halves()) {
            return store_pairs(tile_x);
        }
        store([&](const Expr &column, const Expr &row) { return out(column, row); }, tile_x);
    }

    void store_pairs(const Expr &tile_x, const Expr &share = 0) {
        const int eights = division.columns / 8, threads = division.threads();
        const Expr element = domain[0], of_tile = domain[1] % eights, lower = domain[1] / eights % 2,
                   m = domain[1] / (2 * eights), thread = domain[2], lane = thread % 32,
                   eight = eights * tile_x + of_tile, tile_y = domain[5] * once + domain[3];
        const Expr row =
            division.rows() * tile_y + threads / 2 * m + 16 * (thread / 32) + lane / 4 + 8 * lower;
        domain.where(below(eight, size.columns / 8) && below(row, size.rows));
        const Expr pair = promised(4 * eight + lane % 4, size.columns / 2);
        out(2 * pair + element, promised(row, size.rows)) =
            sum(product.results() / 2 * element + lower + 2 * of_tile, m,
                thread + threads * (division.shares * tile_y + share), division.shares * tile_x + share);
    }

    // The same of partial: ..., column of tiles, row of tiles, share. Elements are the sums of their shares.
    void store_shares() {
        place(across, shares);
        partial(x, y, share) = Halide::undef<float>();
        if (division.is_turned()) {
            store_turned();
        } else {
            store([&](const Expr &column, const Expr &row) { return partial(column, row, domain[6]); },
                domain[4], domain[6]);
        }
        const RDom each(0, shares, "each");
        added(x, y) = 0.0f;
        added(x, y) += partial(x, y, each);
    }

    // The elements of a thread that are eight rows of the tensor cores apart are neighbours in partial.
    void store_turned() {
        const int fours = division.columns / 16, threads = division.threads();
        const Expr lower = domain[0], element = domain[1] % 4, four = domain[1] / 4 % fours,
                   m = domain[1] / (4 * fours), thread = domain[2], lane = thread % 32, share = domain[6],
                   tile_x = domain[4] * once + domain[3], tile_y = domain[5] * once + domain[3];
        const Expr pair = division.rows() / 2 * tile_y + threads / 4 * m + 8 * (thread / 32) + lane / 4,
                   column = division.columns * tile_x + 16 * four + 4 * (lane % 4) + element;
        domain.where(below(pair, size.rows / 2) && below(column, size.columns));
        partial(2 * promised(pair, size.rows / 2) + lower, promised(column, size.columns), share) =
            sum(element % 2 + 2 * lower + 4 * (2 * four + element / 2), m,
                thread + threads * (tile_y + down * share), domain[4] + across * share);
    }

    // The places of the order above, with the first and the last extent of thread blocks.
    void place(const Expr &columns, const Expr &last) {
        const int together = division.stores_fours() ? 4 : 2;
        domain = RDom({{0, together}, {0, division.columns / 2 / together * division.tiles},
                          {0, division.threads()}, {0, once}, {0, columns}, {0, down}, {0, last}},
            "place");
    }

    // at(column, row) is the element to store, of a share of the depth.
    template<typename At>
    void store(const At &at, const Expr &tile_x, const Expr &share = 0) {
        const int fours = division.columns / 16, threads = division.threads();
        const Expr element = domain[0], four = domain[1] % fours, lower = domain[1] / fours % 2,
                   m = domain[1] / (2 * fours), thread = domain[2], lane = thread % 32,
                   tile_y = domain[5] * once + domain[3];
        // Columns that the panels exchanged are four in a row, which a thread stores at once where rows of A
        // are copied. Their place has a term of `once`, which is 0: without it the compiler would compute all
        // places before the sums, and keep them in registers that the sums need.
        const Expr in_fours = division.columns / 4 * (tile_x * once + domain[3]) + 4 * four + lane % 4,
                   column = division.aligns_out() ? 4 * promised(in_fours, size.columns / 4) + element :
                                                    promised(4 * in_fours + element, size.columns);
        const Expr row =
            division.rows() * tile_y + threads / 2 * m + 16 * (thread / 32) + lane / 4 + 8 * lower;
        domain.where((division.aligns_out() ? below(in_fours, size.columns / 4) :
                                              below(4 * in_fours + element, size.columns)) &&
                     below(row, size.rows));
        const Expr eight = 2 * four + element / 2,
                   result = division.in_halves() ? product.results() / 2 * (element % 2) + lower + 2 * eight :
                                                   element % 2 + 2 * lower + 4 * eight,
                   made = sum(result, m, thread + threads * (tile_y + down * share), tile_x + across * share);
        at(column, promised(row, size.rows)) =
            division.in_halves() ? scaled_back(made, column, promised(row, size.rows)) : made;
    }

    // Of scaled numbers: two factors, because their product may be beyond the numbers that there are. Where
    // small numbers have lost too much for the bound, it is NaN, which is summed again.
    Expr scaled_back(const Expr &made, const Expr &column, const Expr &row) const {
        const Func &of_row = halves[0].scale, &of_column = halves[1].scale;
        const Expr power = of_row(row)[0] + of_column(column)[0], half = power >> 1,
                   number = made * HalfParts::power_of_two(half) * HalfParts::power_of_two(power - half);
        return select(abs(made) < of_row(row)[1] + of_column(column)[1],
            Halide::reinterpret<float>(number_parts::bits(0x7fc00000)), number);
    }

    // Sums the elements that are not finite again, in blocks of 32 by 8. The others are in out; without
    // panels they are the sums of all shares. Halide sums only for those, because it leaves a stage out where
    // nobody uses its result. It sees that through clamp(), and not through promised(). It decides once per
    // loop, so that the sums of shares, on which the decision depends, are made in the loop around, and the
    // condition has the variable of the inner loop (again[0], which is 0).
    void sum_again() {
        const Expr columns = division.is_turned() ? size.rows : size.columns,
                   rows = division.is_turned() ? size.columns : size.rows;
        all = RDom(0, size.depth, "all");
        plain(x, y) += division.is_turned() ? A(all, x) * B(y, all) : A(all, y) * B(x, all);
        constexpr int wide = 32, tall = 8;
        again = RDom({{0, once}, {0, once}, {0, wide}, {0, tall}, {0, ceil_div(columns, wide)},
                         {0, ceil_div(rows, tall)}},
            "again");
        const Expr to_x = wide * again[4] + again[2], to_y = tall * again[5] + again[3];
        const Expr column = clamp(to_x, 0, columns - 1), row = clamp(to_y, 0, rows - 1);
        again.where(below(to_x, columns) && below(to_y, rows));
        if (!division.adds_shares()) {
            again.where(number_parts::is_infinite(out(column, row)));
            out(column, row) = plain(column, row);
            return;
        }
        out(x, y) = Halide::undef<float>();
        const Expr number = added(column, row);
        out(column, row) =
            select(number_parts::is_infinite(number) && again[0] <= size.depth, plain(column, row), number);
    }
};

}  // namespace tilewright
