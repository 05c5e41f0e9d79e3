// The schedules of gaussian_blur, and the table of its variants. Those on GPUs with one kernel per pass:
// schedules/gaussian_blur/gaussian_blur_two_kernels.h; with one for both:
// schedules/gaussian_blur/gaussian_blur_gpu.h.
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "schedules/gaussian_blur/gaussian_blur_cpu.h"
#include "schedules/gaussian_blur/gaussian_blur_dots.h"
#include "schedules/gaussian_blur/gaussian_blur_float_products.h"
#include "schedules/gaussian_blur/gaussian_blur_gpu.h"
#include "schedules/gaussian_blur/gaussian_blur_half_products.h"
#include "schedules/gaussian_blur/gaussian_blur_planes.h"
#include "schedules/gaussian_blur/gaussian_blur_products_variants.h"
#include "schedules/gaussian_blur/gaussian_blur_realigned.h"
#include "schedules/gaussian_blur/gaussian_blur_two_kernels.h"
#include "schedules/schedule.h"
#include "schedules/shared_moves.h"
#include <string>

namespace tilewright {

namespace {

using namespace gaussian_blur_two_kernels;

// A thread computes its pixel alone: for each tap along the row it blurs down that column.
void direct(GaussianBlurNear &blur, ScheduleContext &context) {
    tiles(blur.out, blur.x, blur.y, context["width"], context["height"], TailStrategy::GuardWithIf);
    blur.along_sum.compute_at(blur.out, xi);
    blur.down_sum.compute_at(blur.along_sum, blur.j);
}

// As separable, but the source and the image between the kernels are images of the device (textures).
template<typename Form>
void texture(Form &blur, ScheduleContext &context) {
    separable(blur, context);
    Func source = blur.in.in(blur.extended);
    source.compute_root()
        .store_in(MemoryType::GPUTexture)
        .gpu_tile(source.args()[0], source.args()[1], xi, yi, context["width"], context["height"],
            TailStrategy::GuardWithIf);
    blur.down.store_in(MemoryType::GPUTexture);
}

// One kernel, with one tile per thread block: the tile and its halo are copied to shared memory, blurred down
// columns there, and then along rows.
void shared(GaussianBlurNear &blur, ScheduleContext &context) {
    const int width = context["width"], height = context["height"];
    tiles(blur.out, blur.x, blur.y, width, height, TailStrategy::GuardWithIf);
    blur.along_sum.compute_at(blur.out, xi);
    blur.down.compute_at(blur.out, block)
        .store_in(MemoryType::GPUShared)
        .split(blur.x, blur.x, xi, width)
        .reorder(xi, blur.y, blur.x)
        .gpu_threads(xi, blur.y);
    blur.down_sum.compute_at(blur.down, xi);
    blur.extended.compute_at(blur.out, block)
        .store_in(MemoryType::GPUShared)
        .split(blur.x, blur.x, xi, width)
        .split(blur.y, blur.y, yi, height)
        .reorder(xi, yi, blur.x, blur.y)
        .gpu_threads(xi, yi);
}

}  // namespace

// For which calls a variant of OpenCL stays.
static const char *not_measured_by_opencl(int channels, int radius) {
    return channels == 2 || radius == 20 ? "images of two channels and radii of 13 to 20 by OpenCL" : "";
}

// The variants for images of several interleaved channels, by channels and radius. The tiles were chosen on
// an H200 (2026-11-23, RGB 4096 x 4096 u8, 2048 x 2048 f32, sigma 3, ms):
//     u8    256 x 24 pixels .099, 256 x 12 .108, 128 x 24 .107, windows of 32 pixels .110; tuned_near 1.459
//     f32   96 x 30 pixels .061, 64 x 32 .101, windows of 8 pixels .110; tuned_near .411
// Those for u16 were not compared with other tiles, and those of radius 20 not timed since they add words.
// Four channels 2048 x 2048, sigma 5 (2026-11-29): u16 .369 (older tiles), f32 .152; tuned_near .977, .827.
static ScheduleVariants colour_variants() {
    using namespace gaussian_blur_gpu;
    const auto name = [](const Tile &tile) {
        return "tuned_colours_" + std::to_string(tile.configuration.channels) + "_" +
               std::to_string(tile.configuration.radius);
    };
    ScheduleVariants variants;
    for (int radius : {4, 12, 20, 30, 40}) {
        for (int channels : {2, 3, 4}) {
            const int columns = channels == 4 ? 192 : radius > 20 ? 240 : 256;
            const auto words = colour_tile(channels, radius, columns, channels == 4 ? 16 : 24, 16);
            variants.push_back(variant(name(words), gpu, "u8", colours, words)
                    .kept_for(channels > 2 && radius == 30 ?
                                  "GPUs with less shared memory than tuned_fused_colours_* needs" :
                              channels == 4 && radius == 40 ? "GPUs without the tensor cores of products" :
                                                              "")
                    .says("As tuned_window, for several channels: a plane of words per channel "
                          "between the passes."));
        }
    }
    for (int radius : {4, 12, 20}) {
        for (int channels : {2, 3, 4}) {
            // Wide ones take many registers. A block of 312 threads (u16, three channels) has 168 for each,
            // as windows of 8 need; one of 256 threads (four channels) has 255, and windows of 4 take 218.
            const bool wide = radius == 20;
            const int rows = wide && channels == 4 ? 24 : 30;
            const auto floats = channels == 4 ? colour_tile(4, radius, wide ? 32 : 64, wide ? 24 : 32, 4) :
                                                colour_tile(channels, radius, 96, 30, 4);
            const int columns = wide ? (channels == 4 ? 24 : 64) : (channels == 4 ? 64 : 96);
            const bool full = wide && channels == 3;
            const auto words16 = colour_tile(channels, radius, columns, rows, full ? 8 : 4);
            variants.push_back(variant(name(floats), gpu, "f32", window, floats)
                    .kept_for(not_measured_by_opencl(channels, radius))
                    .says("As tuned_window, for several channels."));
            auto of_words = variant(name(words16), gpu, "u16", window, words16)
                                .kept_for(not_measured_by_opencl(channels, radius))
                                .says("As tuned_window, for several channels.");
            variants.push_back(full ? std::move(of_words).registers("", 168) : std::move(of_words));
            if (radius == 12 && channels > 2) {
                variants.push_back(variant(name(floats), gpu, "f16 bf16", window, floats)
                        .says("As tuned_window, for several channels."));
            }
        }
    }
    return variants;
}

static ScheduleVariant narrow_variant(const char *types) {
    using namespace gaussian_blur_cpu;
    return variant("tuned_narrow", cpu, types, lines<GaussianBlurLines>,
        {{"rows", 16, 8, 64}, {"vectors", 1, 1, 8}, {"chunk", 16, 16, 1024}})
        .avx2()
        .meant_for("elements_with_halo", {.most = 128})
        .says("As tuned_any, in chunks of one vector, for images narrower than its chunks.");
}

// The variants of CPUs that `tuned` takes.
static ScheduleVariants tuned_cpu_variants() {
    using namespace gaussian_blur_cpu;
    return family("tuned",
        {
            short_variants(),
            in_order_variants(),
            narrow_variant("f32 f64 f16 bf16"),
            narrow_variant("u8 u16").kept_for("windows of more than 64 pixels on images of a few columns"),
            dots_variants("tuned_dots_narrow", 1, 64),
            dots_variants("tuned_dots", 1),
            dots_variants("tuned_dots_2", 2),
            dots_variants("tuned_dots_3", 3),
            dots_variants("tuned_dots_4", 4),
            pairs_variant("tuned_pairs", 1),
            pairs_variant("tuned_pairs_2", 2),
            pairs_variant("tuned_pairs_3", 3),
            pairs_variant("tuned_pairs_4", 4),
            variant("tuned_terms_4", cpu, "f32", terms, GaussianBlurTermsConfiguration{.radius = 4},
                {{"rows", 8, 4, 16}, {"vectors", 4, 1, 4}, {"chunk", 256, 64, 1024}})
                .serves("radius", {.least = 4, .most = 4})
                .says("Tiles of 8 rows over the cores: a loaded pixel serves all of them, for radius 4."),
            variant("tuned_any", cpu, "u8 u16 f32 f64 f16 bf16", lines<GaussianBlurLines>,
                {{"rows", 16, 8, 64}, {"vectors", 4, 1, 8}, {"chunk", 256, 64, 1024}})
                .says("Tiles of rows over the cores; vectors of a chunk that stays in the cache, both "
                      "passes."),
        });
}

// The documented steps, and the guidelines of OpenCL.
static ScheduleVariants step_variants() {
    using namespace gaussian_blur_gpu;
    using Between = GaussianBlurNearConfiguration::Between;
    const GaussianBlurNearConfiguration in_tiles{Between::tiles}, in_textures{Between::textures};
    const GaussianBlurExpConfiguration by_own_exp{.own_exp = true};
    return {
        variant("direct", gpu, "u8 f32", direct, {{"width", 32, 16, 64}, {"height", 8, 4, 16}})
            .says("One thread per pixel, which adds all (2r+1)^2 pixels of its window from global memory."),
        variant("separable", gpu, "u8 f32", separable<GaussianBlurNear>,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says("Two kernels, one per pass: 2(2r+1) taps per pixel in place of (2r+1)^2."),
        variant("shared", gpu, "u8 f32", shared, in_tiles, {{"width", 32, 16, 64}, {"height", 16, 8, 32}})
            .says("One kernel: a tile and its halo are copied to shared memory, and both passes read them "
                  "there."),
        variant("branch", gpu, "u8 f32", separable<GaussianBlurBranch>,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says("As separable, with a branch in place of a select for pixels beyond the border."),
        variant(
            "exp", opencl, "f32", separable<GaussianBlurExp>, {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says("As separable, with each weight computed by the built-in exp() in place of a table."),
        variant("native", opencl, "f32", separable<GaussianBlurExp>, by_own_exp,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .native()
            .says("As exp, by native_exp(): the device's own instruction, with the error that it has."),
        variant("relaxed", opencl, "f32", separable<GaussianBlurExp>, by_own_exp,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .options("-cl-fast-relaxed-math")
            .says("As exp, built with -cl-fast-relaxed-math: the compiler may trade precision for speed."),
        variant(
            "half", gpu, "f32", separable<GaussianBlurHalf>, {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says(
                "As separable, with half-precision floats between the passes: half the bytes, 11 bits kept."),
        variant("texture", opencl, "u8 f32", texture<GaussianBlurNear>, in_textures,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says("As separable, with source and intermediate as images: the texture units find the "
                  "addresses."),
        variant("texture_half", opencl, "f32", texture<GaussianBlurHalf>, in_textures,
            {{"width", 32, 16, 128}, {"height", 8, 1, 16}})
            .says("As texture, with an intermediate of half-precision floats: half the bytes, 11 bits kept."),
    };
}

// The variant of one radius.
template<typename Schedule>
static ScheduleVariant of_radius(const std::string &name, Backends where, const char *type, Schedule schedule,
    const gaussian_blur_gpu::Tile &made, const char *sentence, const char *calls = "") {
    return variant(name + "_" + std::to_string(made.configuration.radius), where, type, schedule, made)
        .kept_for(calls)
        .says(sentence);
}

// Both passes in one kernel, for images of one channel, by radius.
static ScheduleVariants window_variants() {
    using namespace gaussian_blur_gpu;
    ScheduleVariants variants;
    const auto add = [&](auto... what) { variants.push_back(of_radius(what...)); };
    const char *sentence = "Both passes in one kernel; windows in registers, weights from constant memory.";
    // The window of radius 4 is registers_4 for f32.
    struct {
        int radius, columns, window, registers;
    } const narrow[] = {{9, 192, 4, 56}, {12, 160, 8, 64}};
    for (const auto &n : narrow) {
        variants.push_back(of_radius("tuned_window", gpu, "f32", window,
            in_two_ways(tile(n.radius, n.columns, 24, 1, n.window)), sentence)
                .registers("", n.registers));
    }
    // Tiles of CUDA alone. They serve images at least as wide as they are.
    struct {
        int radius, columns, rows, registers;
    } const large[] = {{20, 384, 48, 72}, {30, 384, 48, 72}, {40, 352, 32, 64}};
    for (const auto &l : large) {
        variants.push_back(of_radius(
            "tuned_large", cuda, "f32", window, by_table(tile(l.radius, l.columns, l.rows, 1, 8)), sentence)
                .serves("width", {.least = (double)l.columns})
                .registers("", l.registers));
    }
    struct {
        int radius, columns;
    } const floats[] = {{20, 192}, {30, 192}, {40, 176}};
    for (const auto &f : floats) {
        add("tuned_window", gpu, "f32", window, tile(f.radius, f.columns, 32, 1, 8), sentence,
            not_measured_by_opencl(1, f.radius));
    }
    for (const Tile &made : {in_two_ways(tile(4, 120, 24, 1, 4)), in_two_ways(tile(12, 104, 24, 1, 4)),
             tile(20, 176, 24, 1, 4), tile(40, 176, 16, 1, 4)}) {
        add("tuned_window", cuda, "f64", window, made, sentence);
    }
    const char *exact = "As tuned_window for f32, with exact sums in two words of 32 bits.";
    variants.push_back(
        of_radius("tuned_window", gpu, "u16", window, in_two_ways(tile(4, 248, 24, 1, 8)), exact)
            .registers("", 64));
    for (const int radius : {9, 20, 40}) {
        // NVIDIA's OpenCL gives a thread up to 255 registers, with which a block has at most 256 threads. On
        // CUDA tuned_fused takes a sixth of the time from radius 30 on.
        add("tuned_window", radius < 30 ? gpu : opencl, "u16", window,
            tile(radius, radius == 40 ? 176 : 256, 16, 1, 4), exact, not_measured_by_opencl(1, radius));
    }
    return variants;
}

// The same for u8, by words of four pixels.
static ScheduleVariants word_variants() {
    using namespace gaussian_blur_gpu;
    ScheduleVariants variants;
    const auto add = [&](auto... what) { variants.push_back(of_radius(what...)); };
    struct {
        int radius, high, columns, rows, window;
    } const words[] = {{4, 2, 480, 24, 32}, {9, 3, 512, 32, 32}, {20, 5, 512, 16, 16}, {30, 8, 512, 16, 16}};
    // Up to radius 9 without upper bytes of taps. From there on tuned_fused_* is faster, and GPUs without
    // such tensor cores run the next wider one.
    const auto add_words = [&](Backends where, const auto &w, int window) {
        add("tuned_words", where, "u8", window_dot,
            word_tile(w.radius, w.radius < 12 ? 0 : w.high, false, w.columns, w.rows, window),
            "As tuned_window, for whole words and the border reflect, which reverses words.",
            w.radius == 20 ? "GPUs without such tensor cores, by OpenCL" : "");
    };
    for (const auto &w : words) {
        if (w.radius > 4 && w.radius < 30) {
            add_words(gpu, w, w.window);
        }
    }
    // Taps of one byte that reach 3, as at sigma 1.
    const auto &least = words[0];
    const Tile near = word_tile(3, 0, false, least.columns, least.rows, least.window);
    variants.push_back(of_radius("tuned_words", gpu, "u8", window_dot, for_next_radius(in_two_ways(near)),
        "As tuned_window, for whole words, the border reflect and taps of one byte.")
            .registers("", 64));
    // Those of radius 9 to 20 took 1.18 to 3 times as long as tuned_fused_* by CUDA (images of 33 rows .92 to
    // 1.13, H200); of these radii the widest window serves such GPUs without those tensor cores.
    for (const auto &w : words) {
        const bool is_near = w.radius == 4;
        const Tile made = word_tile(w.radius, w.high, true, w.columns, w.rows, w.window);
        add("tuned_window", is_near || w.radius == 30 ? gpu : opencl, "u8", window_dot,
            is_near ? in_two_ways(made) : made,
            "One kernel; dot products of four bytes, windows of words in registers.",
            is_near ? "taps of more than one byte, as below sigma .5" :
                      "borders other than reflect, widths that are no multiple of 4, and GPUs without such "
                      "tensor cores");
    }
    return variants;
}

static const ScheduleVariants &variants() {
    using namespace gaussian_blur_cpu;
    using namespace gaussian_blur_gpu;
    const char *pixels_once =
        "Both passes in one kernel; windows in registers, so that a pixel is loaded once per column.";
    static const ScheduleVariants table = {
        variant("reference", cpu, "u8 u16 f32 f64 f16 bf16", reference)
            .says("Pixel by pixel: the whole pass down columns, then the whole pass along rows."),
        tuned_cpu_variants(),

        automatic<GaussianBlur>("auto", cpu, "u8", "Mullapudi2016"),
        automatic<GaussianBlur>("auto", gpu, "u8 f32", "Anderson2021"),
        step_variants(),
        family("registers",
            {
                variant("registers_4", gpu, "f32", window, in_two_ways(tile(4, 120, 24, 1, 4)))
                    .registers("", 48)
                    .in("tuned")
                    .says(pixels_once),
            }),

        family("tuned",
            {
                window_variants(),
                gaussian_blur_gpu::half_variants(),
                word_variants(),
                colour_variants(),
                gaussian_blur_products::ring_variants(),
                gaussian_blur_products::fused_variants(),
                gaussian_blur_products::two_kernel_variants(),
                gaussian_blur_products::half_variants(),
                gaussian_blur_products::float_variants(),
                realigned_variant(),
                gaussian_blur_planes::planes_variant(),
                // Bands of 16 * 2^20 elements take .99 (u8) and 1.02 (f32) of the time of the whole image at
                // once, bands of 4 * 2^20 take 1.04 and 1.07, and bands of 2^18 1.9 and 2.1 (8192 x 8192,
                // 4096 x 4096 and 1024 x 1024 in four bands, sigma 11, H200, 2026-11-23, by one tap at a
                // time).
                variant("tuned_any", gpu, "u8 u16 f32 f64 f16 bf16", chunks,
                    {{"threads", 256, 64, 512}, {"own", 8, 4, 16}, {"chunk", 8, 4, 16}, {"band", 16, 1, 256}})
                    .says("Two kernels, which read whole lines; a thread adds 8 taps of 8 pixels at a time."),
            }),
    };
    return table;
}

static const Table table("gaussian_blur", variants);

}  // namespace tilewright
