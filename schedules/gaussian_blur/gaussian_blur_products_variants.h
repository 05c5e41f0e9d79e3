#pragma once
// The variants of gaussian_blur on tensor cores.
#include "schedules/gaussian_blur/gaussian_blur_fused_products.h"
#include "schedules/gaussian_blur/gaussian_blur_products.h"
#include "schedules/gaussian_blur/gaussian_blur_ring_products.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright::gaussian_blur_products {

using Row = GaussianBlurProductsConfiguration;

// The variant for images of so many channels as the row says.
template<typename Schedule>
ScheduleVariant products_variant(const std::string &name, const char *type, Schedule schedule, const Row &row,
    std::vector<Tunable> tunables) {
    return variant(name, gpu, type, schedule, row, std::move(tunables))
        .serves("channels", {.least = (double)row.channels, .most = (double)row.channels});
}

inline ScheduleVariant fused_variant(const std::string &name, const char *type, const Row &row) {
    return products_variant(name + std::to_string(16 * (row.steps - 1)), type, fused, row, {{"tiles", 8}})
        .says("One kernel; the tensor cores multiply the bytes of pixels and of a band of taps.");
}

// Both passes in one kernel, by what the taps reach. On an H200 (2026-11-29, ms):
//     u8    8192 x 8192, sigma 2.25 .0692, 3.25 .0867, 7.5 .106; with loads ahead and 80 registers .0595,
//           .0769 and .101, but 4000 x 3000 takes 1.03 to 1.08 of the time
//     u16   8192 x 8192, sigma 2.25 .195, with 16 tiles .250; without loads ahead .204, with 64 registers
//           .370
//     RGB   4096 x 4096, sigma 7.5 .145; with windows of radius 16 it took .110, and dot products .099
inline ScheduleVariants fused_variants() {
    const std::string others = "widths that are no multiple of 8";
    ScheduleVariants variants;
    for (const int steps : {2, 3, 4}) {
        variants.push_back(fused_variant("tuned_fused_", "u8", {.steps = steps})
                .registers("", 64)
                .kept_for(steps == 4 ? others : ""));
        variants.push_back(
            fused_variant("tuned_fused_", "u16", {.steps = steps, .ahead = true}).registers("", 128));
    }
    variants.push_back(fused_variant("tuned_fused_short_", "u8", {.steps = 2, .short_taps = true})
            .registers("", 64)
            .kept_for(others)
            .says("As tuned_fused, for taps of one byte: half of the products."));
    for (const int channels : {3, 4}) {
        variants.push_back(fused_variant("tuned_fused_colours_" + std::to_string(channels) + "_", "u8",
            {.channels = channels, .steps = 3, .ahead = true})
                .registers("", 128));
    }
    return variants;
}

// u8 in one kernel with the image's bytes in registers, by what the taps reach. `groups`: those that a
// multiprocessor runs at once. 8192 x 8192 on an H200 (2026-11-30, ms), warps x groups: sigma 5, 8 x 2 .0771,
// 10 x 2 with 96 registers .0748 (but 1920 x 1080 .0081 in place of .0069), 16 x 1 .0801; sigma 7.5, 8 x 2
// .0843, 16 x 1 .0879; sigma 10, 16 x 1 .0946, 8 x 2 .0998, 9 x 2 with 112 registers .146, 12 x 1 .102.
inline ScheduleVariants ring_variants() {
    const auto made = [](const GaussianBlurRingConfiguration &row, int warps, int groups) {
        const int reach = UnitBands{row.units, row.short_taps}.reach();
        return variant("tuned_ring_" + std::to_string(reach), gpu, "u8", ring, row,
            {{"warps", warps, 4, 16}, {"groups", groups, 1, 8}})
            .serves("channels", {.least = 1, .most = 1})
            .says("One kernel; the tensor cores multiply bytes that stay in registers.");
    };
    return {made({.units = 2, .short_taps = true}, 8, 3).registers("", 80),
        made({.units = 4}, 8, 2).registers("", 128), made({.units = 5}, 8, 2).registers("", 128),
        made({.units = 6}, 16, 1).registers("", 128)};
}

// Both passes in two kernels, of any radius. 8192 x 8192 u8, sigma 3.25 / 7.5 / 10 / 25 on an H200, ms
// (2026-11-24): .150 / .164 / .173 / .220; groups of 2 x 4 tiles .155 / .170 / .186 / .237, of 2 x 8 .170 /
// .183 / .195 / .251; without the limit of registers (2 x 4) .177 / .192 / .210 / .272; in four bands (2 x 4)
// .178 / .196 / .213 / .276.
inline ScheduleVariants two_kernel_variants() {
    const auto of = [](const std::string &name, const char *type, int channels, int outputs) {
        return products_variant(name, type, products, {.channels = channels},
            {{"lines", 1, 1, 4}, {"outputs", outputs, 4, 8}, {"band", 64, 1, 256}})
            .says("Two kernels; the tensor cores multiply bytes by a band of taps, of any radius.");
    };
    ScheduleVariants variants = {of("tuned_products", "u8", 1, 8)
                                     .registers("", 64)
                                     .kept_for("radii above 48 by OpenCL, which were not measured"),
        of("tuned_products", "u16", 1, 4).registers("", 64)};
    for (const int channels : {3, 4}) {
        const std::string name = "tuned_products_colours_" + std::to_string(channels);
        variants.push_back(of(name, "u8", channels, 4).registers("", 80));
    }
    return variants;
}

}  // namespace tilewright::gaussian_blur_products
