// Alpha of images: copied, multiplied into colours, and divided out again.
#include "tilewright/alpha.h"
#include "runtime/arrays/divided_by_alpha.h"
#include "tilewright/error.h"
#include <cstring>

namespace tilewright {

namespace {

// An image of `type` made from every pixel: `colour` gives each colour element from its value and the pixel's
// alpha, `alpha` gives the alpha.
template<typename From, typename To, typename Colour, typename Alpha>
Array with_alpha(const Array &image, Type type, Colour colour, Alpha alpha) {
    Array result = Array::uninitialized(type, image.shape());
    const int64_t h = image.shape()[0], w = image.shape()[1], channels = image.shape()[2];
    const From *from = image.as<From>();
    To *to = result.as<To>();
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            const From *pixel = from + y * image.strides()[0] + x * channels;
            To *out = to + y * result.strides()[0] + x * channels;
            for (int64_t c = 0; c + 1 < channels; c++) {
                out[c] = colour(pixel[c], pixel[channels - 1]);
            }
            out[channels - 1] = alpha(pixel[channels - 1]);
        }
    }
    return result;
}

void expect_alpha(const Array &image, bool is_type_taken) {
    if (!is_type_taken || image.dimensions() != 3 || (image.shape()[2] != 2 && image.shape()[2] != 4)) {
        throw Error(Fault::input, "takes an image with alpha, of shape (h, w, 2) or (h, w, 4)",
            {.operation = "alpha", .argument = "image", .value = image.empty() ? "" : image.describe()});
    }
}

// Copies the alpha of each pixel; both images have the same type and shape.
void copy_alpha(const Array &image, Array &to) {
    const auto element = (int64_t)size_of(image.type());
    const int64_t h = image.shape()[0], w = image.shape()[1], channels = image.shape()[2];
    const auto *from = static_cast<const std::byte *>(image.data());
    auto *out = static_cast<std::byte *>(to.data());
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            const int64_t alpha = x * channels + channels - 1;
            std::memcpy(out + (y * to.strides()[0] + alpha) * element,
                from + (y * image.strides()[0] + alpha) * element, (size_t)element);
        }
    }
}

}  // namespace

Array premultiply(const Array &image) {
    const Type type = image.empty() ? Type::f64 : image.type();
    expect_alpha(image, type == Type::u8 || type == Type::u16 || type == Type::f32);
    if (type == Type::u8) {
        return with_alpha<uint8_t, uint16_t>(
            image, Type::u16, [](uint32_t c, uint32_t a) { return (uint16_t)((c * a * 257 + 127) / 255); },
            [](uint32_t a) { return (uint16_t)(a * 257); });
    }
    if (type == Type::u16) {
        return with_alpha<uint16_t, uint16_t>(
            image, Type::u16, [](uint64_t c, uint64_t a) { return (uint16_t)((c * a + 32767) / 65535); },
            [](uint16_t a) { return a; });
    }
    return with_alpha<float, float>(
        image, Type::f32, [](float c, float a) { return c * a; }, [](float a) { return a; });
}

Array unpremultiply(const Array &image, Type type) {
    const bool floats = !image.empty() && image.type() == Type::f32 && type == Type::f32;
    const bool integers =
        !image.empty() && image.type() == Type::u16 && (type == Type::u8 || type == Type::u16);
    expect_alpha(image, floats || integers);
    if (floats) {
        return with_alpha<float, float>(
            image, type, [](float c, float a) { return a == 0 ? 0 : c / a; }, [](float a) { return a; });
    }
    if (type == Type::u8) {
        return with_alpha<uint16_t, uint8_t>(
            image, type, [](uint64_t c, uint64_t a) { return (uint8_t)divided_by_alpha(c, a, 255); },
            [](uint32_t a) { return (uint8_t)((a + 128) / 257); });
    }
    return with_alpha<uint16_t, uint16_t>(
        image, type, [](uint64_t c, uint64_t a) { return (uint16_t)divided_by_alpha(c, a, 65535); },
        [](uint16_t a) { return a; });
}

Array with_alpha_of(const Array &colours, const Array &image) {
    const Type type = image.empty() ? Type::f64 : image.type();
    expect_alpha(image, type == Type::u8 || type == Type::u16 || type == Type::f32);
    if (colours.empty() || colours.type() != type || colours.shape() != image.shape()) {
        throw Error(Fault::input, "takes colours of the type and shape of the image " + image.describe(),
            {.operation = "alpha",
                .argument = "colours",
                .value = colours.empty() ? "" : colours.describe()});
    }
    Array result = colours.clone();
    copy_alpha(image, result);
    return result;
}

}  // namespace tilewright
