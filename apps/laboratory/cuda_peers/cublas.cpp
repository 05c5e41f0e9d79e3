// cuBLAS: matrix product, transpose, and sums as products with a vector of ones. All in f32 without tensor
// cores, as the operators compute.
#include "apps/laboratory/cuda_peers/library.h"
#include "apps/laboratory/cuda_peers/peers.h"
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

// cuBLAS has columns one after the other, and we have rows: so it computes the transposed product b^T a^T.
Kernel sgemm(const Functions &cublas) {
    Kernel about = {"matmul", "cuBLAS sgemm", "f32", {{512, 512}, {1024, 1024}}, "squares up to 32768",
        [](Size size) { return size.width == size.height && size.width <= 32768; }};
    about.data = [](Size size) { return "f32 " + text_of(size) + "x" + std::to_string(size.width); };
    return kernel_of(about, [cublas](Size size) {
        const int n = (int)size.width;
        auto arrays = published::product((size_t)n, 1);
        arrays.start = [=](const std::vector<const float *> &in, float *out, float *) {
            check(cublas.sgemm(handle(cublas), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, in[1], n, in[0], n,
                      &zero, out, n),
                "cublasSgemm");
        };
        return arrays;
    });
}

Kernel sgeam(const Functions &cublas) {
    return kernel_of(
        {"transpose", "cuBLAS sgeam", "f32", {{8192, 8192}}, most_31, serves_31}, [cublas](Size size) {
            const int width = (int)size.width, height = (int)size.height;
            auto arrays = published::transposed<float>(size);
            arrays.start = [=](const std::vector<const float *> &in, float *out, float *) {
                check(cublas.sgeam(handle(cublas), CUBLAS_OP_T, CUBLAS_OP_N, height, width, &one, in[0],
                          width, &zero, out, height, out, height),
                    "cublasSgeam");
            };
            return arrays;
        });
}

// The sums of columns, or of rows, as the product with ones.
Kernel sums(const Functions &cublas, bool of_rows) {
    return kernel_of({of_rows ? "row_sum" : "column_sum", "cuBLAS sgemv with ones", "f32", {{8192, 8192}},
                         most_31, serves_31},
        [=](Size size) {
            const int width = (int)size.width, height = (int)size.height;
            auto arrays = published::sums<float, float>(size, of_rows);
            arrays.inputs.emplace_back((size_t)(of_rows ? width : height), 1.f);
            arrays.start = [=](const std::vector<const float *> &in, float *out, float *) {
                check(cublas.sgemv(handle(cublas), of_rows ? CUBLAS_OP_T : CUBLAS_OP_N, width, height, &one,
                          in[0], width, in[1], 1, &zero, out, 1),
                    "cublasSgemv");
            };
            return arrays;
        });
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
