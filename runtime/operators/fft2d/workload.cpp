// The workload of fft2d: fields of every length of rows and columns, and the error that a transform may have.
#include "tilewright/workload.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/workloads/random.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace tilewright {

namespace {

Sample sample_of(Type type, int64_t h, int64_t w, const Settings &settings) {
    return {{random_array(type, {h, w}, 1)}, settings, fmt::format("{} {}x{}", name_of(type), w, h)};
}

Type field_type(const std::string &type) {
    return type == "c128" ? Type::c128 : Type::c64;
}

Type real_type(const std::string &type) {
    return type == "c128" ? Type::f64 : Type::f32;
}

class Fft2dWorkload : public Workload {
public:
    using Workload::Workload;

    // Of the output as a whole: 2e-6 log2 of the longer side, or of 2, relative, in the L2 norm; of f64,
    // 4e-15 times that.
    Array bound(std::span<const Array> inputs, const Settings &settings) const override {
        const auto [type, shape] = op_.output_of(inputs, settings);
        const int64_t w = std::max(shape[1], inputs[0].shape()[1]);
        Array bound(Type::f64, {1});
        *bound.as<double>() = (type == Type::c128 || type == Type::f64 ? 4e-15 : 2e-6) *
                              std::log2((double)std::max({shape[0], w, int64_t(2)}));
        return bound;
    }

    // Every length that has passes, as rows and as columns, so that every variant takes part in one; small
    // sides, primes, and sides that take two passes on one backend or on all.
    std::vector<Sample> samples(const std::string &type) const override {
        const Type of = field_type(type);
        std::vector<Sample> all;
        std::vector<std::pair<int64_t, int64_t>> sizes = {{16, 16}, {32, 16}, {32, 64}, {64, 32}, {128, 256},
            {256, 128}, {256, 16}, {512, 512}, {512, 16}, {1024, 16}, {1024, 64}, {16, 1024}, {2048, 32},
            {2048, 64}, {16, 2048}, {4096, 16}, {4096, 32}, {4096, 64}, {16, 4096}, {8192, 16}, {8192, 32},
            {16, 8192}, {1, 1}, {1, 2}, {3, 1}, {5, 7}, {13, 22}, {17, 31}, {34, 57}, {60, 100}, {1000, 12},
            {1080, 33}, {30, 1920}, {32, 1536}, {1009, 62}, {5, 1009}, {1001, 34}, {2033, 33}, {5, 2039},
            {3067, 40}, {5, 3067}, {4097, 34}, {4099, 5}, {5, 4099}, {5009, 3}, {3, 5009}, {3000, 10},
            {7, 10000}, {3, 12600}, {16000, 3}, {16335, 3}, {16384, 3}, {16384, 32}, {3, 16384}, {2300, 6},
            {2448, 6}, {5, 3264}, {3, 16320}, {3, 12800}};
        for (const int64_t n : other_lengths()) {
            sizes.insert(sizes.end(), {{n, 16}, {16, n}});
        }
        for (const auto &[h, w] : sizes) {
            for (const char *direction : {"forward", "inverse"}) {
                all.push_back(sample_of(of, h, w, {{"direction", std::string(direction)}}));
                all.back().what += std::string(" ") + direction;
            }
        }
        all.push_back(sample_of(of, 100, 60, {{"pad", std::string("yes")}}));
        all.back().what += " padded";
        Sample crop = sample_of(of, 70, 150, {});
        crop.inputs[0] = crop.inputs[0].crop(3, 5, 64, 128);
        crop.what += " cropped to 64x128";
        all.push_back(crop);
        add_halves(type, all);
        return all;
    }

    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &settings) const override {
        // `half` and inverse: a spectrum of values of that size.
        const bool half = settings.text("half", "no") == "yes",
                   inverse = settings.text("direction", "forward") == "inverse";
        return sample_of(half && !inverse ? real_type(type) : field_type(type), size.height,
            half && inverse ? size.width / 2 + 1 : size.width, settings);
    }
    std::vector<DataSize> sizes_to_measure() const override {
        return {{64, 64}, {256, 256}, {1024, 1024}, {32, 8192}, {8192, 32}, {4096, 4096}};
    }
    DataSize benchmark_size() const override {
        return {1024, 1024};
    }

    // 5 n log2 n, as it is usually counted.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Workload::work(inputs, output, settings);
        const double n = (double)std::max(output.size(), inputs[0].size());
        work.flops = 5 * n * std::log2(n) * (settings.text("half", "no") == "yes" ? .5 : 1);
        return work;
    }

private:
    // The lengths that have passes and are no powers of two.
    std::set<int64_t> other_lengths() const {
        std::set<int64_t> lengths;
        for (const Variant &variant : op_.variants()) {
            if (variant.form != "fft_pass") {
                continue;
            }
            const auto shape = variant.configuration<FftPassShape>();
            if (!shape.is_padded() && !has_pass(shape.length())) {
                lengths.insert(shape.length());
            }
        }
        return lengths;
    }

    // Real values and their spectra: widths of each kind of pass, odd ones, and rows that begin between whole
    // complex numbers.
    static void add_halves(const std::string &type, std::vector<Sample> &all) {
        const std::pair<int64_t, int64_t> sizes[] = {{16, 32}, {64, 128}, {512, 64}, {1, 1}, {1, 2}, {3, 2},
            {6, 7}, {22, 26}, {31, 34}, {33, 1080}, {64, 2018}, {5, 8198}, {3, 16384}, {16384, 4}, {9, 1009}};
        for (const auto &[h, w] : sizes) {
            all.push_back(sample_of(real_type(type), h, w, {{"half", std::string("yes")}}));
            all.back().what += " half";
            all.push_back(sample_of(field_type(type), h, w / 2 + 1,
                {{"half", std::string("yes")}, {"direction", std::string("inverse")}, {"width", (double)w}}));
            all.back().what += fmt::format(" half of width {}", w);
        }
        Sample crop = sample_of(real_type(type), 70, 151, {{"half", std::string("yes")}});
        crop.inputs[0] = crop.inputs[0].crop(3, 5, 64, 128);
        crop.what += " half, cropped to 64x128";
        all.push_back(crop);
    }
};

}  // namespace

std::unique_ptr<Workload> fft2d_workload(const Operator &op) {
    return std::make_unique<Fft2dWorkload>(op);
}

}  // namespace tilewright
