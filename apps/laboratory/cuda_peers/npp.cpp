// NPP: transposes and Gaussian blurs.
#include "apps/laboratory/cuda_peers/library.h"
#include "apps/laboratory/cuda_peers/peers.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <npp.h>

namespace peers {

namespace {

using published::check;

// What each call must be told of the device.
NppStreamContext context() {
    NppStreamContext about{};
    check(cudaGetDevice(&about.nCudaDeviceId), "the device");
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, about.nCudaDeviceId), "properties of the device");
    about.nMultiProcessorCount = device.multiProcessorCount;
    about.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    about.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    about.nSharedMemPerBlock = device.sharedMemPerBlock;
    about.nCudaDevAttrComputeCapabilityMajor = device.major;
    about.nCudaDevAttrComputeCapabilityMinor = device.minor;
    return about;
}

void check_npp(NppStatus status, const char *what) {
    if (status != NPP_SUCCESS) {
        throw Failure(
            Fault::failed, std::string("NPP's ") + what + ": status " + std::to_string((int)status));
    }
}

constexpr const char *most_29 = "up to 2^29 elements";
bool serves_29(Size size) {
    return size.width * size.height <= 1LL << 29;
}

template<class T, class F>
Kernel transpose(const Library &library, const char *name, const std::string &type, int channels) {
    F *const run = library.function<F>(name);
    return kernel_of(
        {"transpose", "NPP transpose", type, {{8192, 8192}}, most_29, serves_29}, [=](Size size) {
            const int width = (int)size.width, height = (int)size.height, bytes = channels * (int)sizeof(T);
            auto arrays = published::transposed<T>(size, (size_t)channels);
            arrays.start = [=, about = context()](const std::vector<const T *> &in, T *out, T *) {
                check_npp(
                    run(in[0], width * bytes, out, height * bytes, {width, height}, about), "transpose");
            };
            return arrays;
        });
}

// The blurs. NPP's border is the nearest pixel, where `bench` times variants with the border reflect; the
// weights are those of gaussian_blur, which cuts them off at a distance of 4 sigma. nppiFilterGaussBorder is
// not here: it has weights of its own for at most 15 x 15 pixels.

std::vector<float> gaussian(double sigma) {
    const int radius = (int)std::floor(4 * sigma + .5);
    std::vector<double> weights;
    double sum = 0;
    for (int i = -radius; i <= radius; i++) {
        weights.push_back(std::exp(-.5 * (i / sigma) * (i / sigma)));
        sum += weights.back();
    }
    std::vector<float> all;
    for (const double weight : weights) {
        all.push_back((float)(weight / sum));
    }
    return all;
}

// The element i of the blur with the border nearest.
template<class T>
Expected blurred(const std::vector<T> &in, Size size, const std::vector<float> &weights, size_t i) {
    const int64_t radius = (int64_t)weights.size() / 2, x = (int64_t)i % size.width,
                  y = (int64_t)i / size.width;
    double sum = 0;
    for (int64_t dy = -radius; dy <= radius; dy++) {
        const T *row = &in[(size_t)(std::clamp<int64_t>(y + dy, 0, size.height - 1) * size.width)];
        double of_row = 0;
        for (int64_t dx = -radius; dx <= radius; dx++) {
            of_row += (double)weights[(size_t)(dx + radius)] *
                      (double)row[std::clamp<int64_t>(x + dx, 0, size.width - 1)];
        }
        sum += (double)weights[(size_t)(dy + radius)] * of_row;
    }
    // Bytes are rounded, or cut off, in each of two passes; floats are sums of up to 81 terms, twice.
    return {sum, sizeof(T) == 1 ? 2. : 255 * std::ldexp(1., -15)};
}

// One blur: pointers to the device, and how many weights there are.
template<class T>
struct BlurCall {
    const T *in;
    T *out, *scratch;
    NppiSize size;
    const float *weights;
    int taps;
    NppStreamContext about;

    int pitch() const {
        return size.width * (int)sizeof(T);
    }
};

template<class T>
using Blur = std::function<void(const BlurCall<T> &)>;

template<class T>
Kernel blur(const std::string &name, const std::string &type, double sigma, const Blur<T> &run) {
    const auto arrays_of = [=](Size size) {
        const std::vector<float> weights = gaussian(sigma);
        const auto on_device = std::make_shared<published::DeviceArray<float>>(weights.size());
        on_device->upload(weights.data());
        const size_t pixels = (size_t)(size.width * size.height), taps = weights.size();
        Arrays<T, T> arrays;
        arrays.inputs = {random_values<T>(pixels, 0, 255, 1)};
        arrays.outputs = arrays.scratch = pixels;
        arrays.operations = (double)(taps * taps);
        arrays.start = [=, about = context()](const std::vector<const T *> &in, T *out, T *scratch) {
            run({in[0], out, scratch, {(int)size.width, (int)size.height}, on_device->data(), (int)taps,
                about});
        };
        arrays.expected = [=](const std::vector<std::vector<T>> &in, size_t i) {
            return blurred(in[0], size, weights, i);
        };
        return arrays;
    };
    Kernel about = {"gaussian_blur", name, type, {{8192, 8192}}, most_29, serves_29};
    about.data = [=](Size size) {
        char words[80];
        std::snprintf(
            words, sizeof words, "%s %s sigma %g reflect", type.c_str(), text_of(size).c_str(), sigma);
        return std::string(words);
    };
    return kernel_of(about, arrays_of);
}

template<class T, class F>
Blur<T> in_one_call(const Library &library, const char *name) {
    F *const run = library.function<F>(name);
    return [=](const BlurCall<T> &c) {
        check_npp(run(c.in, c.pitch(), c.size, {0, 0}, c.out, c.pitch(), c.size, c.taps, c.weights,
                      NPP_BORDER_REPLICATE, c.about),
            "FilterGaussAdvancedBorder");
    };
}

template<class T, class F>
Blur<T> in_two_passes(const Library &library, const char *rows, const char *columns) {
    F *const along_rows = library.function<F>(rows), *const along_columns = library.function<F>(columns);
    return [=](const BlurCall<T> &c) {
        check_npp(along_rows(c.in, c.pitch(), c.size, {0, 0}, c.scratch, c.pitch(), c.size, c.weights, c.taps,
                      c.taps / 2, NPP_BORDER_REPLICATE, c.about),
            "FilterRowBorder");
        check_npp(along_columns(c.scratch, c.pitch(), c.size, {0, 0}, c.out, c.pitch(), c.size, c.weights,
                      c.taps, c.taps / 2, NPP_BORDER_REPLICATE, c.about),
            "FilterColumnBorder");
    };
}

std::vector<Kernel> blurs(const Library &library) {
    const std::string one = "NPP FilterGaussAdvancedBorder, border nearest",
                      two = "NPP FilterRowBorder and FilterColumnBorder, border nearest";
    const auto bytes_at_once = in_one_call<Npp8u, decltype(nppiFilterGaussAdvancedBorder_8u_C1R_Ctx)>(
        library, "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx");
    const auto floats_at_once = in_one_call<Npp32f, decltype(nppiFilterGaussAdvancedBorder_32f_C1R_Ctx)>(
        library, "nppiFilterGaussAdvancedBorder_32f_C1R_Ctx");
    const auto bytes_in_passes = in_two_passes<Npp8u, decltype(nppiFilterRowBorder32f_8u_C1R_Ctx)>(
        library, "nppiFilterRowBorder32f_8u_C1R_Ctx", "nppiFilterColumnBorder32f_8u_C1R_Ctx");
    const auto floats_in_passes = in_two_passes<Npp32f, decltype(nppiFilterRowBorder_32f_C1R_Ctx)>(
        library, "nppiFilterRowBorder_32f_C1R_Ctx", "nppiFilterColumnBorder_32f_C1R_Ctx");
    std::vector<Kernel> all;
    for (const double sigma : {1., 2.25, 3., 7.5, 10.}) {
        all.push_back(blur<Npp8u>(one, "u8", sigma, bytes_at_once));
        all.push_back(blur<Npp8u>(two, "u8", sigma, bytes_in_passes));
        all.push_back(blur<Npp32f>(one, "f32", sigma, floats_at_once));
        all.push_back(blur<Npp32f>(two, "f32", sigma, floats_in_passes));
    }
    return all;
}

std::vector<Kernel> transposes(const Library &library) {
    return {
        transpose<Npp8u, decltype(nppiTranspose_8u_C1R_Ctx)>(library, "nppiTranspose_8u_C1R_Ctx", "u8", 1),
        transpose<Npp16u, decltype(nppiTranspose_16u_C1R_Ctx)>(
            library, "nppiTranspose_16u_C1R_Ctx", "u16", 1),
        transpose<Npp32f, decltype(nppiTranspose_32f_C1R_Ctx)>(
            library, "nppiTranspose_32f_C1R_Ctx", "f32", 1),
        transpose<Npp8u, decltype(nppiTranspose_8u_C3R_Ctx)>(library, "nppiTranspose_8u_C3R_Ctx", "rgb8", 3)};
}

}  // namespace

std::vector<Kernel> npp_peers(std::vector<std::string> &missing) {
    const std::string version = std::to_string(NPP_VER_MAJOR);
    static const Library data("libnppidei.so." + version), filters("libnppif.so." + version);
    std::vector<Kernel> all;
    const auto add = [&](const Library &library, std::vector<Kernel> (*peers)(const Library &)) {
        if (!library) {
            missing.push_back("NPP: " + library.why_not());
            return;
        }
        for (Kernel &one : peers(library)) {
            all.push_back(std::move(one));
        }
    };
    add(data, transposes);
    add(filters, blurs);
    return all;
}

}  // namespace peers
