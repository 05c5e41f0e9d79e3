// cuBLAS: matrix product, transpose, and sums as products with a vector of ones. All in f32 without tensor
// cores, as the operators compute.
#include "apps/laboratory/cuda_peers/library.h"
#include "apps/laboratory/cuda_peers/peers.h"
#include <cmath>
#include <cublas_v2.h>

namespace peers {

namespace {

void check(cublasStatus_t status, const char *what) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw Failure(Fault::failed, std::string(what) + ": cuBLAS status " + std::to_string((int)status));
    }
}

struct Functions {
    explicit Functions(const Library &library)
        : create(library.function<decltype(cublasCreate_v2)>("cublasCreate_v2")),
          set_math(library.function<decltype(cublasSetMathMode)>("cublasSetMathMode")),
          sgemm(library.function<decltype(cublasSgemm_v2)>("cublasSgemm_v2")),
          sgeam(library.function<decltype(cublasSgeam)>("cublasSgeam")),
          sgemv(library.function<decltype(cublasSgemv_v2)>("cublasSgemv_v2")) {}

    decltype(cublasCreate_v2) *create;
    decltype(cublasSetMathMode) *set_math;
    decltype(cublasSgemm_v2) *sgemm;
    decltype(cublasSgeam) *sgeam;
    decltype(cublasSgemv_v2) *sgemv;
};

// The library's handle, which is made once because that takes longer than most calls, and lives as long as
// the program.
cublasHandle_t handle(const Functions &cublas) {
    static const cublasHandle_t one = [&] {
        cublasHandle_t made = nullptr;
        check(cublas.create(&made), "cublasCreate");
        check(cublas.set_math(made, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
        return made;
    }();
    return one;
}

constexpr float one = 1, zero = 0;
constexpr float unwritten = 4711;

// cuBLAS has columns one after the other, and we have rows: so it computes the transposed product b^T a^T.
Kernel sgemm(const Functions &cublas) {
    const auto prepare = [cublas](Size size) -> std::unique_ptr<published::Problem> {
        const int n = (int)size.width;
        Arrays<float, float> arrays;
        arrays.inputs = {
            random_values<float>((size_t)n * n, -1, 1, 1), random_values<float>((size_t)n * n, -1, 1, 2)};
        arrays.outputs = (size_t)n * n;
        arrays.before = unwritten;
        arrays.operations = n;
        arrays.start = [cublas, n](const std::vector<const float *> &in, float *out, float *) {
            check(cublas.sgemm(handle(cublas), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, in[1], n, in[0], n,
                      &zero, out, n),
                "cublasSgemm");
        };
        arrays.expected = [n](const std::vector<std::vector<float>> &in, size_t i) {
            double sum = 0, size = 0;
            for (size_t k = 0; k < (size_t)n; k++) {
                const double product = (double)in[0][i / n * n + k] * in[1][k * n + i % n];
                sum += product;
                size += std::abs(product);
            }
            return Expected{sum, n * 0x1p-24 * size};
        };
        return std::make_unique<ArrayProblem<float, float>>(std::move(arrays));
    };
    return {"matmul", "cuBLAS sgemm", "f32", {{512, 512}, {1024, 1024}}, "squares up to 32768",
        [](Size size) { return size.width == size.height && size.width <= 32768; },
        [](Size size) {
            const std::string n = std::to_string(size.width);
            return "f32 " + n + "x" + n + "x" + n;
        },
        prepare};
}

Kernel sgeam(const Functions &cublas) {
    const auto prepare = [cublas](Size size) -> std::unique_ptr<published::Problem> {
        const int width = (int)size.width, height = (int)size.height;
        Arrays<float, float> arrays;
        arrays.inputs = {random_values<float>((size_t)width * height, 0, 255, 1)};
        arrays.outputs = (size_t)width * height;
        arrays.before = unwritten;
        arrays.operations = 1;
        arrays.start = [=](const std::vector<const float *> &in, float *out, float *) {
            check(cublas.sgeam(handle(cublas), CUBLAS_OP_T, CUBLAS_OP_N, height, width, &one, in[0], width,
                      &zero, out, height, out, height),
                "cublasSgeam");
        };
        arrays.expected = [=](const std::vector<std::vector<float>> &in, size_t i) {
            return Expected{in[0][i % height * width + i / height], 0};
        };
        return std::make_unique<ArrayProblem<float, float>>(std::move(arrays));
    };
    return {"transpose", "cuBLAS sgeam", "f32", {{8192, 8192}}, "up to 2^31 elements",
        [](Size size) { return size.width * size.height < 1LL << 31; },
        [](Size size) { return "f32 " + text_of(size); }, prepare};
}

// The sums of columns, or of rows, as the product with ones.
Kernel sums(const Functions &cublas, bool of_rows) {
    const auto prepare = [=](Size size) -> std::unique_ptr<published::Problem> {
        const int width = (int)size.width, height = (int)size.height;
        const int terms = of_rows ? width : height;
        Arrays<float, float> arrays;
        arrays.inputs = {
            random_values<float>((size_t)width * height, 0, 1, 1), std::vector<float>((size_t)terms, 1)};
        arrays.outputs = (size_t)(of_rows ? height : width);
        arrays.before = -1;
        arrays.operations = terms;
        arrays.start = [=](const std::vector<const float *> &in, float *out, float *) {
            check(cublas.sgemv(handle(cublas), of_rows ? CUBLAS_OP_T : CUBLAS_OP_N, width, height, &one,
                      in[0], width, in[1], 1, &zero, out, 1),
                "cublasSgemv");
        };
        arrays.expected = [=](const std::vector<std::vector<float>> &in, size_t i) {
            double sum = 0;
            for (size_t k = 0; k < (size_t)terms; k++) {
                sum += in[0][of_rows ? i * width + k : k * width + i];
            }
            return Expected{sum, terms * 0x1p-24 * sum};
        };
        return std::make_unique<ArrayProblem<float, float>>(std::move(arrays));
    };
    return {of_rows ? "row_sum" : "column_sum", "cuBLAS sgemv with ones", "f32", {{8192, 8192}},
        "up to 2^31 elements", [](Size size) { return size.width * size.height < 1LL << 31; },
        [](Size size) { return "f32 " + text_of(size); }, prepare};
}

}  // namespace

std::vector<Kernel> cublas_peers(std::vector<std::string> &missing) {
    static const Library library("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR));
    if (!library) {
        missing.push_back("cuBLAS: " + library.why_not());
        return {};
    }
    const Functions cublas(library);
    return {sgemm(cublas), sgeam(cublas), sums(cublas, false), sums(cublas, true)};
}

}  // namespace peers
