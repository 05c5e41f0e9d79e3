// Follows a bright spot through the frames of a video: each frame is blurred, and its columns are summed.
//
//     video [FRAMES] [WIDTHxHEIGHT] [DEVICE]
//
// The pipeline is called frame by frame, and then prepared once and called again for each frame
// (tilewright/prepared.h). Both give the same sums; the program prints how long each takes per frame.
#include <tilewright/pipeline.h>
#include <tilewright/prepared.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace tw = tilewright;

namespace {

constexpr int different_frames = 16;  // a longer video shows them again
constexpr int radius = 8;             // of the spot

int center_x(int frame, int width) {
    return (radius + 37 * (frame % different_frames)) % width;
}

int center_y(int frame, int height) {
    return (radius + 23 * (frame % different_frames)) % height;
}

// Noise, and a spot.
tw::Array frame_of(int number, int width, int height) {
    tw::Array frame(tw::Type::f32, {height, width});
    float *to = frame.as<float>();
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int dx = x - center_x(number, width), dy = y - center_y(number, height);
            const unsigned noise = ((unsigned)x * 2654435761u ^ (unsigned)(y + number) * 40503u) >> 24;
            to[y * frame.strides()[0] + x] =
                (float)noise / 4096 + (dx * dx + dy * dy <= radius * radius ? 10.f : 0.f);
        }
    }
    return frame;
}

// Milliseconds per frame. Work of a device is waited for at the end alone.
double ms_per_frame(int frames, tw::Device device, const std::function<void(int)> &call) {
    tw::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < frames; i++) {
        call(i);
    }
    tw::synchronize(device);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
           frames;
}

// In how many frames the brightest column is that of the spot.
int found(const std::vector<tw::Array> &sums, int width) {
    int count = 0;
    for (size_t i = 0; i < sums.size(); i++) {
        const float *of_columns = sums[i].as<float>();
        const auto brightest = (int)(std::max_element(of_columns, of_columns + width) - of_columns);
        count += std::abs(brightest - center_x((int)i, width)) <= radius;
    }
    return count;
}

bool same(const std::vector<tw::Array> &a, const std::vector<tw::Array> &b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const tw::Array &one, const tw::Array &other) {
            return std::memcmp(one.data(), other.data(), (size_t)one.size() * sizeof(float)) == 0;
        });
}

int run(int argc, char **argv) {
    const int frames = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
    int width = 1024, height = 1024;
    if (argc > 2 && std::sscanf(argv[2], "%dx%d", &width, &height) != 2) {
        std::fprintf(stderr, "video: the size is WIDTHxHEIGHT, not %s\n", argv[2]);
        return 2;
    }
    const tw::Device device = argc > 3 ? tw::Device::parse(argv[3]) : tw::best_device();

    std::vector<tw::Array> video;
    for (int i = 0; i < std::min(frames, different_frames); i++) {
        video.push_back(frame_of(i, width, height));
        video.back().sync(device);
    }
    const auto frame = [&](int i) { return video[(size_t)i % video.size()]; };

    const tw::Pipeline follow("recursive_gaussian sigma=5 | column_sum");
    std::vector<tw::Array> by_calls((size_t)frames), by_prepared((size_t)frames);
    const auto call = [&](int i) { follow(frame(i), by_calls[(size_t)i], {.device = device}); };
    call(0);
    by_calls[0] = tw::Array();
    const double of_calls = ms_per_frame(frames, device, call);

    tw::Array first;
    tw::Prepared prepared = follow.prepare(frame(0), first, {.device = device});
    const double of_prepared =
        ms_per_frame(frames, device, [&](int i) { prepared(frame(i), by_prepared[(size_t)i]); });

    const bool agree = same(by_calls, by_prepared);
    std::printf("%d frames of %d x %d on %s: the spot was found in %d of them; prepared calls and calls %s\n",
        frames, width, height, device.str().c_str(), found(by_prepared, width), agree ? "agree" : "DIFFER");
    std::printf("ms per frame: calls %.4f, prepared calls %.4f%s\n", of_calls, of_prepared,
        prepared.is_one_launch() ? " (one launch each)" : "");
    return agree ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const tw::Error &error) {
        std::fprintf(stderr, "video: %s\n", error.what());
        return static_cast<int>(error.fault());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "video: %s\n", error.what());
        return 1;
    }
}
