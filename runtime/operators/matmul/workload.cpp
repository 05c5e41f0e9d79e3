// The workload of matmul: the bound of its error, and sizes around which its rows change.
#include "tilewright/workload.h"
#include "runtime/workloads/random.h"
#include <cmath>
#include <utility>

namespace tilewright {

namespace {

// output (M x N) = a (M x K) b (K x N)
struct Size {
    int64_t m, k, n;
};

Size size_of(std::span<const Array> inputs) {
    return {inputs[0].shape()[0], inputs[0].shape()[1], inputs[1].shape()[1]};
}

template<typename T>
Array widened(const Array &matrix) {
    Array wide = Array::uninitialized(Type::f32, matrix.shape());
    const T *from = matrix.as<T>();
    float *to = wide.as<float>();
    for (int64_t y = 0; y < matrix.shape()[0]; y++) {
        std::copy_n(from + y * matrix.strides()[0], matrix.shape()[1], to + y * wide.strides()[0]);
    }
    return wide;
}

// The same numbers, in the type of the output.
Array in_type_of_sums(const Array &matrix) {
    return matrix.type() == Type::f16  ? widened<Float16>(matrix) :
           matrix.type() == Type::bf16 ? widened<BFloat16>(matrix) :
                                         matrix;
}

class MatmulWorkload : public Workload {
public:
    using Workload::Workload;

    // 2 K 2^-24 (|a| |b|), and of f64 with 2^-53
    Array bound(std::span<const Array> inputs, const Settings &) const override {
        const Array matrices[] = {in_type_of_sums(inputs[0]), in_type_of_sums(inputs[1])};
        return inputs[0].type() == Type::f64 ? bound_of<double>(matrices, 0x1p-53) :
                                               bound_of<float>(matrices, 0x1p-24);
    }

    // One size for each variant that `tuned` may take and more: (M, K, N), 1s, odd, a tile less and more by
    // one, primes, tall and wide.
    std::vector<Sample> samples(const std::string &type) const override {
        std::vector<Sample> all;
        const int64_t sizes[][3] = {{1, 1, 1}, {1, 300, 1}, {7, 1, 9}, {129, 65, 257}, {257, 127, 251},
            {128, 128, 512}, {13, 447, 31}, {15, 449, 33}, {33, 5000, 33}, {100, 340, 68}, {1000, 40, 3},
            {2, 40, 3000}, {700, 33, 900}, {768, 64, 1024}, {136, 512, 264}, {1601, 20, 1703},
            {1537, 2051, 25}};
        for (const auto &[m, k, n] : sizes) {
            all.push_back(sample(type, m, k, n));
        }
        // Parts of larger matrices, that begin at any element.
        Sample crop = sample(type, 140, 90, 290);
        crop.inputs = {crop.inputs[0].crop(3, 5, 131, 67), crop.inputs[1].crop(7, 9, 67, 259)};
        crop.what += " cropped to 131x67x259";
        all.push_back(crop);
        return all;
    }

    // The product of h x w and w x w.
    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &) const override {
        return sample(type, size.height, size.width, size.width);
    }
    std::vector<DataSize> sizes_to_measure() const override {
        return {{64, 64}, {256, 256}, {512, 512}, {1000, 100}, {33, 100000}, {1024, 1024}, {2000, 2000},
            {4096, 4096}, {4096, 1}, {4096, 64}};
    }
    DataSize benchmark_size() const override {
        return {1024, 1024};
    }

    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Workload::work(inputs, output, settings);
        const Size size = size_of(inputs);
        work.flops = 2.0 * (double)size.m * (double)size.k * (double)size.n;
        return work;
    }

private:
    template<typename T>
    Array bound_of(std::span<const Array> matrices, double half_step) const {
        const Size size = size_of(matrices);
        const double relative = 2 * (double)size.k * half_step;
        constexpr double many = 1e8;  // products that a plain loop makes in a tenth of a second
        if ((double)size.m * (double)size.n * (double)size.k > many &&
            !op_.variants("tuned", Backend::cpu).empty()) {
            return bound_of_large<T>(matrices, relative);
        }
        Array bound(Type::f64, {size.m, size.n}, 0);
        const T *a = matrices[0].as<T>(), *b = matrices[1].as<T>();
        double *out = bound.as<double>();
        for (int64_t y = 0; y < size.m; y++) {
            for (int64_t k = 0; k < size.k; k++) {
                const double factor = relative * std::abs((double)a[y * matrices[0].strides()[0] + k]);
                for (int64_t x = 0; x < size.n; x++) {
                    out[y * size.n + x] += factor * std::abs((double)b[k * matrices[1].strides()[0] + x]);
                }
            }
        }
        return bound;
    }

    // The same, with the absolute values multiplied by the CPU's own row and taken as small as its error
    // allows.
    template<typename T>
    Array bound_of_large(std::span<const Array> matrices, double relative) const {
        std::vector<Array> absolute = {matrices[0].clone(), matrices[1].clone()};
        for (Array &matrix : absolute) {
            T *data = matrix.as<T>();
            for (int64_t y = 0; y < matrix.shape()[0]; y++) {
                for (int64_t x = 0; x < matrix.shape()[1]; x++) {
                    data[y * matrix.strides()[0] + x] = std::abs(data[y * matrix.strides()[0] + x]);
                }
            }
        }
        Array product;
        op_(absolute, product, {}, {.device = Device{}});
        const Size size = size_of(matrices);
        Array bound(Type::f64, {size.m, size.n}, 0);
        double *out = bound.as<double>();
        for (int64_t y = 0; y < size.m; y++) {
            const T *from = std::as_const(product).as<T>() + y * product.strides()[0];
            for (int64_t x = 0; x < size.n; x++) {
                out[y * size.n + x] = relative * (1 - relative) * (double)from[x];
            }
        }
        return bound;
    }

    static Sample sample(const std::string &type, int64_t m, int64_t k, int64_t n) {
        const Type element = type == "f16"  ? Type::f16 :
                             type == "bf16" ? Type::bf16 :
                             type == "f64"  ? Type::f64 :
                                              Type::f32;
        const Array a = random_array(element, {m, k}, 1), b = random_array(element, {k, n}, 2);
        return {
            {a, b}, {}, type + " " + std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n)};
    }
};

}  // namespace

std::unique_ptr<Workload> matmul_workload(const Operator &op) {
    return std::make_unique<MatmulWorkload>(op);
}

}  // namespace tilewright
