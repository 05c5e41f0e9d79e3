#include "apps/laboratory/whole_calls/benchmarks.h"
#include "apps/tilewright/timing/measure.h"
#include "tilewright/gaussian_blur.h"
#include "tilewright/stream.h"
#include "tilewright/timing.h"
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <vector>

namespace tilewright::benchmarks {

namespace {

constexpr int64_t side = 4096;
constexpr double sigma = 3;

std::vector<Array> made(bool pinned) {
    constexpr int count = 16;
    std::vector<Array> images;
    for (int i = 0; i < count; i++) {
        images.push_back(
            pinned ? Array::pinned(Type::u8, {side, side}) : Array::uninitialized(Type::u8, {side, side}));
        memset(images.back().data(), i, side * side);
    }
    return images;
}

// The parts alone: all copies up, all kernels, all copies down.

double up_ms(std::vector<Array> &images, Device device) {
    return app::call_ms(device, [&] {
        for (Array &image : images) {
            image.data();  // the host writes it: it is copied again
            image.sync(device);
        }
    });
}

std::vector<Array> blurred(const std::vector<Array> &images, Device device) {
    std::vector<Array> results;
    for (const Array &image : images) {
        results.push_back(gaussian_blur(image, sigma, Border::reflect, {.device = device, .pinned = true}));
    }
    return results;
}

double kernels_ms(std::vector<Array> &images, Device device) {
    return device_time_ms(device, [&] { blurred(images, device); });
}

double down_ms(std::vector<Array> &images, Device device) {
    const std::vector<Array> results = blurred(images, device);
    return app::call_ms(device, [&] {
        for (const Array &result : results) {
            result.sync();
        }
    });
}

double stream_ms(std::vector<Array> &images, Device device, int at_a_time) {
    Stream stream(device, at_a_time);
    return app::call_ms(device, [&] {
        std::vector<std::future<Array>> results;
        for (Array &image : images) {
            image.data();
            results.push_back(stream.start(
                [image](const Call &call) { return gaussian_blur(image, sigma, Border::reflect, call); }));
        }
        stream.wait();
    });
}

}  // namespace

void add_many_images(Device device) {
    using Time = std::function<double(std::vector<Array> &, Device)>;
    std::vector<std::pair<std::string, Time>> parts = {
        {"copies up", up_ms}, {"kernels", kernels_ms}, {"copies down", down_ms}};
    for (const int at_a_time : {1, 2, 3, 4, 6}) {
        parts.emplace_back(fmt::format("{} at a time", at_a_time),
            [at_a_time](std::vector<Array> &images, Device on) { return stream_ms(images, on, at_a_time); });
    }
    for (const bool pinned : {true, false}) {
        for (const auto &[part, time] : parts) {
            const std::string name = fmt::format("many_images/gaussian_blur/16 of u8 {0}x{0}/{1}/{2}", side,
                pinned ? "page-locked" : "pageable", part);
            add(name,
                [pinned, device, time](benchmark::State &state) {
                    std::vector<Array> images = made(pinned);
                    time(images, device);
                    time_by_hand(state, [&] { return time(images, device); });
                })
                ->UseManualTime()
                ->Unit(benchmark::kMillisecond);
        }
    }
}

}  // namespace tilewright::benchmarks
