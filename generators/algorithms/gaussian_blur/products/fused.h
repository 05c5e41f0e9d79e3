#pragma once
// A form of gaussian_blur for u8 and u16 images of one to four channels: both passes are banded products of
// bytes, as tensor cores multiply them, in one kernel. Variants: tuned_fused on CUDA, for u16 of one channel.
#include "generators/algorithms/gaussian_blur/products/banded.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include <string>
#include <vector>

namespace tilewright {

// A group of workers goes down a strip of the image, 32 rows per step. The strip is `tiles` tiles of 32
// columns; the pass along rows has fewer outputs, because its windows reach beyond them. In the group's
// memory, an image of several channels, or of two bytes per number, is divided into planes of bytes:
//     lines      of the rows that a step reads: the words of columns, four rows in each
//     between    of 32 rows that are blurred down columns: the words of rows
//     blurred    of the same rows, blurred along rows too
// Image and output are rows of words.
struct GaussianBlurFusedProducts : Halide::NamesInterface {
    static constexpr const char *name = "gaussian_blur_fused_products";
    static constexpr bool in_bands = false;
    // Images of so many channels of so many bytes, and the tiles of a strip.
    struct Group {
        int channels, bytes, tiles, steps;

        template<typename Tunable>
        static Group of(int channels, int bytes, const Tunable &tunable) {
            return {channels, bytes, tunable("tiles"), tunable("steps")};
        }
        int planes() const {
            return channels * bytes;
        }
    };

    Var x{"x"}, y{"y"}, j{"j"}, c{"c"}, u{"u"}, b{"b"}, k{"k"}, i{"i"}, e{"e"}, g{"g"}, n{"n"}, q{"q"},
        tile{"tile"}, step{"step"}, block{"block"};
    Func source{"source"}, columns{"columns"}, lines{"lines"};
    BandedProducts down{"down"}, along{"along"};
    Func down_words{"down_words"}, between{"between"}, along_words{"along_words"}, blurred{"blurred"},
        out{"out"};
    RDom to;
    Group pixel;
    int tiles;

    // reach: the words that a window has before its output.
    GaussianBlurFusedProducts(Func image, Expr width, Expr height, const BorderMap &border,
        const std::vector<TapPlane> &taps, Expr reach, Expr multiplier, const Group &group,
        const ByteProduct &product, const WordOperations &word)
        : pixel(group), tiles(group.tiles), outputs_(tiles + 1 - taps[0].steps) {
        read(image, width, height, border);
        divide_into_planes(reach, word);
        down.multiply(
            pixel.bytes, taps,
            [&](Expr j, Expr line, Expr g, Expr tile, int byte, Expr k, Expr block) {
                return lines(j, 8 * (line % tiles) + g, line / tiles, byte, 8 * tile - reach + k, block);
            },
            product);
        between_passes(multiplier, word);
        along.multiply(
            pixel.bytes, taps,
            [&](Expr j, Expr line, Expr g, Expr tile, int byte, Expr k, Expr block) {
                const Expr from = 8 * (tiles * (tile / tiles) + min(tile % tiles, outputs_ - 1)) + k;
                return between(j, g, promised(from, 8 * tiles * pixel.channels), byte, line, block);
            },
            product);
        behind_passes(multiplier, word);
        store(width, height, group.steps, word);
    }

private:
    Expr outputs_;  // tiles of outputs in a strip

    // source(x, y): word x of row y of the image and what continues it, with a branch for what is outside.
    void read(Func image, const Expr &width, const Expr &height, const BorderMap &border) {
        const auto hex = WordOperations::hex;
        const int planes = pixel.planes();
        const Expr words = ceil_div(planes * width, 4), from = border.inside(y, height, border.high_y);
        Expr outside = hex(0);
        for (int n = 0; n < 4; n++) {
            const Expr byte = 4 * x + n, at = byte / planes, inside = border.inside(at, width, border.high_x),
                       place = planes * inside + byte - planes * at,
                       value = (image(promised(place / 4, words), from) >>
                                   Halide::cast<uint32_t>(8 * (place % 4))) &
                               hex(255);
            outside = outside | (select(border.zero == 0 || (inside == at && from == y), value, hex(0))
                                    << hex((uint32_t)(8 * n)));
        }
        source(x, y) = if_else(below(x, planes * width / 4) && below(y, height),
            image(promised(x, words), promised(y, height)), outside);
    }

    // columns(j, u, c, b, k, block): byte b of column 4 u + j of channel c, of the rows 4 k ... 4 k + 3. The
    // words of all planes of four columns follow each other in the image.
    void divide_into_planes(const Expr &reach, const WordOperations &word) {
        const int planes = pixel.planes();
        const Expr at = 8 * outputs_ * block - reach + u;
        std::vector<Expr> all;
        for (int n = 0; n < planes; n++) {
            const auto of_row = [&](int r) { return source(planes * at + n, 4 * k + r); };
            for (const Expr &column : word.transposed(of_row(0), of_row(1), of_row(2), of_row(3))) {
                all.push_back(column);
            }
        }
        columns(j, u, c, b, k, block) = mux(planes * j + pixel.bytes * c + b, all);
        lines(j, u, c, b, k, block) = columns(j, u, c, b, k, block);
    }

    // between(i, g, u, b, step, block): four columns of row 32 step + 4 g + i. u / 2 - 4 (u / 8) is u % 8 /
    // 2, but Halide sees that it is one number for two neighbours u.
    void between_passes(const Expr &multiplier, const WordOperations &word) {
        const auto of_byte = [&](int byte) {
            return down.joined(
                [&](int) { return i; }, [&](int n) { return 4 * e + n; }, byte, multiplier, word);
        };
        down_words(i, e, b, down.q, down.g, down.line, down.tile, down.block) =
            pixel.bytes == 1 ? of_byte(0) : mux(b, {of_byte(0), of_byte(1)});
        between(i, g, u, b, step, block) =
            down_words(i, u % 2, b, clamp(u / 2 - 4 * (u / 8), 0, 3), g, u / 8, step, block);
    }

    // blurred(g, tile, n, q, b, step, block): the same of word g of a tile, of row 8 q + n of the step,
    // blurred along rows.
    void behind_passes(const Expr &multiplier, const WordOperations &word) {
        const auto of_byte = [&](int byte) {
            return along.joined([&](int n) { return n; }, [&](int) { return i; }, byte, multiplier, word);
        };
        along_words(i, b, along.q, along.g, along.line, along.tile, along.block) =
            pixel.bytes == 1 ? of_byte(0) : mux(b, {of_byte(0), of_byte(1)});
        blurred(g, tile, n, q, b, step, block) = along_words(n, b, q, g, step, tile, block);
    }

    // Places of out: row of a worker, part (see below), word of 32, words of a strip, rows of a step, steps
    // of a group, strips, groups below each other.
    void store(const Expr &width, const Expr &height, int steps, const WordOperations &word) {
        const int planes = pixel.planes(), rows = 8 * pixel.bytes;
        const Expr words = ceil_div(planes * width, 4);
        to = RDom({{0, rows}, {0, 2}, {0, 32}, {0, tiles * planes / 4}, {0, 32 / rows}, {0, steps},
                      {0, ceil_div(width, 32 * outputs_)}, {0, ceil_div(ceil_div(height, 32), steps)}},
            "to");
        const Expr part = to[1], of_strip = to[2] + 32 * to[3], of_step = to[0] + rows * to[4],
                   down = to[5] + steps * to[7];
        const Expr at_x = 8 * planes * outputs_ * to[6] + of_strip, at_y = 32 * down + of_step;
        const Expr whole = below(at_x, planes * width / 4) && below(at_y - to[0] + rows - 1, height);
        to.where(below(of_strip, 8 * planes * outputs_));
        to.where(select(part == 0, whole, !whole && below(at_x, words) && below(at_y, height)));
        out(x, y) = Halide::undef<uint32_t>();
        const Expr to_x = promised(at_x, words), to_y = promised(at_y, height);
        const Expr made = interleaved(of_strip, of_step, down, to[6], word);
        const auto hex = WordOperations::hex;
        const Expr bytes = planes * width - 4 * to_x, counts = select(bytes >= 4, hex(0xffffffff),
                                                          (hex(1) << Halide::cast<uint32_t>(8 * bytes)) - 1);
        out(to_x, to_y) = select(part == 0, made, (made & counts) | (out(to_x, to_y) & ~counts));
    }

    // Word `at` of a row of a strip of the output.
    Expr interleaved(const Expr &at, const Expr &of_step, const Expr &down, const Expr &strip,
        const WordOperations &word) const {
        const int planes = pixel.planes();
        Expr words[4], bytes[4];
        for (int n = 0; n < 4; n++) {
            const Expr byte = 4 * (at % planes) + n, plane = byte % planes;
            const Expr of_tile =
                promised(tiles * (plane / pixel.bytes) + at / planes / 8, tiles * pixel.channels);
            words[n] =
                blurred(at / planes % 8, of_tile, of_step % 8, of_step / 8, plane % pixel.bytes, down, strip);
            bytes[n] = Halide::cast<uint32_t>(byte / planes);
        }
        return planes == 1 ? words[0] :
                             word.pick(word.pick(words[0], words[1], bytes[0] | ((bytes[1] + 4) << 4)),
                                 word.pick(words[2], words[3], bytes[2] | ((bytes[3] + 4) << 4)),
                                 WordOperations::hex(0x5410));
    }
};

}  // namespace tilewright
