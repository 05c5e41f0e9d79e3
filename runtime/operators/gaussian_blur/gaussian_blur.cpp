// The front of gaussian_blur: what it takes, which rows serve it, and how their libraries are called.
#include "tilewright/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/integers.h"
#include "runtime/dispatch/option_text.h"
#include "runtime/operators/gaussian_blur/request.h"
#include "runtime/operators/gaussian_blur/window.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilewright {

const std::vector<Row> &gaussian_blur_rows();

namespace {

const auto &border_names =
    *new std::vector<std::string>{"reflect", "mirror", "nearest", "zero"};  // never destroyed (inside.h)

// Whether the image between the passes has elements that 31 bits count. Its sides are whole tiles: a column
// of pixels is as wide as one.
bool counts_tiles(const Row &row, const GaussianBlurRequest &request) {
    const Array &image = request.image();
    const int64_t width = row.tunable("width", 1),
                  height = (int64_t)row.tunable("height", 1) * row.tunable("rows", 1);
    return round_up(image.shape()[1] * request.channels(), width) * round_up(image.shape()[0], height) <
           INT32_MAX;
}

// Images of a device have at least 16384 elements along each axis, and hold the rows and what continues them
// beyond the border.
bool fits_texture(const Row &row, const GaussianBlurRequest &request) {
    constexpr int64_t most = 16384;
    const Array &image = request.image();
    const int64_t across = (image.shape()[1] + 2 * (int64_t)request.numbers().radius) * request.channels() +
                           row.tunable("width");
    return across <= most && image.shape()[0] + row.tunable("height") <= most;
}

// Whether a block has the shared memory for its tile with the halo, and for the same blurred down columns.
bool fits_shared(const Row &row, const GaussianBlurRequest &request) {
    constexpr int64_t most_bytes_of_block = 48 << 10;
    const int64_t width = row.tunable("width"), height = row.tunable("height"),
                  radius = request.numbers().radius;
    const int64_t across = width + round_up(2 * radius * request.channels(), width),
                  down = height + 2 * radius;
    return 2 * (across * (down + height - 1) / height * height) * (int64_t)size_of(request.image().type()) <=
           most_bytes_of_block;
}

// Whether the source and the image between the passes fit where the row keeps them.
bool fits_between(const Row &row, const GaussianBlurRequest &request) {
    using Between = GaussianBlurNearConfiguration::Between;
    const Between between = row.configuration<GaussianBlurNearConfiguration>().between;
    return between == Between::textures ? fits_texture(row, request) :
           between == Between::tiles    ? fits_shared(row, request) :
                                          true;
}

// The forms for radii below the image's width and height.
bool is_near(const Row &row) {
    return row.form == "gaussian_blur_near" || row.form == "gaussian_blur_half" ||
           row.form == "gaussian_blur_branch" || row.form == "gaussian_blur_exp";
}

bool is_by_dots(const Row &row) {
    return row.form == "gaussian_blur_dots" || row.form == "gaussian_blur_dot_rows";
}

// The largest number of elements in a row of the image, for schedules that keep several whole rows: they keep
// at most 64 bytes per element, and Halide's arrays hold 2^31 bytes.
constexpr int64_t most_kept = 1 << 22;

int64_t elements_of_row(const GaussianBlurRequest &request) {
    return request.image().shape()[1] * request.channels();
}

// The form with sums of 16 bits: it reads whole vectors, the longest of which have 32 elements.
bool short_sums_accept(const Row &row, const GaussianBlurRequest &request) {
    const int64_t elements = elements_of_row(request);
    return request.numbers().bytes.short_sums.means ==
               row.configuration<GaussianBlurShortSumsConfiguration>().means &&
           elements >= 32 && elements <= most_kept;
}

// The forms by dot products: the row's channels and radius, and taps that its sums hold.
bool dots_accept(const Row &row, const GaussianBlurRequest &request) {
    const auto serves = row.configuration<GaussianBlurDotsConfiguration>();
    const GaussianWeights &numbers = request.numbers();
    return request.channels() == serves.channels &&
           (row.form != "gaussian_blur_dot_rows" || elements_of_row(request) <= most_kept) &&
           (serves.most_radius == 0 || numbers.radius <= serves.most_radius) &&
           (request.image().type() == Type::u16 ? fits_split_taps(numbers.words16) :
                                                  serves.group == 4 || numbers.bytes.fits_pairs());
}

// -1 / 2 sigma^2, and finite: the middle weight is exp(0).
float exponent(double sigma) {
    return (float)std::max(-.5 / (sigma * sigma), -1e30);
}

class GaussianBlurOperator : public BlurOperator<GaussianBlurRequest> {
public:
    GaussianBlurOperator()
        : BlurOperator(
              {.name = "gaussian_blur",
                  .summary = "Gaussian blur with a window of 4 sigma on each side; integers give "
                             "the same bytes everywhere",
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
                          .value = border_names[0],
                          .choices = border_names}}},
              gaussian_blur_rows()) {}

protected:
    GaussianBlurRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        GaussianBlurRequest request = read_blur(inputs[0], settings);
        request.weights = BlurWeights::of(request.sigma);
        check_size(inputs[0], request.numbers().radius);
        const auto border = std::find(border_names.begin(), border_names.end(), settings.text("border"));
        request.border = static_cast<Border>(border - border_names.begin());
        return request;
    }

    bool accepts_request(
        const Row &row, const GaussianBlurRequest &request, const Array &output) const override {
        if (is_window(row)) {
            return window_accepts(row, request, output);
        }
        if (row.backend != Backend::cpu && !counts_tiles(row, request)) {
            return false;
        }
        if (row.form == "gaussian_blur_floats") {
            return request.image().type() != Type::u8 || request.numbers().bytes.fits_f32();
        }
        if (is_by_dots(row)) {
            return dots_accept(row, request);
        }
        if (row.form == "gaussian_blur_short_sums") {
            return short_sums_accept(row, request);
        }
        if (row.form == "gaussian_blur_terms") {
            return request.numbers().radius == row.configuration<GaussianBlurTermsConfiguration>().radius;
        }
        if (is_near(row)) {
            const bool near =
                request.numbers().radius < std::min(request.image().shape()[0], request.image().shape()[1]);
            return near && fits_between(row, request);
        }
        return true;
    }

    Measures measures_of(const GaussianBlurRequest &request) const override {
        Measures measures = OperatorOf::measures_of(request);
        measures.add(request.numbers().radius);
        return measures;
    }

    bool is_meant_for(const Row &row, const Measures &measures) const override {
        const double channels = measures.numbers[2], radius = measures.numbers[3],
                     columns = measures.numbers[1] + 2 * radius;
        if (row.form == "gaussian_blur_lines") {
            const int most = row.configuration<GaussianBlurLinesConfiguration>().most_elements;
            return most == 0 || columns * channels <= most;
        }
        if (!is_by_dots(row)) {
            return true;
        }
        const auto serves = row.configuration<GaussianBlurDotsConfiguration>();
        return columns >= serves.least_columns &&
               (serves.most_columns == 0 || columns <= serves.most_columns);
    }

    // Not the rows whose results have an error of their own (bound_of() of the workload).
    bool equals_tuned(const Row &row) const override {
        return row.form != "gaussian_blur_half" && row.form != "gaussian_blur_exp";
    }

    Plan plan(
        const Row &row, Device device, const GaussianBlurRequest &request, Array &output) const override {
        Plan plan;
        Launch &launch = plan.launch(row, device);
        if (is_window(row)) {
            bind_window(launch, row, request, output);
        } else if (is_by_dots(row)) {
            bind_dots(launch, row, request, output);
        } else if (row.form == "gaussian_blur_short_sums") {
            const IntegerTaps &bytes = request.numbers().bytes;
            launch.in("image", request.image(), rows_of(request.image()))
                .value("channels", (int32_t)request.channels())
                .value("border", (int32_t)request.border)
                .in("taps", request.weights->short_taps())
                .value("start", bytes.short_sums.start)
                .value("sum", bytes.sum)
                .value("multiplier", bytes.multiplier)
                .out("output", output, rows_of(output));
        } else {
            const Array &image = request.image();
            const bool floats = row.form == "gaussian_blur_floats";
            launch.in("image", image, rows_of(image))
                .value("channels", (int32_t)request.channels())
                .value("border", (int32_t)request.border)
                .in("weights",
                    floats ? request.weights->floats(image.type()) : request.weights->integers(image.type()))
                .out("output", output, rows_of(output));
            if (row.form != "gaussian_blur_terms") {
                launch.value("multiplier", request.numbers().bytes.multiplier);
            }
            if (row.form == "gaussian_blur_exp") {
                launch.value("exponent", exponent(request.sigma));
            }
        }
        return plan;
    }

private:
    std::optional<int64_t> halo_of(const Settings &settings, double) const override {
        return BlurWeights::of(settings.number("sigma"))->numbers().radius;
    }

    // Errors: input, for an image that is too large.
    void check_size(const Array &image, int64_t radius) const {
        // Rows of the CPU look up where each element of a row and of its borders is: four bytes for each.
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

    static void bind_dots(Launch &launch, const Row &row, const GaussianBlurRequest &request, Array &output) {
        const BlurWeights &weights = *request.weights;
        const IntegerTaps &bytes = request.numbers().bytes;
        const int64_t group = row.configuration<GaussianBlurDotsConfiguration>().group;
        const bool is_u16 = request.image().type() == Type::u16;
        const halide_type_t type = group == 4 ? halide_type_of<uint8_t>() : halide_type_of<int16_t>();
        const auto phases = [&](const Array &taps) {  // element, group, phase
            const int64_t n = taps.size() / (group * group);
            return View{type, {{group, 1}, {n, group}, {group, group * n}}};
        };
        const Array &low = is_u16     ? weights.low16() :
                           group == 4 ? weights.low() :
                                        weights.pairs(),
                    &high = is_u16     ? weights.high16() :
                            group == 4 ? weights.high() :
                                         weights.pairs();
        launch.in("image", request.image(), rows_of(request.image()))
            .value("border", (int32_t)request.border)
            .in("low", low, phases(low))
            .in("high", high, phases(high))
            .value("rounding", bytes.half() + 128 * bytes.sum)
            .value("multiplier", bytes.multiplier)
            .out("output", output, rows_of(output));
    }
};

}  // namespace

const Operator &gaussian_blur_operator() {
    static const auto &op = *new GaussianBlurOperator;  // never destroyed (inside.h)
    return op;
}

void gaussian_blur(const Array &image, Array &output, double sigma, Border border, const Call &call) {
    gaussian_blur_operator()(std::span(&image, 1), output,
        {{"sigma", sigma}, {"border", word_of((size_t)border, border_names)}}, call);
}

Array gaussian_blur(const Array &image, double sigma, Border border, const Call &call) {
    Array output;
    gaussian_blur(image, output, sigma, border, call);
    return output;
}

}  // namespace tilewright
