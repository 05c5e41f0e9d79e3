// The front of recursive_gaussian: what it takes, and what it says of a call.
#include "tilewright/recursive_gaussian.h"
#include "runtime/dispatch/parts.h"
#include "runtime/operators/recursive_gaussian/forms.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace tilewright {

const std::vector<Variant> &recursive_gaussian_variants();

namespace {

class RecursiveGaussianOperator : public BlurOperator<BlurRequest> {
public:
    RecursiveGaussianOperator()
        : BlurOperator(
              {.name = "recursive_gaussian",
                  .summary = "Gaussian blur by a recursive filter: the time does not depend on sigma",
                  .inputs = {blurred_image(
                      {Type::u8, Type::u16, Type::f32, Type::f64, Type::f16, Type::bf16})},
                  .options = {{.name = "sigma",
                                  .help = "Standard deviation in pixels",
                                  .is_number = true,
                                  .value = "5",
                                  .least = .5,
                                  .most = 2000},
                      {.name = "sigma-y",
                          .help = "Standard deviation down columns, where it is another one than along rows",
                          .is_number = true,
                          .least = .5,
                          .most = 2000}}},
              recursive_gaussian_variants(), joined({forms_by_lines(), forms_by_parts()})) {}

protected:
    BlurRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        BlurRequest request = read_blur(image, settings);
        const int64_t most = rows_between_passes(image);
        if (image.shape()[0] > most && most <= 2 * *halo_of(settings, error_of_parts(image))) {
            refuse(Fault::input,
                fmt::format("has rows so long that {} of them, with which a call works at a time, are not "
                            "more than this sigma reaches; work on parts of it, or take a smaller sigma",
                    std::max<int64_t>(most, 0)),
                "image", image.describe());
        }
        return request;
    }

    bool form_serves(const Variant &variant, const BlurRequest &request, const Array &output) const override {
        const auto &form = static_cast<const BlurForm<BlurRequest> &>(form_of(variant));
        return (request.sigma_y == request.sigma || form.takes_two_sigmas()) &&
               form.serves(variant, request, output);
    }

    int64_t most_rows(const BlurRequest &request) const override {
        return std::min(BlurOperator::most_rows(request), rows_between_passes(request.image()));
    }

private:
    // The image between the passes is f32, that of f64 f64, in whole tiles.
    static int64_t rows_between_passes(const Array &image) {
        constexpr int64_t tile = recursive_tile;
        const int64_t bytes = image.type() == Type::f64 ? 8 : 4;
        return most_bytes / ((image.shape()[1] + tile) * BlurRequest::channels_of(image) * bytes) - tile;
    }

    std::optional<int64_t> halo_of(const Settings &settings, double error) const override {
        if (error <= 0) {
            return {};
        }
        const double sigma = settings.number("sigma"),
                     widest = std::max(sigma, settings.number("sigma-y", sigma));
        return RecursiveCoefficients(widest).halo(error);
    }
};

}  // namespace

const Operator &recursive_gaussian_operator() {
    return immortal([] { return RecursiveGaussianOperator(); });
}

void recursive_gaussian(const Array &image, Array &output, double sigma, const Call &call) {
    recursive_gaussian_operator()(std::span(&image, 1), output, {{"sigma", sigma}}, call);
}

void recursive_gaussian(
    const Array &image, Array &output, const RecursiveGaussianOptions &how, const Call &call) {
    recursive_gaussian_operator()(
        std::span(&image, 1), output, {{"sigma", how.sigma_x}, {"sigma-y", how.sigma_y}}, call);
}

Array recursive_gaussian(const Array &image, const RecursiveGaussianOptions &how, const Call &call) {
    Array output;
    recursive_gaussian(image, output, how, call);
    return output;
}

Array recursive_gaussian(const Array &image, double sigma, const Call &call) {
    Array output;
    recursive_gaussian(image, output, sigma, call);
    return output;
}

}  // namespace tilewright
