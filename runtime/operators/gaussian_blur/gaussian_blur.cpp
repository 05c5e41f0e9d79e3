// The front of gaussian_blur: what it takes, and what it says of a call.
#include "tilewright/gaussian_blur.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/operators/gaussian_blur/forms.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright {

const std::vector<Variant> &gaussian_blur_variants();

namespace {

// In the order of Border.
const std::vector<std::string> &border_names() {
    return immortal([] { return std::vector<std::string>{"reflect", "mirror", "nearest", "zero"}; });
}

class GaussianBlurOperator : public BlurOperator<GaussianBlurRequest> {
public:
    GaussianBlurOperator()
        : BlurOperator(
              {.name = "gaussian_blur",
                  .summary = "Gaussian blur with a window of 4 sigma on each side; integers give "
                             "the same bytes on every device",
                  .inputs = {blurred_image()},
                  .options = {{.name = "sigma",
                                  .help = "Standard deviation in pixels; the radius is 4 sigma",
                                  .is_number = true,
                                  .value = "1",
                                  .least = 0,
                                  .most = 8192,
                                  .excludes_ends = true},
                      {.name = "border",
                          .help = "How the image is continued beyond its border, as in scipy.ndimage",
                          .value = border_names()[0],
                          .choices = border_names()}},
                  .measures = {"height", "width", "channels", "radius"}},
              gaussian_blur_variants(),
              joined({forms_by_taps(), forms_of_near_blurs(), forms_by_dots(), forms_with_windows(),
                  forms_by_products()})) {}

protected:
    GaussianBlurRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        GaussianBlurRequest request = read_blur(inputs[0], settings);
        request.weights = BlurWeights::of(request.sigma);
        check_size(inputs[0], request.numbers().radius);
        const std::vector<std::string> &names = border_names();
        request.border = static_cast<Border>(
            std::find(names.begin(), names.end(), settings.text("border")) - names.begin());
        return request;
    }

    Measures measures(const GaussianBlurRequest &request) const override {
        Measures measures = OperatorOf::measures(request);
        measures.add(request.numbers().radius);
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
    std::optional<int64_t> halo_of(const Settings &settings, double) const override {
        return BlurWeights::of(settings.number("sigma"))->numbers().radius;
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

}  // namespace tilewright
