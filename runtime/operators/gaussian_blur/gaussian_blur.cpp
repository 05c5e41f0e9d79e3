// The front of gaussian_blur: what it takes, and what it says of a call.
#include "tilewright/gaussian_blur.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/dispatch/parts.h"
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

// Variants of the CPU look up where each element of a row and of its borders is: four bytes for each.
constexpr int64_t most_elements_of_row = most_bytes / 4 - 65536;

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
            .help = "The pixels beyond the border \"constant\", with which alone it is taken",
            .is_number = true,
            .value = "0"}};
}

class GaussianBlurOperator : public BlurOperator<GaussianBlurRequest> {
public:
    GaussianBlurOperator()
        : BlurOperator({.name = "gaussian_blur",
                           .summary = "Gaussian blur whose radius is truncate times sigma; integers give the "
                                      "same bytes on every device",
                           .inputs = {blurred_image(
                               {Type::u8, Type::u16, Type::f32, Type::f64, Type::f16, Type::bf16})},
                           .options = options_of_blur(),
                           .measures = {"height", "width", "channels", "radius"}},
              gaussian_blur_variants(),
              joined({forms_by_taps(), forms_of_near_blurs(), forms_by_dots(), forms_with_windows(),
                  forms_by_products(), forms_by_copies(), forms_by_planes()})) {}

protected:
    GaussianBlurRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        GaussianBlurRequest request = read_blur(image, settings);
        const std::vector<std::string> &names = border_names();
        request.border = static_cast<Border>(
            std::find(names.begin(), names.end(), settings.text("border")) - names.begin());
        set_weights(request, image, settings);
        check_size(image, request);
        request.value = settings.number("value");
        const bool is_real = image.type() != Type::u8 && image.type() != Type::u16;
        const double most = image.type() == Type::u8   ? 255 :
                            image.type() == Type::u16  ? 65535 :
                            image.type() == Type::f16  ? 65504 :
                            image.type() == Type::bf16 ? 0x1.fep127 :
                                                         FLT_MAX;
        if (request.border != Border::constant && request.value != 0) {
            refuse(Fault::usage,
                fmt::format("goes with the border constant; this one is {}", settings.text("border")),
                "value", fmt::format("{}", request.value));
        }
        if (request.border == Border::constant &&
            (std::abs(request.value) > most ||
                (!is_real && (request.value < 0 || request.value != std::floor(request.value))))) {
            refuse(Fault::usage,
                is_real ? fmt::format("takes a number of at most {} for {}", most, request.type) :
                          fmt::format("takes a whole number from 0 to {} for {}", most, request.type),
                "value", fmt::format("{}", request.value));
        }
        return request;
    }

    // The borders `wrap` and `constant`: the image is continued on the host, and what is blurred of it is cut
    // out of the result.
    Plan plan(const Variant &variant, Device device, const GaussianBlurRequest &request,
        Array &output) const override {
        if (is_column(request) && rows_follow(variant, request, output)) {
            return plan_of_column(variant, device, request, output);
        }
        if (!request.is_padded()) {
            return BlurOperator::plan(variant, device, request, output);
        }
        const GaussianBlurRequest inner = padded_request(
            request, Array::uninitialized(output.type(), request.padded_shape(output.shape())));
        Array blurred = Array::uninitialized(output.type(), inner.output_shape);
        Plan plan;
        plan.host([request, padded = inner.inputs[0]]() mutable { pad(request.image(), request, padded); });
        plan.append(BlurOperator::plan(variant, device, inner, blurred));
        const Array part = blurred.crop(
            request.numbers_y().radius, request.numbers().radius, output.shape()[0], output.shape()[1]);
        plan.host([part, output]() mutable { copy(part, output); });
        return plan;
    }

    // A form is asked with the image that its library would get.
    bool form_serves(
        const Variant &variant, const GaussianBlurRequest &request, const Array &output) const override {
        if (is_column(request) && rows_follow(variant, request, output)) {
            return form_serves(
                variant, row_request(request, row_of_column(request.image())), row_of_column(output));
        }
        const auto &form = static_cast<const BlurForm<GaussianBlurRequest> &>(form_of(variant));
        if (!request.is_isotropic() && !form.takes_two_sigmas()) {
            return false;
        }
        if (!request.is_padded()) {
            return form.serves(variant, request, output);
        }
        const Array padded = without_memory(output.type(), request.padded_shape(output.shape()));
        return form.serves(variant, padded_request(request, padded), padded);
    }

    int64_t most_rows(const GaussianBlurRequest &request) const override {
        return std::min(BlurOperator::most_rows(request), rows_counted(request, request.image()));
    }

    Measures measures(const GaussianBlurRequest &request) const override {
        Measures measures = OperatorOf::measures(request);
        if (is_column(request)) {  // what libraries blur
            std::swap(measures.numbers[0], measures.numbers[1]);
        }
        if (request.is_padded()) {
            const std::vector<int64_t> shape = request.padded_shape(request.image().shape());
            measures.numbers[0] = (double)shape[0];
            measures.numbers[1] = (double)shape[1];
        }
        measures.add(request.radius());
        return measures;
    }

    // Of that image with what a window reads on each side, which may be folded: its columns, and the elements
    // of a row.
    double measure(std::string_view name, const Variant &variant, const Measures &measures) const override {
        const double width = measures.numbers[1], radius = measures.numbers[3],
                     columns = width + 2 * (is_folded(radius, width) ? width : radius);
        return name == "columns_with_halo"  ? columns :
               name == "elements_with_halo" ? columns * measures.numbers[2] :
                                              BlurOperator::measure(name, variant, measures);
    }

private:
    // The window of a pass is folded where a fourth of its taps, or fewer, is left. With another window along
    // rows than down columns, fewer variants serve the call.
    static bool is_folded(double radius, double reach) {
        return radius > 4 * reach;
    }

    // Whether the image is one column that may be blurred as one row, so that all lanes of a vector have
    // work. The pass along rows of one pixel leaves it as it is, but for the border `zero`, so that it may
    // come first.
    static bool is_column(const GaussianBlurRequest &request) {
        const int64_t h = request.image().shape()[0];
        return request.image().shape()[1] == 1 && h > 1 && request.border != Border::zero &&
               !request.is_padded() &&
               (h + 2 * request.numbers_y().radius) * request.channels() <= most_elements_of_row;
    }
    // Whether the pixels of a column follow each other in memory. On the CPU others are copied.
    static bool is_dense(const Array &column) {
        return column.strides()[0] == BlurRequest::channels_of(column);
    }
    static bool rows_follow(const Variant &variant, const GaussianBlurRequest &request, const Array &output) {
        return variant.backend == Backend::cpu || (is_dense(request.image()) && is_dense(output));
    }
    // The column as a row, in the same memory; of one that is not dense the shape alone counts.
    static Array row_of_column(const Array &column) {
        std::vector<int64_t> shape = column.shape();
        std::swap(shape[0], shape[1]);
        return is_dense(column) ?
                   without_memory(column.type(), shape).moved_to(column, column.offset_bytes()) :
                   without_memory(column.type(), shape);
    }
    static GaussianBlurRequest row_request(const GaussianBlurRequest &column, const Array &row) {
        GaussianBlurRequest request = column;
        std::swap(request.output_shape[0], request.output_shape[1]);
        request.inputs = {row};
        std::swap(request.sigma, request.sigma_y);
        std::swap(request.weights, request.weights_y);
        return request;
    }
    Plan plan_of_column(
        const Variant &variant, Device device, const GaussianBlurRequest &request, Array &output) const {
        const auto row_of = [](const Array &column) {
            const Array row = row_of_column(column);
            return is_dense(column) ? row : Array::uninitialized(column.type(), row.shape());
        };
        const auto as_column = [shape = request.image().shape()](
                                   Array &row) { return Array::view(row.type(), row.data(), shape); };
        Plan plan;
        Array from = row_of(request.image()), to = row_of(output);
        if (!is_dense(request.image())) {
            plan.host([as_column, image = request.image(), from]() mutable {
                Array column = as_column(from);
                copy(image, column);
            });
        }
        plan.append(BlurOperator::plan(variant, device, row_request(request, from), to));
        if (!is_dense(output)) {
            plan.host([as_column, to, output]() mutable { copy(as_column(to), output); });
        }
        return plan;
    }

    // Of the border `wrap`, what is at one side depends on the other one.
    std::optional<int64_t> halo_of(const Settings &settings, double) const override {
        if (settings.text("border") == "wrap") {
            return {};
        }
        const double sigma = settings.number("sigma");
        return GaussianWeights::radius_of(
            std::max(sigma, settings.number("sigma-y", sigma)), settings.number("truncate"));
    }

    void set_weights(GaussianBlurRequest &request, const Array &image, const Settings &settings) const {
        const double truncate = settings.number("truncate");
        constexpr double most_radius = 4 * most_sigma;
        if (truncate * std::max(request.sigma, request.sigma_y) > most_radius) {
            refuse(Fault::usage,
                fmt::format(
                    "the radius, truncate times sigma, would be above {}; take a smaller one", most_radius),
                "truncate", fmt::format("{}", truncate));
        }
        const Folding down = folding_of(request.border, image.shape()[0]),
                      along = folding_of(request.border, image.shape()[1]);
        const auto weights = [&](double sigma, const Folding &folding) {
            const bool folds = is_folded(GaussianWeights::radius_of(sigma, truncate), folding.reach);
            return BlurWeights::of(sigma, truncate, folds ? folding : Folding());
        };
        request.weights = weights(request.sigma, along);
        request.weights_y = weights(request.sigma_y, down);
    }

    // The call of a library for the borders `wrap` and `constant`: it blurs `padded`, the image continued.
    static GaussianBlurRequest padded_request(const GaussianBlurRequest &request, const Array &padded) {
        GaussianBlurRequest inner = request;
        inner.border = Border::reflect;  // whose pixels are cut away
        inner.output_shape = padded.shape();
        inner.inputs = {padded};
        return inner;
    }

    // An image and its mirror image are counted together, in 31 bits. With some borders the image is
    // continued before it is blurred.
    static int64_t rows_counted(const GaussianBlurRequest &request, const Array &image) {
        constexpr int64_t most = (int64_t(1) << 30) - 65536;
        const std::vector<int64_t> shape = request.padded_shape(image.shape());
        return request.is_padded() ? std::min(most, most_bytes / pitch_in_bytes(image.type(), shape) -
                                                        2 * request.numbers_y().radius) :
                                     most;
    }

    // Errors: input, for an image that is too large, and that no parts of its rows give.
    void check_size(const Array &image, const GaussianBlurRequest &request) const {
        const std::vector<int64_t> shape = request.padded_shape(image.shape());
        const int64_t rows = rows_counted(request, image), halo = 2 * request.numbers_y().radius;
        if (image.shape()[0] > rows && (request.border == Border::wrap || rows <= halo)) {
            refuse(Fault::input,
                fmt::format("with this border the image is continued by {} rows and {} columns on each side, "
                            "which is more than {} MiB; take a smaller sigma",
                    request.numbers_y().radius, request.numbers().radius, most_bytes >> 20),
                "image", image.describe());
        }
        if ((shape[1] + 2 * request.numbers().radius) * BlurRequest::channels_of(image) >
            most_elements_of_row) {
            refuse(Fault::input,
                fmt::format("a row with its borders has more than {} elements, and four bytes for each would "
                            "span more than {} MiB; work on parts of it",
                    most_elements_of_row, most_bytes >> 20),
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
