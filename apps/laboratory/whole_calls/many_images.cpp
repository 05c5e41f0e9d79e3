#include "apps/laboratory/whole_calls/benchmarks.h"
#include "tilewright/gaussian_blur.h"
#include "tilewright/stream.h"
#include "tilewright/timing.h"
#include <cstring>
#include <fmt/format.h>

namespace tilewright::benchmarks {

namespace {

constexpr int count = 16, rounds = 9;
constexpr int64_t side = 4096;
constexpr double sigma = 3;

// The times of the parts alone: all copies up, all copies down, all kernels.
struct Parts {
    double up = 0, down = 0, kernels = 0;
};

Parts parts_of(std::vector<Array> &images, Device device) {
    Parts parts;
    parts.up = median_ms(rounds, [&] {
        for (Array &image : images) {
            image.data();
            image.sync(device);
        }
        synchronize(device);
    });
    std::vector<Array> results(images.size());
    const auto blur = [&] {
        for (size_t i = 0; i < images.size(); i++) {
            results[i] = {};
            results[i] = gaussian_blur(images[i], sigma, Border::reflect, {.device = device, .pinned = true});
        }
    };
    blur();
    parts.kernels = device_time_ms(device, blur);
    std::vector<double> down;
    for (int i = 0; i < rounds; i++) {
        blur();
        synchronize(device);
        down.push_back(ms_of([&] {
            for (const Array &result : results) {
                result.sync();
            }
        }));
    }
    std::sort(down.begin(), down.end());
    parts.down = down[rounds / 2];
    return parts;
}

double stream_ms(std::vector<Array> &images, Device device, int at_a_time) {
    Stream stream(device, at_a_time);
    const auto all = [&] {
        std::vector<std::future<Array>> results;
        for (Array &image : images) {
            image.data();  // the host writes it: it is copied again
            results.push_back(stream.start(
                [image](const Call &call) { return gaussian_blur(image, sigma, Border::reflect, call); }));
        }
        stream.wait();
    };
    all();
    return median_ms(rounds, all);
}

}  // namespace

void many_images(Device device) {
    for (const bool pinned : {true, false}) {
        std::vector<Array> images;
        for (int i = 0; i < count; i++) {
            images.push_back(pinned ? Array::pinned(Type::u8, {side, side}) :
                                      Array::uninitialized(Type::u8, {side, side}));
            memset(images.back().data(), i, side * side);
        }
        const Parts parts = parts_of(images, device);
        const double most = std::max({parts.up, parts.down, parts.kernels});
        fmt::print(
            "{} {} images of {} x {}, gaussian_blur sigma {}, on {} ({}): up {:.2f} ms, kernels {:.2f}, "
            "down {:.2f}, largest {:.2f}, sum {:.2f}\n",
            count, pinned ? "pinned" : "pageable", side, side, sigma, device.str(), device_info(device).name,
            parts.up, parts.kernels, parts.down, most, parts.up + parts.kernels + parts.down);
        for (const int at_a_time : {1, 2, 3, 4, 6}) {
            const double ms = stream_ms(images, device, at_a_time);
            fmt::print("  {} at a time: {:8.2f} ms, {:.2f} of the largest part, {:.2f} of copies both ways\n",
                at_a_time, ms, ms / most, ms / (parts.up + parts.down));
        }
    }
}

}  // namespace tilewright::benchmarks
