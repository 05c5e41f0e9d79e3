#pragma once
// What the variants of gaussian_blur say of their forms: shared by the generators, the schedules, the stages
// of pipelines and the front (generators/algorithms/configuration.h). Plain C++ without Halide.h.
#include <cstdint>
#include <string>

namespace tilewright {

// Of GaussianBlurNear and GaussianBlurHalf.
struct GaussianBlurNearConfiguration {
    // Where the pass along rows finds the image that is blurred down columns. It decides which images fit.
    enum class Between {
        memory,    // in memory
        textures,  // in a texture, and the source is in another one: their sides are limited
        tiles,     // in shared memory, tile by tile, with the tile's part of the source: its size is limited
    };
    Between between = Between::memory;

    template<typename Visit>
    void fields(Visit visit) {
        visit("between", between);
    }
};

// Of GaussianBlurChunks: neighbouring threads have neighbouring lines, up to so many, and bands are whole
// tiles of so many rows.
constexpr int gaussian_blur_lines_of_tile = 64;

// Of GaussianBlurExp.
struct GaussianBlurExpConfiguration {
    bool own_exp = false;  // exp() is the device's own, whose error the standard leaves open

    template<typename Visit>
    void fields(Visit visit) {
        visit("own_exp", own_exp);
    }
};

// Of GaussianBlurTerms.
struct GaussianBlurTermsConfiguration {
    int radius = 0;  // the variant serves this one

    template<typename Visit>
    void fields(Visit visit) {
        visit("radius", radius);
    }
};

// Of GaussianBlurShortSums.
struct GaussianBlurShortSumsConfiguration {
    int means = 1;  // the variant serves taps that need so many (ShortSums)

    template<typename Visit>
    void fields(Visit visit) {
        visit("means", means);
    }
};

// Of GaussianBlurDots and GaussianBlurDotRows.
struct GaussianBlurDotsConfiguration {
    int group = 4;        // pixels in one dot product: 4 bytes (u8), or 2 numbers of 16 bits (u8 and u16)
    int channels = 1;     // the variant serves images of so many
    int most_radius = 0;  // GaussianBlurDotRows: the variant serves radii up to this one

    template<typename Visit>
    void fields(Visit visit) {
        visit("group", group);
        visit("channels", channels);
        visit("most_radius", most_radius);
    }
};

// Of GaussianBlurProducts and GaussianBlurFusedProducts.
struct GaussianBlurProductsConfiguration {
    int channels = 1;  // the variant serves images of so many
    // GaussianBlurFusedProducts: steps of 32 positions in the window of 32 outputs. The taps reach 16 (steps
    // - 1) positions at most.
    int steps = 0;
    bool short_taps = false;  // GaussianBlurFusedProducts: the variant serves u8 whose taps are one byte
    bool ahead = false;       // GaussianBlurFusedProducts: the image is loaded a step ahead

    // The steps whose taps have byte `byte`: of u8, only taps near the middle have a second one.
    int steps_of(int byte, bool is_u8) const {
        return !is_u8 || byte == 0 ? steps : short_taps ? 0 : steps > 2 ? 2 : steps;
    }

    template<typename Visit>
    void fields(Visit visit) {
        visit("channels", channels);
        visit("steps", steps);
        visit("short_taps", short_taps);
        visit("ahead", ahead);
    }
};

// Of GaussianBlurHalfProducts.
struct GaussianBlurHalvesConfiguration {
    int reach = 0;  // of the taps that the variant serves, a multiple of 8

    template<typename Visit>
    void fields(Visit visit) {
        visit("reach", reach);
    }
};

// Of GaussianBlurRingProducts.
struct GaussianBlurRingConfiguration {
    int units = 0;  // of 16 positions in the window of 16 outputs, which reaches 8 (units - 1) aside
    bool short_taps = false;  // the variant serves taps of one byte

    template<typename Visit>
    void fields(Visit visit) {
        visit("units", units);
        visit("short_taps", short_taps);
    }
};

// Of the forms with a window of fixed radius: GaussianBlurWindow, GaussianBlurWindowDot and
// GaussianBlurColours.
struct GaussianBlurWindowConfiguration {
    int radius = 0;  // the variant serves radii up to this one
    // GaussianBlurWindow: workers read the numbers of their rows from a table that their group makes, which
    // takes fewer instructions than computing them; not for the border `zero`.
    bool table = false;
    // Not for several channels of u8: workers whose rows are all inside the image read them without any
    // arithmetic of the border (RowsInTwoWays).
    bool two_ways = false;
    // The variant serves images of so many interleaved channels.
    int channels = 1;
    // GaussianBlurWindowDot and GaussianBlurColours: only taps below `high` may exceed a byte.
    int high = 0;
    // GaussianBlurWindowDot: without it, a variant is only for widths that are multiples of 4 and for the
    // border `reflect`, which then reverses whole words.
    bool any_width = true;

    template<typename Visit>
    void fields(Visit visit) {
        visit("radius", radius);
        visit("table", table);
        visit("two_ways", two_ways);
        visit("channels", channels);
        visit("high", high);
        visit("any_width", any_width);
    }
};

// What a variant of these forms says: its configuration, and its tile, which is its tunables. The tile of the
// output that is computed at a time has columns x (rows * groups) pixels, and a window has `window` pixels:
// see WindowTile, which counts other units.
struct GaussianBlurWindowVariant : GaussianBlurWindowConfiguration {
    int columns = 0, rows = 0, groups = 0, window = 0;

    // tunable(name) gives the value of one of the variant's tunables.
    template<typename Tunable>
    GaussianBlurWindowVariant(const GaussianBlurWindowConfiguration &configuration, const Tunable &tunable)
        : GaussianBlurWindowConfiguration(configuration), columns(tunable("columns")), rows(tunable("rows")),
          groups(tunable("groups")), window(tunable("window")) {}

    // The reason why these numbers describe no tile; empty where they describe one. A worker of the pass down
    // columns computes rows in groups of `rows_at_once`.
    std::string why_not(int rows_at_once) const {
        constexpr int word = 4;  // elements, of all types
        if (columns % window) {
            return "columns must be a multiple of window";
        }
        if (window * channels % word) {
            return "a window must be a multiple of 4 elements";
        }
        return rows % rows_at_once ? "rows must be a multiple of " + std::to_string(rows_at_once) : "";
    }

    // A grid has at most 65535 tiles along its second dimension.
    int64_t most_height() const {
        return 65535ll * rows * groups;
    }
};

}  // namespace tilewright
