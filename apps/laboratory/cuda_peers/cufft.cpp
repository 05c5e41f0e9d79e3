// cuFFT: the two-dimensional transform of complex f32.
#include "apps/laboratory/cuda_peers/library.h"
#include "apps/laboratory/cuda_peers/peers.h"
#include <cmath>
#include <cufft.h>

namespace peers {

namespace {

void check(cufftResult result, const char *what) {
    if (result != CUFFT_SUCCESS) {
        throw Failure(Fault::failed, std::string(what) + ": cuFFT result " + std::to_string((int)result));
    }
}

struct Functions {
    explicit Functions(const Library &library)
        : plan(library.function<decltype(cufftPlan2d)>("cufftPlan2d")),
          destroy(library.function<decltype(cufftDestroy)>("cufftDestroy")),
          run(library.function<decltype(cufftExecC2C)>("cufftExecC2C")) {}

    decltype(cufftPlan2d) *plan;
    decltype(cufftDestroy) *destroy;
    decltype(cufftExecC2C) *run;
};

// One number of the spectrum, by the sum that defines it; real and imaginary parts follow each other. The
// error of f32 grows with the logarithm of the number of points, relative to the length of the field.
Expected one_number(const std::vector<float> &field, size_t i, size_t width, size_t height) {
    const size_t u = i / 2 % width, v = i / 2 / width;
    double re = 0, im = 0, squares = 0;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            const double turns =
                (double)(u * x % width) / (double)width + (double)(v * y % height) / (double)height;
            const double c = std::cos(2 * M_PI * turns), s = -std::sin(2 * M_PI * turns);
            const double a = field[2 * (y * width + x)], b = field[2 * (y * width + x) + 1];
            re += a * c - b * s;
            im += a * s + b * c;
            squares += a * a + b * b;
        }
    }
    return {i % 2 == 0 ? re : im, 4 * 0x1p-24 * std::log2((double)(width * height)) * std::sqrt(squares)};
}

Kernel transform(const Functions &cufft) {
    const auto arrays_of = [cufft](Size size) {
        const auto width = (size_t)size.width, height = (size_t)size.height;
        const auto destroy = [cufft](const cufftHandle *made) {
            cufft.destroy(*made);
            delete made;
        };
        const std::shared_ptr<cufftHandle> plan(new cufftHandle, destroy);
        check(cufft.plan(plan.get(), (int)height, (int)width, CUFFT_C2C), "cufftPlan2d");
        Arrays<float, float> arrays;
        arrays.inputs = {random_values<float>(2 * width * height, -1, 1, 1)};
        arrays.outputs = 2 * width * height;
        arrays.before = 1e9f;
        // with a sine and a cosine in each step of the loop
        arrays.operations = 20. * (double)(width * height);
        arrays.start = [cufft, plan](const std::vector<const float *> &in, float *out, float *) {
            check(
                cufft.run(*plan, (cufftComplex *)in[0], (cufftComplex *)out, CUFFT_FORWARD), "cufftExecC2C");
        };
        arrays.expected = [=](const std::vector<std::vector<float>> &in, size_t i) {
            return one_number(in[0], i, width, height);
        };
        return arrays;
    };
    return kernel_of({"fft2d", "cuFFT C2C", "c64", {{1024, 1024}, {4096, 4096}}, "up to 2^27 points",
                         [](Size size) { return size.width * size.height <= 1LL << 27; }},
        arrays_of);
}

}  // namespace

std::vector<Kernel> cufft_peers(std::vector<std::string> &missing) {
    static const Library library("libcufft.so." + std::to_string(CUFFT_VER_MAJOR));
    if (!library) {
        missing.push_back("cuFFT: " + library.why_not());
        return {};
    }
    return {transform(Functions(library))};
}

}  // namespace peers
