// The rows of a blurred image, summed: blur, transpose and column sum, which are one function here
// (CMakeLists.txt).
//
//     pipeline [cpu|cuda|opencl] [WIDTHxHEIGHT]
//
// It shows the two ways to call what tilewright_add_pipeline makes: with buffers of this program's own, which
// are on the GPU and stay there, and with Tilewright's arrays.
#include "fused_sums.h"
#include "staged_sums.h"
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>
#include <tilewright/column_sum.h>
#include <tilewright/gaussian_blur.h>
#include <tilewright/transpose.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tw = tilewright;

namespace {

using Image = Halide::Runtime::Buffer<uint8_t, 2>;
using Sums = Halide::Runtime::Buffer<uint32_t, 1>;

// The functions of one backend, and Halide's name for its devices.
struct Functions {
    int (*staged)(halide_buffer_t *, halide_buffer_t *);
    int (*fused)(halide_buffer_t *, halide_buffer_t *);
    const halide_device_interface_t *interface;
};

Functions functions_of(tw::Backend backend) {
    switch (backend) {
#ifdef HAS_cpu
    case tw::Backend::cpu: return {staged_sums_cpu, fused_sums_cpu, nullptr};
#endif
#ifdef HAS_cuda
    case tw::Backend::cuda: return {staged_sums_cuda, fused_sums_cuda, halide_cuda_device_interface()};
#endif
#ifdef HAS_opencl
    case tw::Backend::opencl:
        return {staged_sums_opencl, fused_sums_opencl, halide_opencl_device_interface()};
#endif
    default: throw std::runtime_error("this package was not built for that device");
    }
}

void expect_success(int code, const char *what) {
    if (code != 0) {
        throw std::runtime_error(std::string(what) + " failed with Halide's code " + std::to_string(code));
    }
}

uint8_t pixel(int x, int y) {
    return (uint8_t)((x * 2654435761u ^ y * 40503u) >> 11);
}

// An image in memory of the GPU that this program owns: nothing of it stays on the host. (Memory that
// cuMemAlloc or another library made goes in by device_wrap_native() in place of device_malloc().) Of the
// CPU: host memory.
Image image_of(int width, int height, const halide_device_interface_t *interface) {
    Image host(width, height);
    host.for_each_element([&](int x, int y) { host(x, y) = pixel(x, y); });
    if (!interface) {
        return host;
    }
    Image device(nullptr, width, height);
    expect_success(device.device_malloc(interface), "device_malloc");
    host.set_host_dirty();
    expect_success(host.copy_to_device(interface), "copy_to_device");
    expect_success(
        interface->buffer_copy(nullptr, host.raw_buffer(), interface, device.raw_buffer()), "buffer_copy");
    device.set_device_dirty();
    return device;
}

tw::Array array_of(int width, int height) {
    tw::Array image(tw::Type::u8, {height, width});
    uint8_t *to = image.as<uint8_t>();
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            to[y * image.strides()[0] + x] = pixel(x, y);
        }
    }
    return image;
}

bool same(const Sums &sums, const tw::Array &expected) {
    return (int64_t)sums.width() == expected.size() &&
           memcmp(sums.data(), expected.as<uint32_t>(), (size_t)expected.size() * 4) == 0;
}

// The operators one by one; what is between them stays on the device.
tw::Array one_by_one(const tw::Array &image, const tw::Call &call) {
    tw::Array blurred, turned, sums;
    tw::gaussian_blur(image, blurred, 2, tw::Border::reflect, call);
    tw::transpose(blurred, turned, call);
    tw::column_sum(turned, sums, call);
    return sums;
}

int run(int argc, char **argv) {
    tw::Device device = tw::best_device();
    int width = 1021, height = 769;
    for (int i = 1; i < argc; i++) {
        if (std::sscanf(argv[i], "%dx%d", &width, &height) != 2) {
            device = tw::Device::parse(argv[i]);
        }
    }
    if (width < 1 || height < 1) {
        throw std::runtime_error("the size is WIDTHxHEIGHT, such as 1021x769");
    }
    const Functions f = functions_of(device.backend);

    // By the function for Halide's buffers: device in, device out; the sums alone come to the host, when they
    // are asked for.
    Image image = image_of(width, height, f.interface);
    Sums sums(height);
    expect_success(f.fused(image, sums), "fused_sums");
    expect_success(sums.copy_to_host(), "copy_to_host");

    // By the function for arrays, and by the operators.
    const tw::Array array = array_of(width, height);
    tw::Array by_function;
    staged_sums(array, by_function, {.device = device});
    const bool agree = same(sums, one_by_one(array, {.device = device})) && same(sums, by_function);
    std::printf("%d x %d on %s: rows sum up to %u, %u, ...; fused, staged and the operators one by one %s\n",
        width, height, device.str().c_str(), sums(0), sums(std::min(1, height - 1)),
        agree ? "agree" : "DIFFER");
    return agree ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const tw::Error &error) {
        std::fprintf(stderr, "pipeline: %s\n", error.what());
        return static_cast<int>(error.fault());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "pipeline: %s\n", error.what());
        return 1;
    }
}
