#include "tilewright/matmul.h"
#include "runtime/dispatch/launch.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <utility>

namespace tilewright {

const std::vector<Row> &matmul_rows();

namespace {

constexpr int64_t most_rows = 4 * 65535;        // of one launch: the grids of all kernels stay within 65535 in y and z
constexpr int64_t most_columns = 64 * 65535;
constexpr int64_t most_depth = 32 * 65535;      // of the forms that copy panels on a GPU

int64_t rounded_up(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

// out (M x N) = a (M x K) b (K x N)
struct Size {
    int64_t m, k, n;

    explicit Size(std::span<const Array> inputs) : m(inputs[0].shape()[0]), k(inputs[0].shape()[1]), n(inputs[1].shape()[1]) {
    }
};

// Rows and columns of the panels that a row's library copies a and b into, with the depth that is copied at once: (rows of a,
// columns of b, depth); rows or columns 0: that matrix is read in place.
struct Copies {
    int64_t rows = 0, columns = 0, depth = 0;

    Copies(const Row &row, const Size &size) {
        if (row.form == "matmul_blocks") {
            columns = 32;  // at most: two vectors
            depth = std::min<int64_t>(size.k, row.tunable("depth"));
        } else if (row.form == "matmul_squares") {
            rows = row.tunable("rows");
            columns = row.tunable("columns");
            depth = size.k;
        } else if (row.form == "matmul_workers" && row.tunable("copies") != 0) {
            const int64_t across = 8 * row.tunable("across") << std::popcount((unsigned)row.tunable("lanes"));
            const int64_t down = 8 * row.tunable("down") * 32 >> std::popcount((unsigned)row.tunable("lanes"));
            const bool together = row.tunable("copies") == 1;
            rows = together ? std::max(across, down) : down;
            columns = together ? rows : across;
            depth = rounded_up(rounded_up(size.k, row.tunable("depth")), 32);
        }
    }
};

// Few elements for the depth: tiles of registers would leave most of a GPU idle, or be mostly padding.
bool is_thin(const Size &size) {
    return std::min(size.m, size.n) <= 16 || rounded_up(size.m, 32) / 32 * (rounded_up(size.n, 64) / 64) < 24;
}

bool is_aligned(const Array &a, int64_t bytes) {
    return a.offset_bytes() % bytes == 0 && a.strides()[0] * (int64_t)sizeof(float) % bytes == 0;
}

class Matmul : public Operator {
public:
    std::string name() const override {
        return "matmul";
    }
    std::string summary() const override {
        return "the product of two matrices";
    }
    const std::vector<Row> &rows() const override {
        return matmul_rows();
    }
    int inputs() const override {
        return 2;
    }

    std::string type_of(std::span<const Array> inputs, const Settings &) const override {
        for (int i : {0, 1}) {
            if (inputs[i].type() != Type::f32 || inputs[i].dimensions() != 2) {
                refuse(Fault::input, "takes two matrices of f32", i == 0 ? "a" : "b", inputs[i].describe());
            }
        }
        if (inputs[0].shape()[1] != inputs[1].shape()[0]) {
            refuse(Fault::input, "the first matrix must have as many columns as the second has rows", "a, b",
                   inputs[0].describe() + ", " + inputs[1].describe());
        }
        return "f32";
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &) const override {
        return {Type::f32, {inputs[0].shape()[0], inputs[1].shape()[1]}};
    }

    // The bounds are where the times of neighbouring rows meet on an H200.
    bool serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &) const override {
        const Size size(inputs);
        if (!row.autoscheduler.empty()) {
            return size.m >= 4 && size.n >= 64;  // the tiles that the plug-ins made
        }
        if (row.schedule == "tuned_few_rows") {
            return size.m <= 8;
        }
        if (row.schedule == "tuned_few_columns") {
            return size.n <= 8;
        }
        if (row.form != "matmul_workers") {
            return true;
        }
        if (is_thin(size) || size.k > most_depth) {
            return false;
        }
        if (row.tunable("copies") == 0) {
            const bool whole = size.m % 128 == 0 && size.n % 128 == 0 && size.k % row.tunable("depth") == 0;
            if (!whole || !is_aligned(inputs[0], 16) || !is_aligned(inputs[1], 16) || !is_aligned(output, 16)) {
                return false;
            }
        }
        const int64_t largest = std::max(size.m, size.n);
        if (row.schedule == "tuned_small" || row.schedule == "tuned_small_whole") {
            return largest <= 640 && size.k <= 65536;
        }
        if (row.schedule == "tuned_medium" || row.schedule == "tuned_medium_whole") {
            return largest <= 1536 && size.k <= 65536;  // panels of both matrices in one buffer stay below most_bytes
        }
        return row.schedule != "tuned_shallow" || size.k <= 2048;
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override {
        const Size size(inputs);
        const Copies copies(row, size);
        const bool gpu = row.backend != Backend::cpu;
        const int64_t element = sizeof(float);
        // What a library cannot do at once goes by parts: rows of the output, or columns of it.
        auto span = [&](const Array &a) { return a.shape()[0] * a.strides()[0] * element; };
        const bool too_tall = copies.rows != 0 && rounded_up(size.m, copies.rows) * copies.depth * element > most_bytes;
        if (size.m > 1 && (too_tall || (gpu && size.m > most_rows) || span(inputs[0]) > most_bytes || span(output) > most_bytes)) {
            const int64_t half = size.m / 2;
            for (const auto &[begin, count] : {std::pair{(int64_t)0, half}, {half, size.m - half}}) {
                const Array part[] = {inputs[0].crop(begin, 0, count, size.k), inputs[1]};
                Array output_part = output.crop(begin, 0, count, size.n);
                run(row, device, part, output_part, settings);
            }
            return;
        }
        const bool too_wide = copies.columns != 0 && rounded_up(size.n, copies.columns) * copies.depth * element > most_bytes;
        if (size.n > 1 && (too_wide || (gpu && size.n > most_columns))) {
            const int64_t half = size.n / 2;
            for (const auto &[begin, count] : {std::pair{(int64_t)0, half}, {half, size.n - half}}) {
                const Array part[] = {inputs[0], inputs[1].crop(0, begin, size.k, count)};
                Array output_part = output.crop(0, begin, size.m, count);
                run(row, device, part, output_part, settings);
            }
            return;
        }
        Launch(row, device).in(inputs[0]).in(inputs[1]).out(output).run();
    }

    // 2 K 2^-24 (|a| |b|)
    Array bound(std::span<const Array> inputs, const Settings &) const override {
        const Size size(inputs);
        constexpr double many = 1e8;  // products that a plain loop makes in a tenth of a second
        if ((double)size.m * (double)size.n * (double)size.k > many && !Operator::rows("tuned", Backend::cpu).empty()) {
            return bound_of_large(inputs, size);
        }
        Array bound(Type::f64, {size.m, size.n}, 0);
        const float *a = inputs[0].as<float>(), *b = inputs[1].as<float>();
        double *out = bound.as<double>();
        for (int64_t y = 0; y < size.m; y++) {
            for (int64_t k = 0; k < size.k; k++) {
                const double factor = 2 * (double)size.k * 0x1p-24 * std::abs((double)a[y * inputs[0].strides()[0] + k]);
                for (int64_t x = 0; x < size.n; x++) {
                    out[y * size.n + x] += factor * std::abs((double)b[k * inputs[1].strides()[0] + x]);
                }
            }
        }
        return bound;
    }

    // The same, with the absolute values multiplied by the CPU's own row and taken as small as its error allows.
    Array bound_of_large(std::span<const Array> inputs, const Size &size) const {
        std::vector<Array> absolute = {inputs[0].clone(), inputs[1].clone()};
        for (Array &matrix : absolute) {
            float *data = matrix.as<float>();
            for (int64_t y = 0; y < matrix.shape()[0]; y++) {
                for (int64_t x = 0; x < matrix.shape()[1]; x++) {
                    data[y * matrix.strides()[0] + x] = std::abs(data[y * matrix.strides()[0] + x]);
                }
            }
        }
        Array product;
        (*this)(absolute, product, {}, {.device = Device{}});
        const double relative = 2 * (double)size.k * 0x1p-24;
        Array bound(Type::f64, {size.m, size.n}, 0);
        double *out = bound.as<double>();
        for (int64_t y = 0; y < size.m; y++) {
            const float *from = std::as_const(product).as<float>() + y * product.strides()[0];
            for (int64_t x = 0; x < size.n; x++) {
                out[y * size.n + x] = relative * (1 - relative) * (double)from[x];
            }
        }
        return bound;
    }

    // One size for each row that `tuned` may take and more: (M, K, N), 1s, odd, a tile less and more by one, primes, tall and wide.
    std::vector<Sample> samples(const std::string &) const override {
        std::vector<Sample> all;
        const int64_t sizes[][3] = {{1, 1, 1},     {1, 300, 1},    {7, 1, 9},       {129, 65, 257}, {257, 127, 251}, {128, 128, 512}, {13, 447, 31},
                                    {15, 449, 33}, {33, 5000, 33}, {1000, 40, 3},   {2, 40, 3000},  {700, 33, 900},  {768, 64, 1024}, {1601, 20, 1703},
                                    {1537, 2051, 25}};
        for (const auto &[m, k, n] : sizes) {
            all.push_back(sample(m, k, n));
        }
        // Parts of larger matrices, that begin at any element.
        Sample crop = sample(140, 90, 290);
        crop.inputs = {crop.inputs[0].crop(3, 5, 131, 67), crop.inputs[1].crop(7, 9, 67, 259)};
        crop.what += " cropped to 131x67x259";
        all.push_back(crop);
        return all;
    }

    // The product of h x w and w x w.
    Sample benchmark_sample(const std::string &, int64_t w, int64_t h, const Settings &) const override {
        return sample(h, w, w);
    }
    std::pair<int64_t, int64_t> benchmark_size() const override {
        return {1024, 1024};
    }

    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Operator::work(inputs, output, settings);
        const Size size(inputs);
        work.flops = 2.0 * (double)size.m * (double)size.k * (double)size.n;
        return work;
    }

private:
    static Sample sample(int64_t m, int64_t k, int64_t n) {
        std::minstd_rand random(1);
        auto matrix = [&](int64_t h, int64_t w) {
            Array a(Type::f32, {h, w});
            float *data = a.as<float>();
            for (int64_t y = 0; y < h; y++) {
                for (int64_t x = 0; x < w; x++) {
                    data[y * a.strides()[0] + x] = (float)((double)random() / 0x1p30 - 1);
                }
            }
            return a;
        };
        const Array a = matrix(m, k), b = matrix(k, n);
        return {{a, b}, {}, "f32 " + std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n)};
    }
};

}  // namespace

const Operator &matmul_operator() {
    static const auto &op = *new Matmul;  // never destroyed (inside.h)
    return op;
}

void matmul(const Array &a, const Array &b, Array &output, const Call &call) {
    const Array inputs[] = {a, b};
    matmul_operator()(inputs, output, {}, call);
}

}  // namespace tilewright
