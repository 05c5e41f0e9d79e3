#include "plain/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "plain/elements.h"
#include "tilewright/plain.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace tilewright::plain {

namespace {

// The position, of n, whose element the border shows at i; -1 for none. Steps of a period and reflections are
// made one by one until the position is inside.
int64_t shown(int64_t i, int64_t n, Border border) {
    while (i < 0 || i >= n) {
        switch (border) {
        case Border::reflect: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
        case Border::mirror: i = n == 1 ? 0 : i < 0 ? -i : 2 * n - 2 - i; break;
        case Border::nearest: i = i < 0 ? 0 : n - 1; break;
        case Border::wrap: i += i < 0 ? n : -n; break;
        case Border::zero:
        case Border::constant: return -1;
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

// A pass: its weights, and what is made of each sum.
template<typename Sum>
struct Pass {
    std::vector<Sum> weights;
    std::function<Sum(Sum)> finish = [](Sum sum) { return sum; };

    int64_t radius() const {
        return (int64_t)weights.size() / 2;
    }
};

// The blur along columns, then along rows. `beyond`: what a border without elements shows.
template<typename Sum>
std::vector<Sum> two_passes(
    const Array &image, const Pass<Sum> &down, const Pass<Sum> &along, Border border, Sum beyond) {
    const int64_t h = height(image), w = width(image), c = channels(image), n = w * c;
    const std::vector<int64_t> rows = shown_around(h, down.radius(), border),
                               columns = shown_around(w, along.radius(), border);
    const std::vector<Sum> pixels = elements_of<Sum>(image), outside((size_t)n, beyond);
    std::vector<Sum> out((size_t)(h * n)), sums((size_t)n), around((size_t)((int64_t)columns.size() * c));
    const auto add = [&](Sum weight, const Sum *row) {
        for (size_t x = 0; x < (size_t)n; x++) {
            sums[x] += weight * row[x];
        }
    };
    for (int64_t y = 0; y < h; y++) {
        std::fill(sums.begin(), sums.end(), Sum(0));
        for (int64_t i = 0; i < (int64_t)down.weights.size(); i++) {
            const int64_t from = rows[(size_t)(y + i)];
            add(down.weights[(size_t)i], from >= 0 ? &pixels[(size_t)(from * n)] : outside.data());
        }
        std::transform(sums.begin(), sums.end(), sums.begin(), down.finish);
        for (int64_t i = 0; i < (int64_t)around.size(); i++) {
            const int64_t from = columns[(size_t)(i / c)];
            around[(size_t)i] = from >= 0 ? sums[(size_t)(from * c + i % c)] : beyond;
        }
        std::fill(sums.begin(), sums.end(), Sum(0));
        for (int64_t i = 0; i < (int64_t)along.weights.size(); i++) {
            add(along.weights[(size_t)i], &around[(size_t)(i * c)]);
        }
        std::transform(sums.begin(), sums.end(), out.begin() + y * n, along.finish);
    }
    return out;
}

// The taps -radius ... radius of the operator's table, after a check of its promises: the taps sum to S, M is
// 2^24 / S rounded, and the documented bound on the difference from the blur by exact weights, before the
// last rounding, is below 1 (of u16: up to sigma 50). Errors: mismatch.
std::vector<uint64_t> checked_taps(const IntegerTaps &taps, double sigma, double truncate, Type type) {
    const std::vector<double> exact = gaussian_weights(sigma, truncate);
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

// A pass of u8 or of u16.
Pass<uint64_t> integer_pass(double sigma, double truncate, Type type) {
    const auto weights = GaussianWeights::of(sigma, truncate);
    const IntegerTaps &taps = type == Type::u8 ? weights->bytes : weights->words16;
    return {checked_taps(taps, sigma, truncate, type),
        [multiplier = taps.multiplier](uint64_t v) { return (v * multiplier + (1 << 23)) >> 24; }};
}

}  // namespace

std::vector<double> exact_blur(const Array &image, const GaussianBlurOptions &how) {
    return two_passes<double>(image, {gaussian_weights(how.sigma_y, how.truncate)},
        {gaussian_weights(how.sigma_x, how.truncate)}, how.border,
        how.border == Border::constant ? how.value : 0);
}

std::vector<uint64_t> integer_blur(const Array &image, const GaussianBlurOptions &how) {
    return two_passes<uint64_t>(image, integer_pass(how.sigma_y, how.truncate, image.type()),
        integer_pass(how.sigma_x, how.truncate, image.type()), how.border,
        how.border == Border::constant ? (uint64_t)how.value : 0);
}

Array gaussian_blur(std::span<const Array> inputs, const Settings &settings, Backend) {
    const Array &image = inputs[0];
    const std::string name = settings.text("border", "reflect");
    const double sigma = settings.number("sigma", 1);
    const GaussianBlurOptions how = {.sigma_y = settings.number("sigma-y", sigma),
        .sigma_x = sigma,
        .border = name == "mirror"   ? Border::mirror :
                  name == "nearest"  ? Border::nearest :
                  name == "zero"     ? Border::zero :
                  name == "wrap"     ? Border::wrap :
                  name == "constant" ? Border::constant :
                                       Border::reflect,
        .truncate = settings.number("truncate", 4),
        .value = settings.number("value", 0)};
    switch (image.type()) {
    case Type::u8: return array_of<uint8_t>(image.shape(), integer_blur(image, how));
    case Type::u16: return array_of<uint16_t>(image.shape(), integer_blur(image, how));
    default: return array_of<double>(image.shape(), exact_blur(image, how));
    }
}

}  // namespace tilewright::plain
