// The front of gaussian_blur: what it takes, and what it says of a call.
#include "tilewright/gaussian_blur.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <tuple>
#include <utility>

namespace tilewright {

const std::vector<Variant> &gaussian_blur_variants();

namespace {

// In the order of Border.
const std::vector<std::string> &border_names() {
    return immortal(
        [] { return std::vector<std::string>{"reflect", "mirror", "nearest", "zero", "wrap", "constant"}; });
}

constexpr double most_sigma = 8192;

std::vector<Option> options_of_blur() {
    return {{.name = "sigma",
                .help = "Standard deviation in pixels; the radius is truncate times sigma",
                .is_number = true,
                .value = "1",
                .least = 0,
                .most = most_sigma,
                .excludes_ends = true},
        {.name = "border",
            .help = "How the image is continued beyond its border, as in scipy.ndimage",
            .value = border_names()[0],
            .choices = border_names()},
        {.name = "sigma-y",
            .help = "Standard deviation down columns, where it is another one than along rows",
            .is_number = true,
            .least = 0,
            .most = most_sigma,
            .excludes_ends = true},
        {.name = "truncate",
            .help = "The radius as a multiple of sigma",
            .is_number = true,
            .value = "4",
            .least = 0,
            .most = 1000},
        {.name = "value",
            .help = "The pixels beyond the border \"constant\"",
            .is_number = true,
            .value = "0"}};
}

class GaussianBlurOperator : public BlurOperator<GaussianBlurRequest> {
public:
    GaussianBlurOperator()
        : BlurOperator({.name = "gaussian_blur",
                           .summary = "Gaussian blur with a window of 4 sigma on each side; integers give "
                                      "the same bytes on every device",
                           .inputs = {blurred_image()},
                           .options = options_of_blur(),
                           .measures = {"height", "width", "channels", "radius"}},
              gaussian_blur_variants(),
              joined({forms_by_taps(), forms_of_near_blurs(), forms_by_dots(), forms_with_windows(),
                  forms_by_products()})) {}

protected:
    GaussianBlurRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        GaussianBlurRequest request = read_blur(image, settings);
        std::tie(request.weights, request.weights_y) = weights_of(settings);
        request.taps = taps_of_passes(request, image.type());
        check_size(image, request.radius());
        const std::vector<std::string> &names = border_names();
        request.border = static_cast<Border>(
            std::find(names.begin(), names.end(), settings.text("border")) - names.begin());
        request.value = settings.number("value");
        const double most = image.type() == Type::u8 ? 255 : image.type() == Type::u16 ? 65535 : FLT_MAX;
        const bool is_real = image.type() == Type::f32;
        if (request.border == Border::constant &&
            (std::abs(request.value) > most ||
                (!is_real && (request.value < 0 || request.value != std::floor(request.value))))) {
            refuse(Fault::usage,
                is_real ? "takes a number that f32 holds" :
                          fmt::format("takes a whole number from 0 to {} for {}", most, request.type),
                "value", fmt::format("{}", request.value));
        }
        return request;
    }

    // The borders `wrap` and `constant`: the image is continued on the host, and what is blurred of it is cut
    // out of the result.
    Plan plan(const Variant &variant, Device device, const GaussianBlurRequest &request,
        Array &output) const override {
        if (!request.is_padded()) {
            return BlurOperator::plan(variant, device, request, output);
        }
        const int64_t down = request.numbers_y().radius, across = request.numbers().radius,
                      h = request.image().shape()[0], w = request.image().shape()[1];
        GaussianBlurRequest inner = request;
        inner.border = Border::reflect;  // whose pixels are cut away
        inner.output_shape[0] += 2 * down;
        inner.output_shape[1] += 2 * across;
        inner.inputs = {Array::uninitialized(request.image().type(), inner.output_shape)};
        Array blurred = Array::uninitialized(output.type(), inner.output_shape);
        const Variant &served =
            serves(variant, inner, blurred) ? variant : choose(inner, blurred, "tuned", device);
        Plan plan;
        plan.host([request, padded = inner.inputs[0]]() mutable { pad(request.image(), request, padded); });
        plan.append(BlurOperator::plan(served, device, inner, blurred));
        plan.host([part = blurred.crop(down, across, h, w), output]() mutable { copy(part, output); });
        return plan;
    }

    bool form_serves(
        const Variant &variant, const GaussianBlurRequest &request, const Array &output) const override {
        const auto &form = static_cast<const BlurForm<GaussianBlurRequest> &>(form_of(variant));
        return (request.is_isotropic() || form.takes_two_sigmas()) && form.serves(variant, request, output);
    }

    Measures measures(const GaussianBlurRequest &request) const override {
        Measures measures = OperatorOf::measures(request);
        measures.add(request.radius());
        return measures;
    }

    // Of the image with a radius on each side: its columns, and the elements of a row.
    double measure(std::string_view name, const Variant &variant, const Measures &measures) const override {
        const double columns = measures.numbers[1] + 2 * measures.numbers[3];
        return name == "columns_with_halo"  ? columns :
               name == "elements_with_halo" ? columns * measures.numbers[2] :
                                              BlurOperator::measure(name, variant, measures);
    }

private:
    // Of the border `wrap`, what is at one side depends on the other one.
    std::optional<int64_t> halo_of(const Settings &settings, double) const override {
        if (settings.text("border") == "wrap") {
            return {};
        }
        const auto [along, down] = weights_of(settings);
        return std::max(along->numbers().radius, down->numbers().radius);
    }

    // Along rows, and down columns.
    std::pair<std::shared_ptr<const BlurWeights>, std::shared_ptr<const BlurWeights>> weights_of(
        const Settings &settings) const {
        const double sigma = settings.number("sigma"), truncate = settings.number("truncate"),
                     sigma_y = settings.number("sigma-y", sigma);
        constexpr double most_radius = 4 * most_sigma;
        if (truncate * std::max(sigma, sigma_y) > most_radius) {
            refuse(Fault::usage,
                fmt::format(
                    "the radius, truncate times sigma, would be above {}; take a smaller one", most_radius),
                "truncate", fmt::format("{}", truncate));
        }
        const auto along = BlurWeights::of(sigma, truncate);
        return {along, sigma_y == sigma ? along : BlurWeights::of(sigma_y, truncate)};
    }

    // Errors: input, for an image that is too large.
    void check_size(const Array &image, int64_t radius) const {
        // Variants of the CPU look up where each element of a row and of its borders is: four bytes for each.
        constexpr int64_t most_elements = most_bytes / 4 - 65536;
        if ((image.shape()[1] + 2 * radius) * BlurRequest::channels_of(image) > most_elements) {
            refuse(Fault::input,
                fmt::format("a row with its borders has more than {} elements, and four bytes for each would "
                            "span more than {} MiB; work on parts of it",
                    most_elements, most_bytes >> 20),
                "image", image.describe());
        }
        // An image and its mirror image are counted together, in 31 bits.
        constexpr int64_t most_rows = (int64_t(1) << 30) - 65536;
        if (image.shape()[0] > most_rows) {
            refuse(Fault::input,
                fmt::format(
                    "has more than {} rows, which is what a blur counts to; work on parts of it", most_rows),
                "image", image.describe());
        }
    }
};

}  // namespace

const Operator &gaussian_blur_operator() {
    return immortal([] { return GaussianBlurOperator(); });
}

void gaussian_blur(const Array &image, Array &output, double sigma, Border border, const Call &call) {
    gaussian_blur_operator()(std::span(&image, 1), output,
        {{"sigma", sigma}, {"border", word_of((size_t)border, border_names())}}, call);
}

Array gaussian_blur(const Array &image, double sigma, Border border, const Call &call) {
    Array output;
    gaussian_blur(image, output, sigma, border, call);
    return output;
}

void gaussian_blur(const Array &image, Array &output, const GaussianBlurOptions &how, const Call &call) {
    gaussian_blur_operator()(std::span(&image, 1), output,
        {{"sigma", how.sigma_x}, {"sigma-y", how.sigma_y}, {"truncate", how.truncate}, {"value", how.value},
            {"border", word_of((size_t)how.border, border_names())}},
        call);
}

Array gaussian_blur(const Array &image, const GaussianBlurOptions &how, const Call &call) {
    Array output;
    gaussian_blur(image, output, how, call);
    return output;
}

}  // namespace tilewright
