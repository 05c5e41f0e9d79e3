#include "runtime/operators/min_plus_convolution/workload_data.h"
#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace tilewright {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> numbers(
    int64_t n, const std::string &kind, unsigned seed, double smallest, double largest) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    double walk = 0;
    std::vector<double> all((size_t)n);
    for (size_t i = 0; i < all.size(); i++) {
        double &x = all[i];
        if (kind == "gaussian") {
            x = normal(random);
        } else if (kind == "walk") {
            x = walk += normal(random);
        } else if (kind == "convex") {
            const double place = (double)i / (double)n - .5;
            x = place * place + 1e-3 * uniform(random);
        } else if (kind == "few") {
            x = (double)(random() % 16) / 16 - .5;
        } else if (kind == "absent") {
            x = uniform(random) < .3 ? infinity : uniform(random) - .5;
        } else if (kind == "nothing") {
            x = infinity;
        } else if (kind == "zeros") {
            x = random() % 2 ? 0. : -0.;
        } else if (kind == "denormals") {
            x = (uniform(random) - .5) * 8 * smallest;  // and normal numbers whose sums are denormal
        } else if (kind == "huge") {
            x = (uniform(random) < .5 ? 1 : -1) * largest * uniform(random);
        } else if (kind == "uniform" || kind == "sorted" || kind == "falling") {
            x = uniform(random);
        } else {
            throw std::logic_error("no such data: " + kind);
        }
    }
    if (kind == "sorted") {
        std::sort(all.begin(), all.end());
    } else if (kind == "falling") {
        std::sort(all.rbegin(), all.rend());
    }
    return all;
}

}  // namespace

Array min_plus_vector(Type type, int64_t n, const std::string &kind, unsigned seed) {
    Array vector(type, {n});
    if (type == Type::i32) {
        constexpr double most = 0x1p28;
        const std::vector<double> all = numbers(n, kind, seed, 1, 1);
        const double scale = kind == "walk" ? 1e4 : 1e8;
        auto *to = vector.as<int32_t>();
        std::transform(all.begin(), all.end(), to,
            [&](double x) { return (int32_t)std::clamp(x * scale, -most, most); });
    } else if (type == Type::f32) {
        const std::vector<double> all =
            numbers(n, kind, seed, std::numeric_limits<float>::min(), std::numeric_limits<float>::max());
        std::copy(all.begin(), all.end(), vector.as<float>());
    } else {
        const std::vector<double> all =
            numbers(n, kind, seed, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
        std::copy(all.begin(), all.end(), vector.as<double>());
    }
    return vector;
}

}  // namespace tilewright
