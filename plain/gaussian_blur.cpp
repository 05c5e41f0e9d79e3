#include "plain/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewright::plain {

namespace {

// The position, of n, whose element the border shows at i; -1 for none. Reflections are applied one by one
// until the position is inside.
int64_t shown(int64_t i, int64_t n, Border border) {
    while (i < 0 || i >= n) {
        switch (border) {
        case Border::reflect: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
        case Border::mirror: i = n == 1 ? 0 : i < 0 ? -i : 2 * n - 2 - i; break;
        case Border::nearest: i = i < 0 ? 0 : n - 1; break;
        case Border::zero: return -1;
        }
    }
    return i;
}

// The positions that show at -radius ... n + radius - 1.
std::vector<int64_t> shown_around(int64_t n, int64_t radius, Border border) {
    std::vector<int64_t> all;
    for (int64_t i = -radius; i < n + radius; i++) {
        all.push_back(shown(i, n, border));
    }
    return all;
}

// The blur along columns, then along rows. `finish` is applied to each sum of both.
template<typename Sum, typename Finish>
std::vector<Sum> two_passes(
    const Array &image, const std::vector<Sum> &weights, Border border, Finish finish) {
    const int64_t h = height(image), w = width(image), c = channels(image), n = w * c,
                  taps = (int64_t)weights.size(), radius = taps / 2;
    const std::vector<int64_t> rows = shown_around(h, radius, border),
                               columns = shown_around(w, radius, border);
    const std::vector<Sum> pixels = elements_of<Sum>(image);
    std::vector<Sum> out((size_t)(h * n)), sums((size_t)n), around((size_t)((int64_t)columns.size() * c));
    const auto add = [&](Sum weight, const Sum *row) {
        for (size_t x = 0; x < (size_t)n; x++) {
            sums[x] += weight * row[x];
        }
    };
    for (int64_t y = 0; y < h; y++) {
        std::fill(sums.begin(), sums.end(), Sum(0));
        for (int64_t i = 0; i < taps; i++) {
            if (const int64_t from = rows[(size_t)(y + i)]; from >= 0) {
                add(weights[(size_t)i], &pixels[(size_t)(from * n)]);
            }
        }
        std::transform(sums.begin(), sums.end(), sums.begin(), finish);
        for (int64_t i = 0; i < (int64_t)around.size(); i++) {
            const int64_t from = columns[(size_t)(i / c)];
            around[(size_t)i] = from >= 0 ? sums[(size_t)(from * c + i % c)] : Sum(0);
        }
        std::fill(sums.begin(), sums.end(), Sum(0));
        for (int64_t i = 0; i < taps; i++) {
            add(weights[(size_t)i], &around[(size_t)(i * c)]);
        }
        std::transform(sums.begin(), sums.end(), out.begin() + y * n, finish);
    }
    return out;
}

// The taps -radius ... radius of the operator's table, after a check of its promises: the taps sum to S, M is
// 2^24 / S rounded, and the documented bound on the difference from the blur by exact weights, before the
// last rounding, is below 1 (of u16: up to sigma 50). Errors: mismatch.
std::vector<uint64_t> checked_taps(const IntegerTaps &taps, double sigma, Type type) {
    const std::vector<double> exact = gaussian_weights(sigma);
    const int radius = (int)exact.size() / 2;
    std::vector<uint64_t> all;
    uint64_t sum = 0;
    double positive = 0, negative = 0;
    for (int i = -radius; i <= radius; i++) {
        all.push_back(taps.at(i));
        sum += taps.at(i);
        const double off =
            (double)taps.at(i) * (double)taps.multiplier / 0x1p24 - exact[(size_t)(i + radius)];
        (off > 0 ? positive : negative) += std::abs(off);
    }
    const double top = type == Type::u8 ? 255 : 65535,
                 bound = .5 * (1 + positive) + 2 * top * std::max(positive, negative);
    const bool promised = type == Type::u8 || sigma <= 50;
    if (sum != taps.sum || taps.multiplier != (uint32_t)std::floor(0x1p24 / (double)sum + .5) ||
        (promised && !(bound < 1))) {
        throw Error(Fault::mismatch,
            fmt::format("its integer weights are not those of the definition: the sum is {}, the "
                        "multiplier {}, the bound {:.3g}",
                sum, taps.multiplier, bound),
            {.operation = "gaussian_blur", .argument = "sigma", .value = fmt::format("{}", sigma)});
    }
    return all;
}

}  // namespace

std::vector<double> exact_blur(const Array &image, double sigma, Border border) {
    return two_passes(image, gaussian_weights(sigma), border, [](double v) { return v; });
}

std::vector<uint64_t> integer_blur(const Array &image, double sigma, Border border) {
    const auto weights = GaussianWeights::of(sigma);
    const IntegerTaps &taps = image.type() == Type::u8 ? weights->bytes : weights->words16;
    return two_passes(image, checked_taps(taps, sigma, image.type()), border,
        [&](uint64_t v) { return (v * taps.multiplier + (1 << 23)) >> 24; });
}

Array gaussian_blur(std::span<const Array> inputs, const Settings &settings, Backend) {
    const Array &image = inputs[0];
    const double sigma = settings.number("sigma", 1);
    const std::string name = settings.text("border", "reflect");
    const Border border = name == "mirror"  ? Border::mirror :
                          name == "nearest" ? Border::nearest :
                          name == "zero"    ? Border::zero :
                                              Border::reflect;
    switch (image.type()) {
    case Type::u8: return array_of<uint8_t>(image.shape(), integer_blur(image, sigma, border));
    case Type::u16: return array_of<uint16_t>(image.shape(), integer_blur(image, sigma, border));
    default: return array_of<double>(image.shape(), exact_blur(image, sigma, border));
    }
}

}  // namespace tilewright::plain
