// Blurs an image and turns it on its side, on the best device of this machine.
//
//     soften                          a picture made in memory
//     soften INPUT.png OUTPUT.png     a file
//     soften INPUT.png OUTPUT.png cuda:1
//
// It shows what a program needs of Tilewright: an image around memory of its own, a device, two operators one
// after the other without a copy between them, the result back in memory, and what to do with errors.
#include <tilewright/device.h>
#include <tilewright/error.h>
#include <tilewright/files.h>
#include <tilewright/gaussian_blur.h>
#include <tilewright/transpose.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace tw = tilewright;

namespace {

// Memory as a program may have it already: height * width * channels bytes, here with a white square on
// black.
constexpr int height = 240, width = 320, channels = 3;

std::vector<uint8_t> square() {
    std::vector<uint8_t> pixels(height * width * channels, 0);
    for (int y = 80; y < 160; y++) {
        std::fill_n(&pixels[(y * width + 120) * channels], 80 * channels, uint8_t(255));
    }
    return pixels;
}

int soften(int argc, char **argv) {
    // The best device that works: an NVIDIA GPU, else another one through OpenCL, else the CPU. A name from
    // the user is checked here, once, and refused with the names that there are.
    const tw::Device device = tw::Device::parse(argc > 3 ? argv[3] : "auto");
    const tw::DeviceInfo &info = tw::device_info(device);
    std::printf("device: %s, %s\n", device.str().c_str(), info.name.c_str());

    // An Array owns memory, as read_array's does, or sees yours, as view()'s does: then yours must live as
    // long, and is not written where it is const. To see a part of a larger image, give view() the strides,
    // or take a crop().
    const std::vector<uint8_t> pixels = square();
    const tw::Array image =
        argc > 1 ? tw::read_array(argv[1]) : tw::Array::view(std::span(pixels), {height, width, channels});

    // The second operator finds the first one's result on the device: nothing is copied in between. Arrays
    // copy by themselves when somebody asks for them elsewhere.
    tw::Statistics statistics;
    const tw::Array blurred = tw::gaussian_blur(image, 4.0, tw::Border::reflect, {.device = device});
    const tw::Array turned = tw::transpose(blurred, {.device = device, .statistics = &statistics});
    std::printf("%s -> %s by %s in %.3f ms, with %llu copies to the device\n", image.describe().c_str(),
        turned.describe().c_str(), statistics.variant.c_str(), statistics.total_ms,
        (unsigned long long)statistics.counters.copies_to_device);

    if (argc > 2) {
        tw::write_array(argv[2], turned);
        std::printf("wrote %s\n", argv[2]);
        return 0;
    }

    // Back in memory: data() and as<T>() wait for the device and copy once. Rows may be padded, so go by the
    // strides.
    const uint8_t *result = turned.as<uint8_t>();
    const auto at = [&](int64_t y, int64_t x) {
        return result[y * turned.strides()[0] + x * turned.strides()[1]];
    };
    std::printf("centre %d, edge of the square %d, corner %d\n", at(160, 120), at(120, 120), at(0, 0));

    // The square's middle stays white, its edge becomes grey, and what is far from it stays black.
    const bool as_expected = turned.shape() == std::vector<int64_t>{width, height, channels} &&
                             at(160, 120) == 255 && at(120, 120) > 100 && at(120, 120) < 156 && at(0, 0) == 0;
    return as_expected ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return soften(argc, argv);
    } catch (const tw::Error &error) {
        // One line that says what, where and what to do next. fault() says what kind of trouble it is: a
        // program may try another device after Fault::device or Fault::memory, or ask for another file after
        // Fault::input.
        std::fprintf(stderr, "soften: %s\n", error.what());
        return static_cast<int>(error.fault());
    } catch (const std::exception &error) {  // std::bad_alloc and the like
        std::fprintf(stderr, "soften: %s\n", error.what());
        return 1;
    }
}
