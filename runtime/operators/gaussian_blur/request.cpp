// The weights of a blur as its libraries take them.
#include "runtime/operators/gaussian_blur/request.h"
#include "generators/algorithms/cache.h"
#include "generators/algorithms/gaussian_blur/exact_taps.h"
#include "generators/algorithms/integers.h"
#include "runtime/process/immortal.h"
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <tuple>

namespace tilewright {

namespace {

template<typename T>
Array both_sides(const auto &taps) {
    const int64_t radius = (int64_t)taps.size() - 1;
    Array made(type_of_element<T>::value, {2 * radius + 1});
    for (int64_t i = -radius; i <= radius; i++) {
        made.as<T>()[i + radius] = (T)taps[(size_t)std::abs(i)];
    }
    return made;
}

Array taps_of_short_sums(const IntegerTaps &taps) {
    std::vector<uint32_t> some;
    for (int i = 0; i <= ShortSums::radius; i++) {
        some.push_back(taps.at(i));
    }
    return both_sides<uint16_t>(some);
}

// Phase by phase, the words that meet taps up to `reach`, as bytes; none when `reach` is negative.
Array tap_words(const IntegerTaps &taps, int reach, bool high) {
    const int rounded = round_up(std::max(reach, 0), 4), words = reach < 0 ? 0 : rounded / 2 + 1;
    Array made(Type::u8, {std::max(1, 16 * words)});
    for (int phase = 0; phase < 4; phase++) {
        for (int k = 0; k < words; k++) {
            const uint32_t word = tap_word(taps, rounded, phase, k, high);
            memcpy(made.as<uint8_t>() + 4 * (phase * words + k), &word, 4);
        }
    }
    return made;
}

// Phase by phase, the groups of two taps that meet taps up to `radius`, each as a signed 16-bit number:
// number(w).
template<typename Number>
Array tap_pairs(const IntegerTaps &taps, int radius, Number number) {
    const int reach = ceil_div(radius, 2), groups = 2 * reach + 1;
    Array made(Type::u16, {4 * groups});
    for (int phase = 0; phase < 2; phase++) {
        for (int i = 0; i < 2 * groups; i++) {
            made.as<uint16_t>()[2 * phase * groups + i] = (uint16_t)number(taps.at(i - 2 * reach - phase));
        }
    }
    return made;
}

std::vector<Array> tap_fragments(const IntegerTaps &taps, int bytes, bool are_sums = false) {
    std::vector<Array> all;
    for (int byte = 0; byte < bytes; byte++) {
        const TapFragments fragments = TapFragments::of(taps, byte, are_sums);
        Array made(Type::u32, {fragments.steps * 2 * 32 * 4});
        uint32_t *word = made.as<uint32_t>();
        for (int step = 0; step < fragments.steps; step++) {
            for (int m = 0; m < 2; m++) {
                for (int lane = 0; lane < 32; lane++) {
                    for (int v = 0; v < 4; v++) {
                        *word++ = fragments.word(taps, v, lane, m, step);
                    }
                }
            }
        }
        all.push_back(std::move(made));
    }
    return all;
}

// Step, part, lane, word; nothing for radii without variants.
Array fragments_of_floats(const GaussianWeights &numbers) {
    const int steps = FloatFragments::steps_of(numbers.radius);
    if (steps == 0) {
        return {};
    }
    Array made(Type::u32, {steps * 2 * 32 * 4});
    uint32_t *word = made.as<uint32_t>();
    for (int step = 0; step < steps; step++) {
        for (int part = 0; part < 2; part++) {
            for (int lane = 0; lane < 32; lane++) {
                for (int v = 0; v < 4; v++) {
                    *word++ = FloatFragments::word(numbers.real, steps, v, lane, part, step);
                }
            }
        }
    }
    return made;
}

}  // namespace

BlurWeights::BlurWeights(std::shared_ptr<const GaussianWeights> numbers)
    : numbers_(std::move(numbers)), real_(both_sides<float>(numbers_->real)),
      exact_(both_sides<double>(exact_taps(*numbers_))), bytes_(both_sides<uint32_t>(numbers_->bytes.taps)),
      words16_(both_sides<uint32_t>(numbers_->words16.taps)),
      low_(tap_words(numbers_->bytes, numbers_->bytes.reach(), false)),
      high_(tap_words(numbers_->bytes, numbers_->bytes.high - 1, true)),
      low16_(tap_pairs(numbers_->words16, numbers_->radius, [](uint32_t w) { return split_tap(w).low; })),
      high16_(tap_pairs(numbers_->words16, numbers_->radius, [](uint32_t w) { return split_tap(w).high; })),
      pairs_(tap_pairs(numbers_->bytes, numbers_->bytes.reach(), [](uint32_t w) { return w; })),
      short_taps_(taps_of_short_sums(numbers_->bytes)), fragments_(tap_fragments(numbers_->bytes, 2)),
      fragments16_(tap_fragments(numbers_->words16, 3)), sums_(tap_fragments(numbers_->bytes, 2, true)),
      floats_(fragments_of_floats(*numbers_)) {}

std::shared_ptr<const BlurWeights> BlurWeights::of(double sigma, double truncate, const Folding &folding) {
    auto &known = immortal([] { return Cache<std::tuple<double, double, Folding>, BlurWeights>(64); });
    return known.get({sigma, truncate, folding},
        [&] { return BlurWeights(GaussianWeights::of(sigma, truncate, folding)); });
}

namespace {

// The words of bands, word(v, lane, entry, pass), kept like the weights of BlurWeights, so that a device gets
// them once.
template<typename Bands, typename Word>
Array words_of(const BlurWeights &weights, const Bands &bands, int passes, const Word &word) {
    struct Key {
        double sigma, truncate;
        Folding folding;
        Bands bands;
        bool operator==(const Key &) const = default;
    };
    auto &known = immortal([] { return Cache<Key, Array>(64); });
    const GaussianWeights &numbers = weights.numbers();
    return *known.get({numbers.sigma, numbers.truncate, numbers.folding, bands}, [&] {
        constexpr int lanes = 32, words = 4;
        const auto entries = bands.entries();
        Array made(Type::u32, {passes * (int64_t)entries.size() * lanes * words});
        uint32_t *to = made.as<uint32_t>();
        for (int pass = 0; pass < passes; pass++) {
            for (const auto &entry : entries) {
                for (int lane = 0; lane < lanes; lane++) {
                    for (int v = 0; v < words; v++) {
                        *to++ = word(v, lane, entry, pass);
                    }
                }
            }
        }
        return made;
    });
}

}  // namespace

Array half_bands(const BlurWeights &weights, const HalfBands &bands) {
    return words_of(weights, bands, 1, [&](int v, int lane, const HalfBands::Entry &entry, int) {
        return bands.word(weights.numbers().words16, v, lane, entry);
    });
}

Array unit_bands(const BlurWeights &weights, const UnitBands &bands) {
    return words_of(weights, bands, 2, [&](int v, int lane, const UnitBands::Entry &entry, int pass) {
        return bands.word(weights.numbers().bytes, pass == 1, v, lane, entry);
    });
}

namespace {

// A number as an element of an image.
std::array<std::byte, 8> element_of(Type type, double value) {
    std::array<std::byte, 8> bytes = {};
    const auto put = [&](auto element) { memcpy(bytes.data(), &element, sizeof element); };
    switch (type) {
    case Type::u8: put((uint8_t)value); break;
    case Type::u16: put((uint16_t)value); break;
    case Type::f64: put(value); break;
    case Type::f16: put(Float16((float)value)); break;
    case Type::bf16: put(BFloat16((float)value)); break;
    default: put((float)value);
    }
    return bytes;
}

int64_t wrapped(int64_t i, int64_t n) {
    return (i % n + n) % n;
}

}  // namespace

Folding folding_of(Border border, int64_t n) {
    constexpr int64_t most = 1 << 20;  // longer than every window
    const int line = (int)std::min(n, most), of_mirror = std::max(2 * line - 2, 1);
    switch (border) {
    case Border::reflect: return {.reach = line, .period = 2 * line};
    case Border::mirror: return {.reach = of_mirror / 2, .period = of_mirror};
    case Border::wrap: return {.reach = line / 2, .period = line};
    case Border::nearest: return {.reach = line - 1};
    case Border::zero:
    case Border::constant: break;
    }
    return {.reach = line};
}

void pad(const Array &image, const GaussianBlurRequest &request, Array &padded) {
    const int64_t h = image.shape()[0], w = image.shape()[1], down = request.numbers_y().radius,
                  across = request.numbers().radius, element = (int64_t)size_of(image.type()),
                  pixel = element * request.channels(), all = w + 2 * across;
    const auto *from = static_cast<const std::byte *>(image.data());
    auto *to = static_cast<std::byte *>(padded.data());
    const bool wraps = request.border == Border::wrap;
    const std::array<std::byte, 8> value = element_of(image.type(), request.value);
    const auto fill = [&](std::byte *at, int64_t pixels) {
        for (int64_t i = 0; i < pixels * request.channels(); i++) {
            memcpy(at + i * element, value.data(), (size_t)element);
        }
    };
    for (int64_t y = -down; y < h + down; y++) {
        const std::byte *row = from + wrapped(y, h) * image.strides()[0] * element;
        std::byte *out = to + (y + down) * padded.strides()[0] * element;
        if (!wraps && (y < 0 || y >= h)) {
            fill(out, all);
            continue;
        }
        memcpy(out + across * pixel, row, (size_t)(w * pixel));
        if (!wraps) {
            fill(out, across);
            fill(out + (across + w) * pixel, across);
            continue;
        }
        for (int64_t x = 0; x < across; x++) {
            memcpy(out + x * pixel, row + wrapped(x - across, w) * pixel, (size_t)pixel);
            memcpy(out + (across + w + x) * pixel, row + wrapped(x, w) * pixel, (size_t)pixel);
        }
    }
}

}  // namespace tilewright
