#pragma once
// A form of transpose: patches of 4 x 4 pixels, whose rows are whole 32-bit words. Variants: tuned_aligned.
// A form, because Halide 21 stores the dimensions of a Func one after another and splits none of them: it
// cannot store the same row of all patches side by side (tests/halide/storage_test.cpp).
#include "Halide.h"
#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace tilewright {

// Makes a word of four bytes of two others: byte b of permute(low, high, selector) is the byte that
// hexadecimal digit b of the selector names: digits 0 ... 3 name the bytes of low, and 4 ... 7 those of high.
// An empty function: bytes are moved by shifts and masks.
using Permute = std::function<Halide::Expr(Halide::Expr low, Halide::Expr high, uint32_t selector)>;

// How a patch of 4 x 4 pixels of `bytes` bytes, which is four rows of `bytes` words, is transposed. Byte o of
// row r of the transposed patch is byte o % bytes of the pixel in row o / bytes and column r.
struct Patch {
    int bytes;
    Permute permute;

    // Word j of row r of the transposed patch, for any j and r; word(i, k) gives word k of row i of the
    // patch.
    template<typename Word>
    Halide::Expr transposed(Halide::Expr j, Halide::Expr r, Word word) const {
        std::vector<Halide::Expr> words;
        for (int a = 0; a < bytes; a++) {
            std::vector<Halide::Expr> rows;
            for (int b = 0; b < 4; b++) {
                rows.push_back(transposed_word(a, b, word));
            }
            words.push_back(mux(r, rows));
        }
        return bytes == 1 ? words[0] : mux(j, words);
    }

private:
    // For each of four bytes: the index of the word that it comes from, and its position in that word.
    using Sources = std::vector<std::pair<size_t, int>>;

    template<typename Word>
    Halide::Expr transposed_word(int j, int r, Word word) const {
        // The input word of each of the four bytes: its row in the patch, and its place in the row.
        std::vector<std::pair<int, int>> origins;
        Sources sources;
        for (int o = 4 * j; o < 4 * j + 4; o++) {
            const int byte = bytes * r + o % bytes;
            const std::pair<int, int> origin{o / bytes, byte / 4};
            const size_t n = std::find(origins.begin(), origins.end(), origin) - origins.begin();
            if (n == origins.size()) {
                origins.push_back(origin);
            }
            sources.push_back({n, byte % 4});
        }
        std::vector<Halide::Expr> words;
        for (const auto &[i, k] : origins) {
            words.push_back(word(i, k));
        }
        return bytes == 4 ? words[0] :
               permute    ? joined_by_permute(words, sources) :
                            joined_by_masks(words, sources);
    }

    // Each further word is joined to the bytes that the words before it gave.
    Halide::Expr joined_by_permute(const std::vector<Halide::Expr> &words, const Sources &sources) const {
        Halide::Expr joined = words[0];
        for (size_t n = 1; n == 1 || n < words.size(); n++) {
            uint32_t selector = 0;
            for (int b = 0; b < 4; b++) {
                const auto [from, byte] = sources[b];
                const uint32_t digit = from == n ? byte + 4 : n == 1 ? byte : b;
                selector |= digit << (4 * b);
            }
            joined = permute(joined, n < words.size() ? words[n] : joined, selector);
        }
        return joined;
    }

    // Bytes of one word that move by the same distance are moved together.
    static Halide::Expr joined_by_masks(const std::vector<Halide::Expr> &words, const Sources &sources) {
        // Word, bytes to move up -> mask of the bytes of the result.
        std::map<std::pair<size_t, int>, uint32_t> moves;
        for (int b = 0; b < 4; b++) {
            moves[{sources[b].first, b - sources[b].second}] |= 0xffu << (8 * b);
        }
        Halide::Expr joined = Halide::cast<uint32_t>(0);
        for (const auto &[move, mask] : moves) {
            const auto &[n, up] = move;
            joined = joined | ((up > 0 ? words[n] << (8 * up) : words[n] >> (-8 * up)) & Halide::Expr(mask));
        }
        return joined;
    }
};

// The transpose of an image of whole patches, as 32-bit words. Word k of row i of patch (q, p) of the input
// is in(k, q, i, p). Word j of row r of patch (p, q) of the output is out(j, p, r, q).
struct TransposePatches : Halide::NamesInterface {
    static constexpr const char *name = "transpose_patches";
    Var j{"j"}, p{"p"}, r{"r"}, q{"q"};
    int bytes;  // of a pixel, which is also the number of words of a patch's row
    Func in, transposed{"turned"}, out{"out"};

    TransposePatches(Func words, const Patch &patch) : bytes(patch.bytes), in(words) {
        transposed(j, p, r, q) = patch.transposed(j, r, [&](int i, int k) { return in(k, q, i, p); });
        out(j, p, r, q) = transposed(j, p, r, q);
    }
};

}  // namespace tilewright
