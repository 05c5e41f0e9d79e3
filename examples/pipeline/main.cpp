// The rows of a blurred image, summed: blur, transpose and column sum, which are one function here
// (CMakeLists.txt).
//
//     pipeline [cpu|cuda|opencl] [--bench] [WIDTHxHEIGHT]
//
// It shows the two ways to call what tilewright_add_pipeline makes: with buffers of this program's own, which
// are on the GPU and stay there, and with Tilewright's arrays. --bench times the fused function, the staged
// one, and the three operators called one by one, with arrays that stay on the device and with arrays that
// come back to the host after each.
#include "fused_sums.h"
#include "staged_sums.h"
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>
#include <tilewright/column_sum.h>
#include <tilewright/gaussian_blur.h>
#include <tilewright/timing.h>
#include <tilewright/transpose.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

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

// The operators one by one.
struct OneByOne {
    tw::Call call;
    tw::Array blurred = {}, turned = {}, sums = {};

    void on_device(const tw::Array &image) {
        tw::gaussian_blur(image, blurred, 2, tw::Border::reflect, call);
        tw::transpose(blurred, turned, call);
        tw::column_sum(turned, sums, call);
    }
    // As programs do that know nothing of devices: each result comes back, and goes up again with the next
    // call.
    void on_host(tw::Array &image) {
        image.data();  // not const: says that the host's copy is the newer one
        tw::gaussian_blur(image, blurred, 2, tw::Border::reflect, call);
        blurred.data();
        tw::transpose(blurred, turned, call);
        turned.data();
        tw::column_sum(turned, sums, call);
        sums.sync();
    }
};

bool same(const Sums &sums, const tw::Array &expected) {
    return (int64_t)sums.width() == expected.size() &&
           memcmp(sums.data(), expected.as<uint32_t>(), (size_t)expected.size() * 4) == 0;
}

// The median of some times, after one that warms up.
double median_ms(int repetitions, const std::function<double()> &time_ms) {
    time_ms();
    std::vector<double> times(repetitions);
    std::generate(times.begin(), times.end(), time_ms);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Milliseconds a call, of which `calls` are made back to back.
double batch_ms(tw::Device device, int calls, const std::function<void(int)> &call) {
    const double ms = median_ms(11, [&] {
        return tw::device_time_ms(device, [&] {
            for (int i = 0; i < calls; i++) {
                call(i);
            }
        });
    });
    return ms / calls;
}

double host_ms(const std::function<void()> &call) {
    return median_ms(5, [&] {
        const auto start = std::chrono::steady_clock::now();
        call();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    });
}

// Images take turns, so that none is still in a cache when it comes again.
void bench(tw::Device device, int width, int height, const tw::Array &expected) {
    const Functions f = functions_of(device.backend);
    const int images = 3, calls = device.backend == tw::Backend::cpu ? 1 : 20;
    std::vector<Image> own;
    std::vector<tw::Array> arrays;
    for (int i = 0; i < images; i++) {
        own.push_back(image_of(width, height, f.interface));
        arrays.push_back(array_of(width, height));
    }
    std::printf("%d x %d u8, sigma 2, on %s (%s); medians of 11, %d calls back to back\n", width, height,
        device.str().c_str(), tw::device_info(device).name.c_str(), calls);
    for (const auto &[name, function] :
        {std::pair{"one function, fused", f.fused}, {"one function, staged", f.staged}}) {
        Sums sums(height);
        const double ms =
            batch_ms(device, calls, [&](int i) { expect_success(function(own[i % images], sums), name); });
        expect_success(sums.copy_to_host(), "copy_to_host");
        std::printf("  %-32s %9.4f ms%s\n", name, ms, same(sums, expected) ? "" : "  WRONG");
    }
    OneByOne ops{.call = {.device = device}};
    const double on_device = batch_ms(device, calls, [&](int i) { ops.on_device(arrays[i % images]); });
    std::printf("  %-32s %9.4f ms\n", "three calls, device buffers", on_device);
    const double on_host = host_ms([&] { ops.on_host(arrays[0]); });
    std::printf("  %-32s %9.4f ms, copies included\n", "three calls, host buffers", on_host);
}

int run(int argc, char **argv) {
    tw::Device device = tw::best_device();
    bool timed = false;
    int width = 0, height = 0;
    for (int i = 1; i < argc; i++) {
        if (std::string(argv[i]) == "--bench") {
            timed = true;
        } else if (std::sscanf(argv[i], "%dx%d", &width, &height) != 2) {
            device = tw::Device::parse(argv[i]);
        }
    }
    if (width < 1 || height < 1) {
        width = timed ? 8192 : 1021;
        height = timed ? 8192 : 769;
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
    OneByOne ops{.call = {.device = device}};
    ops.on_device(array);

    const bool agree = same(sums, ops.sums) && same(sums, by_function);
    std::printf("%d x %d on %s: rows sum up to %u, %u, ...; fused, staged and the operators one by one %s\n",
        width, height, device.str().c_str(), sums(0), sums(std::min(1, height - 1)),
        agree ? "agree" : "DIFFER");
    if (timed) {
        bench(device, width, height, ops.sums);
    }
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
