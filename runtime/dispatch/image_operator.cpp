#include "runtime/dispatch/image_operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

namespace {

// Fills all bytes with a fast pseudo-random sequence (xorshift).
void fill_random(Array &array) {
    const int64_t rows = array.shape()[0], row_bytes = array.size() / rows * (int64_t)size_of(array.type());
    const int64_t pitch = array.strides()[0] * (int64_t)size_of(array.type());
    auto *bytes = static_cast<unsigned char *>(array.data());
    uint64_t state = 88172645463325252ull;
    for (int64_t y = 0; y < rows; y++) {
        for (int64_t x = 0; x < row_bytes; x++) {
            if (x % 8 == 0) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }
            bytes[y * pitch + x] = (unsigned char)(state >> (8 * (x % 8)));
        }
    }
}

// Whether a library takes buffers of these shapes. It is asked without any data (Halide's bounds query), and writes the shapes that it
// would need into the buffers.
bool takes(const Row &row, const std::vector<View> &views) {
    std::vector<halide_buffer_t> buffers(views.size());
    std::vector<std::vector<halide_dimension_t>> dims(views.size());
    std::vector<void *> arguments;
    for (size_t i = 0; i < views.size(); i++) {
        for (const View::Dim &d : views[i].dims) {
            dims[i].emplace_back(0, (int32_t)d.extent, (int32_t)d.stride);
        }
        buffers[i].type = views[i].type;
        buffers[i].dimensions = (int32_t)dims[i].size();
        buffers[i].dim = dims[i].data();
        arguments.push_back(&buffers[i]);
    }
    if (row.entry(arguments.data()) != 0) {
        return false;
    }
    for (size_t i = 0; i < views.size(); i++) {
        for (size_t d = 0; d < dims[i].size(); d++) {
            const int64_t extent = views[i].dims[d].extent;
            if (dims[i][d].min < 0 || (int64_t)dims[i][d].min + dims[i][d].extent > extent) {
                return false;
            }
        }
    }
    return true;
}

std::vector<int64_t> shape_of(int64_t h, int64_t w, int64_t channels) {
    return channels == 1 ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, channels};
}

}  // namespace

std::string ImageOperator::type_of(std::span<const Array> inputs, const Settings &) const {
    const Array &image = inputs[0];
    std::vector<std::string> types;
    for (const Row &row : rows_) {
        if (std::find(types.begin(), types.end(), row.type) == types.end()) {
            types.push_back(row.type);
        }
    }
    const std::string type = name_of(image.type());
    const bool known = std::find(types.begin(), types.end(), type) != types.end();
    const bool pointwise = kind_ == Kind::pointwise;
    if (!known || image.dimensions() < 2 || (!pointwise && image.dimensions() != 2)) {
        refuse(Fault::input,
               fmt::format("takes an image {} of {}{}", pointwise ? "(h, w) or (h, w, c)" : "of one channel, (h, w),", fmt::join(types, ", "),
                           pointwise ? "" : "; of a colour image, give it each channel alone"),
               "image", image.describe());
    }
    return type;
}

std::pair<Type, std::vector<int64_t>> ImageOperator::output_of(std::span<const Array> inputs, const Settings &) const {
    return {inputs[0].type(), inputs[0].shape()};
}

bool ImageOperator::serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &) const {
    return row.autoscheduler.empty() || takes(row, {view_of(inputs[0]), view_of(output)});
}

void ImageOperator::run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &) const {
    Launch(row, device).in(inputs[0], view_of(inputs[0])).out(output, view_of(output)).run();
}

std::vector<Sample> ImageOperator::samples(const std::string &type) const {
    const Pixel pixel = pixel_of(type);
    std::vector<Sample> samples;
    auto add = [&](int64_t h, int64_t w, int64_t row_bytes, const char *what) {
        Array image(pixel.type, shape_of(h, w, pixel.channels), row_bytes);
        fill_random(image);
        samples.push_back({{image}, {}, fmt::format("{} {}x{}{}", type, w, h, what)});
    };
    // The last ones take long enough for threads that race to meet.
    for (const auto &[h, w] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {5, 3}, {1, 1031}, {1031, 1}, {15, 17}, {16, 16}, {63, 65}, {64, 64}, {128, 128}, {127, 131}, {260, 388}, {384, 512}, {257, 521}, {1000, 1031}, {2000, 2050}}) {
        add(h, w, Array::padded, "");
    }
    add(263, 269, 0, " dense");
    Array large(pixel.type, shape_of(211, 307, pixel.channels), 0);
    fill_random(large);
    samples.push_back({{large.crop(3, 5, 197, 291)}, {}, fmt::format("{} 291x197 cropped", type)});
    if (kind_ == Kind::pointwise && pixel.channels == 1) {
        Array colour(pixel.type, {61, 67, 3});
        fill_random(colour);
        samples.push_back({{colour}, {}, fmt::format("{} 67x61, 3 channels", type)});
    }
    return samples;
}

Sample ImageOperator::benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const {
    const auto [element, channels] = pixel_of(type);
    Array image(element, shape_of(h, w, channels));
    fill_random(image);
    return {{image}, settings, fmt::format("{} {}x{}", type, w, h)};
}

ImageOperator::Pixel ImageOperator::pixel_of(const std::string &type) const {
    for (Type element : {Type::u8, Type::u16, Type::u32, Type::i32, Type::f32, Type::f64, Type::c64}) {
        if (type == name_of(element)) {
            return {element, 1};
        }
    }
    throw std::logic_error(name_ + " has no pixels of type " + type);
}

}  // namespace tilewright
