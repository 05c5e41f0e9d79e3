// The form of gaussian_blur by products of bytes, for the tensor cores of NVIDIA's GPUs.
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/devices/best_device.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include <algorithm>
#include <cstdint>

namespace tilewright {

namespace {

// Its tiles are of 32 outputs of 32 lines.
constexpr int side = 32;

// Of shared memory that a launch gives: by CUDA, GPUs of compute capability 8.0 and above have 99 KB per
// block or more; NVIDIA's OpenCL gives 16 bytes less than 48 KB.
int64_t most_bytes_of_block(const Variant &variant) {
    return variant.backend == Backend::cuda ? 99 << 10 : (48 << 10) - 16;
}

// Word, lane, half, step.
View fragments_view(const Array &fragments) {
    return {halide_type(Type::u32), {{4, 1}, {32, 4}, {2, 128}, {fragments.size() / 256, 256}}};
}

// The rows of an image of bytes or of 16-bit numbers as words; a word may end after the last byte of its row.
View words_view(const Array &array) {
    const int64_t size = (int64_t)size_of(array.type());
    return {halide_type(Type::u32),
        {{ceil_div(size * array.shape()[1] * BlurRequest::channels_of(array), 4), 1},
            {array.shape()[0], size * array.strides()[0] / 4}},
        array.offset_bytes()};
}

const IntegerTaps &taps_of(const GaussianBlurRequest &request) {
    return request.image().type() == Type::u8 ? request.numbers().bytes : request.numbers().words16;
}

// Whether rows of image and output begin at multiples of so many bytes, and the image is larger than the
// radius: a reflection reaches as far as the image is large.
bool fits(const Variant &variant, const GaussianBlurRequest &request, const Array &output, int bytes_of_image,
    int bytes_of_output) {
    const Array &image = request.image();
    return request.numbers().radius < std::min(image.shape()[0], image.shape()[1]) &&
           in_words(image, variant.backend, bytes_of_image) &&
           in_words(output, variant.backend, bytes_of_output);
}

// Steps of a segment of a line that has `steps`, where `lines` lines are blurred at once. Before its first
// step of outputs a warp blurs those of a window, so that segments are as long as they can be while all warps
// run at once.
int32_t steps_of_segment(const Launch &launch, const Variant &variant, int64_t steps, int64_t lines) {
    const int64_t warps = round_up(lines, variant.tunable("warps")),
                  at_once = units_of(launch.device()) * variant.tunable("resident");
    return (int32_t)ceil_div(steps, std::max<int64_t>(at_once / warps, 1));
}

// What both forms by banded products take. Image and output are rows of words. `are_sums`: the fragments for
// u8 are those of TapFragments::is_sum; `band`: the groups of lines in a band, or the steps of a block.
void bind_products(
    Launch &launch, const GaussianBlurRequest &request, Array &output, bool are_sums, int32_t band) {
    const Array &image = request.image();
    const IntegerTaps &taps = taps_of(request);
    const std::vector<Array> &fragments = request.weights->fragments(image.type(), are_sums);
    launch.in("image", image, words_view(image))
        .value("width", (int32_t)image.shape()[1])
        .value("reach", TapFragments::of(taps, 0).reach)
        .value("multiplier", taps.multiplier)
        .value("band", band);
    bind_border(launch, request);
    for (int byte = 0; byte < (int)fragments.size(); byte++) {
        const Array &words = fragments[(size_t)byte];
        launch.in("taps" + std::to_string(byte), words, fragments_view(words))
            .value("first" + std::to_string(byte), TapFragments::of(taps, byte).first);
    }
    launch.out("output", output, words_view(output));
}

// Groups of lines in a band: the rows are divided into as many equal bands as there must be for one to have
// about `band` * 2^20 pixels.
int32_t groups_of_band(const Variant &variant, const GaussianBlurRequest &request) {
    const int64_t rows = request.image().shape()[0], lines = side * variant.tunable("lines"),
                  outputs = side * variant.tunable("outputs"), pixels = rows * request.image().shape()[1],
                  bands = ceil_div(pixels, (int64_t)variant.tunable("band") << 20);
    const int64_t rows_of_band = bands > 1 ? round_up(ceil_div(rows, bands), outputs) : rows;
    return (int32_t)ceil_div(rows_of_band, lines);
}

// A block keeps the words of its lines, and its outputs.
constexpr BlurForm<GaussianBlurRequest> products(
    "gaussian_blur_products",
    [](Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
        bind_products(launch, request, output, false, groups_of_band(variant, request));
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        const Type type = request.image().type();
        const IntegerTaps &taps = taps_of(request);
        const int64_t lines = variant.tunable("lines"), outputs = variant.tunable("outputs"),
                      words = side / 4 * (outputs - 1 + TapFragments::of(taps, 0).steps),
                      of_lines = words * (side * lines + 8),
                      of_outputs = side * side / 4 * lines * outputs * request.channels();
        return 4 * (of_lines + of_outputs) * (int64_t)size_of(type) <= most_bytes_of_block(variant) &&
               (type == Type::u8 ? taps.fits_two_bytes() : TapFragments::fit(taps, false)) &&
               fits(variant, request, output, 4, 4);
    });

GaussianBlurProductsConfiguration configuration_of(const Variant &variant) {
    return variant.configuration<GaussianBlurProductsConfiguration>();
}

// The steps of a block. Before the first one a block loads the lines of a window, so that they should be
// many; but blocks of the top and the bottom take longer, so that there should be several times as many
// blocks as run at once. 8192 x 8192, ms (H200, which runs 528 blocks of 8 tiles at once, 2026-11-29): u8,
// sigma 7.5, all at once .127, more of them .106; u16, sigma 2.25, three times as many .204, twice .217.
int32_t steps_of_block(const Launch &launch, const Variant &variant, const GaussianBlurRequest &request) {
    constexpr int64_t many_steps = 8, tiles_of_unit = 32;  // at once
    const int64_t tiles = variant.tunable("tiles"),
                  blocks = units_of(launch.device()) * tiles_of_unit / tiles,
                  outputs = side * (tiles + 1 - configuration_of(variant).steps),
                  strips = ceil_div(request.image().shape()[1], outputs),
                  steps = ceil_div(request.image().shape()[0], side),
                  more = std::min(3 * blocks / strips, steps / many_steps),
                  groups = std::max(blocks / strips, more);
    return (int32_t)ceil_div(steps, std::max<int64_t>(groups, 1));
}

// The shared memory of a block does not depend on the call.
constexpr BlurForm<GaussianBlurRequest> fused(
    "gaussian_blur_fused_products",
    [](Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
        bind_products(launch, request, output, true, steps_of_block(launch, variant, request));
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        const bool is_u8 = request.image().type() == Type::u8;
        for (int byte = 0; byte <= (is_u8 ? 1 : 2); byte++) {
            const int most = configuration_of(variant).steps_of(byte, is_u8);
            if (most == 0 ? request.numbers().bytes.high > 0 :
                            TapFragments::of(taps_of(request), byte).steps > most) {
                return false;
            }
        }
        return TapFragments::fit(taps_of(request), is_u8) && request.image().shape()[0] >= 8 &&
               fits(variant, request, output, 4, 4);
    });

HalfBands half_bands_of(const Variant &variant) {
    return {variant.configuration<GaussianBlurHalvesConfiguration>().reach};
}

// u16, by warps that share nothing and go along rows.
constexpr BlurForm<GaussianBlurRequest> half_products(
    "gaussian_blur_half_products",
    [](Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
        const Array &image = request.image();
        const Array fragments = half_bands(*request.weights, half_bands_of(variant));
        launch.in("image", image, words_view(image))
            .in("taps", fragments,
                View{halide_type(Type::u32), {{4, 1}, {32, 4}, {fragments.size() / 128, 128}}})
            .value("width", (int32_t)image.shape()[1]);
        bind_border(launch, request, false);
        launch
            .value("band", steps_of_segment(launch, variant, ceil_div(image.shape()[1], side),
                               ceil_div(image.shape()[0], side)))
            .out("output", output, words_view(output));
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        return half_bands_of(variant).fit(taps_of(request)) && request.border != Border::zero &&
               request.image().shape()[1] % 4 == 0 && fits(variant, request, output, 16, 16);
    });

UnitBands unit_bands_of(const Variant &variant) {
    const auto row = variant.configuration<GaussianBlurRingConfiguration>();
    return {row.units, row.short_taps};
}

// All groups that run at once are a wave, which takes the time of its groups: their steps, and about `begin`
// more before the first one. The number of waves that takes the least time.
int64_t steps_of_group(const Variant &variant, const Array &image, int64_t units) {
    constexpr int64_t rows = 16, most_waves = 8, begin = 4;
    const int64_t at_once = units * variant.tunable("groups"),
                  outputs = 32 * unit_bands_of(variant).outputs((int)variant.tunable("warps")),
                  strips = ceil_div(image.shape()[1], outputs), all = ceil_div(image.shape()[0], rows);
    int64_t best = all, least = INT64_MAX;
    for (int64_t waves = 1; waves <= most_waves; waves++) {
        const int64_t steps = ceil_div(all, std::clamp<int64_t>(waves * at_once / strips, 1, all));
        const int64_t time = ceil_div(ceil_div(all, steps) * strips, at_once) * (steps + begin);
        if (time < least) {
            least = time;
            best = steps;
        }
    }
    return best;
}

// u8, with the image's bytes in registers.
constexpr BlurForm<GaussianBlurRequest> ring_products(
    "gaussian_blur_ring_products",
    [](Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
        const Array &image = request.image();
        const Array fragments = unit_bands(*request.weights, unit_bands_of(variant));
        const int64_t entries = fragments.size() / 256;
        launch.in("image", image, words_view(image))
            .in("taps", fragments,
                View{halide_type(Type::u32), {{4, 1}, {32, 4}, {entries, 128}, {2, 128 * entries}}})
            .value("width", (int32_t)image.shape()[1]);
        bind_border(launch, request);
        launch.value("multiplier", taps_of(request).multiplier)
            .value("band", (int32_t)steps_of_group(variant, image, units_of(launch.device())))
            .out("output", output, words_view(output));
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        const std::vector<int64_t> &shape = request.image().shape();
        return unit_bands_of(variant).fit(taps_of(request)) && shape[0] >= 4 && shape[1] % 8 == 0 &&
               fits(variant, request, output, 4, 8);
    });

// f32, by pairs of 16-bit floats. Warps go down columns, 16 rows per step.
constexpr BlurForm<GaussianBlurRequest> float_products(
    "gaussian_blur_float_products",
    [](Launch &launch, const Variant &variant, const GaussianBlurRequest &request, Array &output) {
        constexpr int64_t rows = 16, columns = 32;
        const Array &image = request.image(), &fragments = request.weights->float_fragments();
        launch.in("image", image, rows_of(image));
        launch.in("taps", fragments, fragments_view(fragments));
        launch.in("weights", request.weights->integers(Type::f32));
        bind_border(launch, request, false);
        launch.value("band", steps_of_segment(launch, variant, ceil_div(image.shape()[0], rows),
                                 ceil_div(image.shape()[1], columns)));
        launch.out("output", output, rows_of(output));
    },
    [](const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        return FloatFragments::steps_of(request.numbers().radius) ==
                   variant.configuration<GaussianBlurProductsConfiguration>().steps &&
               request.border != Border::zero && request.image().shape()[1] % 2 == 0 &&
               fits(variant, request, output, 16, 16);
    });

}  // namespace

std::vector<const Form *> forms_by_products() {
    return {&products, &fused, &half_products, &ring_products, &float_products};
}

}  // namespace tilewright
