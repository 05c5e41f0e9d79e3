#include "runtime/workloads/image_workload.h"
#include "runtime/workloads/random.h"
#include <fmt/format.h>
#include <stdexcept>

namespace tilewright {

namespace {

std::vector<int64_t> shape_of(int64_t h, int64_t w, int64_t channels) {
    return channels == 1 ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, channels};
}

}  // namespace

std::vector<Sample> ImageWorkload::samples(const std::string &type) const {
    const Pixel pixel = pixel_of(type);
    std::vector<Sample> samples;
    auto add = [&](int64_t h, int64_t w, int64_t row_bytes, const char *what) {
        Array image(pixel.type, shape_of(h, w, pixel.channels), row_bytes);
        fill_random_bytes(image);
        samples.push_back({{image}, {}, fmt::format("{} {}x{}{}", type, w, h, what)});
    };
    // The last ones take long enough for threads that race to meet.
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {5, 3}, {1, 1031}, {1031, 1},
             {15, 17}, {16, 16}, {63, 65}, {64, 64}, {128, 128}, {127, 131}, {260, 388}, {384, 512},
             {257, 521}, {1000, 1031}, {2000, 2050}}) {
        add(h, w, Array::padded, "");
    }
    add(263, 269, 0, " dense");
    Array large(pixel.type, shape_of(211, 307, pixel.channels), 0);
    fill_random_bytes(large);
    samples.push_back({{large.crop(3, 5, 197, 291)}, {}, fmt::format("{} 291x197 cropped", type)});
    if (takes_channels(type)) {
        Array colour(pixel.type, {61, 67, 3});
        fill_random_bytes(colour);
        samples.push_back({{colour}, {}, fmt::format("{} 67x61, 3 channels", type)});
    }
    return samples;
}

Sample ImageWorkload::benchmark_sample(
    const std::string &type, DataSize size, const Settings &settings) const {
    const auto [element, channels] = pixel_of(type);
    Array image(element, shape_of(size.height, size.width, channels * size.channels));
    fill_random_bytes(image);
    return {{image}, settings, type + " " + in_words(size)};
}

bool ImageWorkload::takes_channels(const std::string &type) const {
    const auto [element, channels] = pixel_of(type);
    const Array colour(element, {1, 1, 3});
    return channels == 1 && op_.inputs()[0].why_not(element, colour.shape()).empty() &&
           op_.type_of({&colour, 1}, {}) == type;
}

ImageWorkload::Pixel ImageWorkload::pixel_of(const std::string &type) const {
    for (const Type element : all_types) {
        if (type == name_of(element)) {
            return {element, 1};
        }
    }
    const Input &image = op_.inputs()[0];  // of one type and one number of channels alone: a pipeline of
                                           // colours
    if (image.types.size() == 1 && image.channels.size() == 1) {
        return {image.types[0], image.channels[0]};
    }
    throw std::logic_error(op_.name() + ": no array has the type " + type +
                           "; the operator's workload has to say what its samples are");
}

}  // namespace tilewright
