#pragma once
// The variants of gaussian_blur on CPUs that add in integers: by dot products, in sums of 16 bits, and in the
// order of the image. Their schedules are in gaussian_blur_cpu.h.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "schedules/gaussian_blur/gaussian_blur_cpu.h"
#include "schedules/schedule.h"
#include <string>

namespace tilewright {

// For which calls a variant of so many channels stays without a measured call.
inline const char *not_measured(int channels) {
    return channels == 2 ? "images of two channels" : "";
}

// A variant for images of so many channels.
inline ScheduleVariant of_channels(double channels, ScheduleVariant variant) {
    return std::move(variant).serves("channels", {.least = channels, .most = channels});
}

// Where a schedule keeps whole rows of the image: at most 64 bytes per element, and Halide's arrays hold 2^31
// bytes.
inline const Range kept_rows{.most = 1 << 22};

// The rows by dot products, for images of so many channels. In a chunk of 64 columns, an image of at most so
// many takes half the time: 5000 x 3 u8, sigma 2, 1.6 -> .8 ms (one thread, Zen 4 with AVX-512). Chunks of
// colours are shorter: RGB u8 2048 x 2048, sigma 1, chunks of 1024 / 512 / 256 elements 5.4 / 5.6 / 4.7 ms
// (2026-11-23).
inline ScheduleVariants dots_variants(const std::string &name, int channels, int most_columns = 0) {
    const GaussianBlurDotsConfiguration bytes{4, channels}, pairs{2, channels};
    const int chunk = most_columns  ? most_columns :
                      channels == 1 ? 1024 :
                                      256,
              vectors = channels == 1 && !most_columns ? 4 : 1;
    ScheduleVariant of_bytes = of_channels(channels,
                        variant(name, vnni, "u8", gaussian_blur_cpu::dots, bytes,
                            {{"rows", 16, 8, 64}, {"vectors", 1, 1, 4}, {"chunk", chunk, 64, 1024}})),
                    of_words = of_channels(
                        channels, variant(name, cpu, "u16", gaussian_blur_cpu::dots, pairs,
                                      {{"rows", 16, 8, 64}, {"vectors", channels == 2 ? 2 : vectors, 1, 4},
                                          {"chunk", chunk, 64, 1024}}));
    if (most_columns) {
        const Range narrow{.most = (double)most_columns};
        of_bytes = std::move(of_bytes).meant_for("columns_with_halo", narrow);
        of_words = std::move(of_words).meant_for("columns_with_halo", narrow).avx2();
    }
    return {
        std::move(of_bytes)
            .kept_for(not_measured(channels))
            .says("Tiles of rows over the cores, with dot products of four bytes: 16 outputs per "
                  "instruction."),
        std::move(of_words)
            .kept_for(not_measured(channels))
            .says("Tiles of rows over the cores, with dot products of two 16-bit numbers, and 32-bit sums."),
    };
}

// The row by dot products for u8 images of so many channels on processors without dot products of bytes. Its
// code for AVX2 takes .91 to .97 of the time of that for AVX-512 (grey 2048 x 2048 and 640 x 480, RGB
// 1024 x 1024 and 640 x 480, sigma 1 to 6, one thread, AMD EPYC, Zen 4, 2026-11-23).
inline ScheduleVariant pairs_variant(const std::string &name, int channels) {
    const GaussianBlurDotsConfiguration pairs{2, channels};
    return of_channels(channels, variant(name, cpu, "u8", gaussian_blur_cpu::dots, pairs,
                                     {{"rows", 16, 8, 64},
                                         {"vectors",
                                             channels == 1 ? 4 :
                                             channels == 2 ? 2 :
                                                             1,
                                             1, 4},
                                         {"chunk", channels == 1 ? 1024 : 256, 64, 1024}}))
        .avx2()
        .kept_for(not_measured(channels))
        .says("As tuned_dots, with dot products of two 16-bit numbers, which every processor has.");
}

// The rows with sums of 16 bits, for images of any channels. One thread of a Xeon (Sapphire Rapids,
// 2026-11-23, other programs ran), ms, tuned_short, tuned_pairs_in_order, tuned_in_order, sigma 1:
//     AVX2       u8 4096 x 4096 5.4, 11.0, -; 640 x 480 .091, .215, -; RGB u8 2048 x 2048 3.9, 11.0, -
//     AVX-512    u8 4096 x 4096 4.2, 8.6, 4.8; 640 x 480 .070, .159, .089; RGB u8 2048 x 2048 3.1, 11.8, 4.0
inline ScheduleVariants short_variants() {
    const auto of_means = [](const std::string &name, int means, const char *sentence) {
        return variant(name, cpu, "u8", gaussian_blur_cpu::short_sums,
            GaussianBlurShortSumsConfiguration{means}, {{"rows", 8, 4, 16}, {"vectors", 1, 1, 4}})
            .serves("elements", {.least = 32, .most = kept_rows.most})  // the longest vectors have 32
            .says(sentence);
    };
    return {
        of_means("tuned_short", 1,
            "Tiles of 8 rows over the cores; sums of 16 bits, for small weights of an even sum (sigma 1)."),
        of_means("tuned_short_odd", 2, "As tuned_short, for weights of an odd sum (sigma .8).")
            .kept_for("sigma below 1"),
    };
}

// The rows that read the image in order, for radii up to 12: for larger ones the groups of rows that are kept
// would leave the second-level cache in wide images (u16 4096 x 4096, sigma 10: 1.06 of the time of
// tuned_dots). They are fast for narrow images too: 10000 rows of 8 / 17 / 47 columns, sigma 1, take .24 /
// .39 / .26 ms for u8 and .54 / .53 / .68 ms for u16 (AMD EPYC, Zen 4, 2026-11-23). Images of two channels
// are left to tuned_dots_2 and tuned_pairs_2, which take 1.3 times as long (sigma 1, 1024 x 1024, AVX2).
inline ScheduleVariants in_order_variants() {
    using gaussian_blur_cpu::dots_in_order;
    const char *bytes = "Strips of rows over the cores: each row of the image is read once, and in order.",
               *pairs =
                   "As tuned_in_order, with dot products of two 16-bit numbers, which every processor has.";
    constexpr int most_radius = 12;
    ScheduleVariants variants;
    for (int channels : {1, 3, 4}) {
        const std::string suffix = channels == 1 ? "" : "_" + std::to_string(channels);
        const auto in_order = [&](const char *name, Backends where, const char *type, int group, int vectors,
                                  const char *sentence) {
            const GaussianBlurDotsConfiguration dots{
                .group = group, .channels = channels, .most_radius = most_radius};
            variants.push_back(of_channels(
                channels, variant(name + suffix, where, type, dots_in_order, dots,
                              {{"rows", 128, 32, 512}, {"vectors", vectors, 1, 4}, {"chunk", 256, 64, 1024}}))
                    .serves("radius", {.most = most_radius})
                    .serves("elements", kept_rows)
                    .meant_for("columns_with_halo", {.least = 20})
                    .says(sentence));
        };
        in_order("tuned_in_order", vnni, "u8", 4, 1, bytes);
        in_order("tuned_in_order", cpu, "u16", 2, channels == 1 ? 2 : 1, pairs);
        in_order("tuned_pairs_in_order", cpu, "u8", 2, channels == 1 ? 2 : 1, pairs);
    }
    return variants;
}

}  // namespace tilewright
