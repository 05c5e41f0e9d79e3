#pragma once
// What the fronts of gaussian_blur and recursive_gaussian share. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "tilewright/alpha.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

struct BlurRequest : Request {
    double sigma = 0, sigma_y = 0;  // along rows and down columns

    const Array &image() const {
        return inputs[0];
    }
    int64_t channels() const {
        return channels_of(image());
    }
    static int64_t channels_of(const Array &image) {
        return image.dimensions() == 3 ? image.shape()[2] : 1;
    }
};

// What a blur takes.
inline Input blurred_image(std::vector<Type> types) {
    return {.types = std::move(types), .channels = {1, 2, 3, 4}};
}

// What a documented step loses of f32 images besides what every variant does: it rounds to `bits` bits
// between the passes (0: it does not), and the weights of both passes together have an error of `weights`
// 2^-24.
struct BlurError {
    int bits = 0, weights = 0;

    bool operator==(const BlurError &) const = default;
};

// Images of a device have at least so many elements along each axis.
constexpr int64_t most_of_device_image = 16384;

// What blurs know of a form besides its functions.
struct BlurTraits {
    bool two_sigmas = false;  // whether its libraries take another sigma down columns than along rows
    BlurError (*own_error)(const Variant &) = nullptr;
};

// A form of a blur. `R` derives from BlurRequest.
template<typename R>
class BlurForm : public FormOf<R> {
public:
    explicit constexpr BlurForm(std::string_view name, typename FormOf<R>::Bind bind = nullptr,
        typename FormOf<R>::Serves serves = nullptr, const BlurTraits &traits = {})
        : FormOf<R>(name, bind, serves), traits_(traits) {}

    BlurError own_error(const Variant &variant) const {
        return traits_.own_error ? traits_.own_error(variant) : BlurError();
    }
    bool takes_two_sigmas() const {
        return traits_.two_sigmas;
    }

    bool equals_tuned(const Variant &variant) const final {
        return own_error(variant) == BlurError();
    }

private:
    const BlurTraits traits_;
};

// The forms of several files as one list.
inline std::vector<const Form *> joined(std::initializer_list<std::vector<const Form *>> groups) {
    std::vector<const Form *> all;
    for (const std::vector<const Form *> &group : groups) {
        all.insert(all.end(), group.begin(), group.end());
    }
    return all;
}

// `R` derives from BlurRequest. The result has the image's type and shape; an image with alpha is blurred
// with premultiplied colours.
template<typename R>
class BlurOperator : public OperatorOf<R> {
public:
    using OperatorOf<R>::OperatorOf;

    Array premultiplied(const Array &image) const override {
        return premultiply(image);
    }
    Array unpremultiplied(const Array &image, Type type) const override {
        return unpremultiply(image, type);
    }

    // Of the image: the elements of a row, and its sides.
    double measure(std::string_view name, const Variant &variant, const Measures &measures) const override {
        const double h = measures.numbers[0], w = measures.numbers[1];
        return name == "elements"     ? w * measures.numbers[2] :
               name == "shorter_side" ? std::min(h, w) :
               name == "longer_side"  ? std::max(h, w) :
                                        OperatorOf<R>::measure(name, variant, measures);
    }

protected:
    // A request with what all blurs read: sigma, and what follows from the image.
    R read_blur(const Array &image, const Settings &settings) const {
        R request;
        request.type = name_of(image.type());
        request.output_type = image.type();
        request.output_shape = image.shape();
        request.sigma = settings.number("sigma");
        request.sigma_y = settings.number("sigma-y", request.sigma);
        return request;
    }
};

}  // namespace tilewright
