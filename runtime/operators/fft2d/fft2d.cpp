// The front of fft2d: what it takes, and which libraries transform the rows and the columns of a field.
#include "tilewright/fft2d.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/operators/fields.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <stdexcept>

namespace tilewright {

const std::vector<Variant> &fft2d_variants();

namespace {

constexpr Sides sides_of_field = {.most = longest_fft, .padded_by = 1};

struct Fft2dRequest : FieldRequest {
    bool inverse = false;

    // Those of the whole transform.
    Endpoints endpoints() const {
        if (!inverse) {
            return {};
        }
        const float scale = (float)(1.0 / (double)(width * height));
        return {-1, scale, -scale};
    }
};

const FftLibraries &libraries() {
    return immortal([] { return FftLibraries(fft2d_operator().variants()); });
}

// The passes of a whole transform: those over rows, then those over columns.
PassPlan passes_of(const Variant &variant, Device device, const Fft2dRequest &request) {
    const Endpoints ends = request.endpoints();
    PassPlan passes(libraries().with(variant), device, request.height, request.width);
    if (!passes.transform(FieldAxis::rows, {.sign = ends.sign}) ||
        !passes.transform(FieldAxis::columns, {.scale_re = ends.scale_re, .scale_im = ends.scale_im})) {
        throw std::logic_error(fmt::format("fft2d: no passes for {} x {}", request.width, request.height));
    }
    return passes;
}

// The same without passes over columns: columns are the rows of the transposed field.
PassPlan passes_with_transposes(const Variant &transpose, Device device, const Fft2dRequest &request) {
    const Endpoints ends = request.endpoints();
    PassPlan passes(libraries(), device, request.height, request.width);
    const bool rows = passes.transform(FieldAxis::rows, {.sign = ends.sign});
    passes.transpose(transpose);
    const bool columns =
        passes.transform(FieldAxis::rows, {.scale_re = ends.scale_re, .scale_im = ends.scale_im});
    passes.transpose(transpose);
    if (!rows || !columns) {
        throw std::logic_error(
            fmt::format("fft2d: no passes for rows of {} and {}", request.width, request.height));
    }
    return passes;
}

// One library computes all of it.
class Definition : public FormOf<Fft2dRequest> {
public:
    using FormOf::FormOf;

    // It keeps what is between rows and columns. The schedule of an autoscheduler was made for tiles of 64,
    // and keeps the results of all steps of all lines.
    bool serves(const Variant &variant, const Fft2dRequest &request, const Array &) const override {
        const int64_t h = request.height, w = request.width;
        return variant.autoscheduler.empty() ? request.bytes() <= most_bytes :
                                               std::min(h, w) >= 64 && h * w <= 4096 * 4096;
    }
    bool equals_tuned(const Variant &) const override {
        return false;
    }

protected:
    void bind(Launch &launch, const Variant &, const Fft2dRequest &request, Array &output) const override {
        const Array &field = request.inputs[0];
        const Array row_roots = fft_roots(request.width), column_roots = fft_roots(request.height);
        const Array row_products = fft_products(request.width),
                    column_products = fft_products(request.height);
        const Endpoints ends = request.endpoints();
        launch.in("in", field, complex_words(field))
            .in("row_roots", row_roots, complex_words(row_roots))
            .in("column_roots", column_roots, complex_words(column_roots))
            .in("row_products", row_products)
            .in("column_products", column_products)
            .value("row_steps", (int32_t)row_products.size() - 1)
            .value("column_steps", (int32_t)column_products.size() - 1)
            .value("row_largest", (int32_t)largest_factor(request.width))
            .value("column_largest", (int32_t)largest_factor(request.height))
            .value("sign", ends.sign)
            .value("scale", ends.scale_re)
            .out("output", output, complex_words(output));
    }
};

constexpr Definition definition("fft2d");
constexpr FftPassForm<Fft2dRequest, FftWords> pass("fft_pass", passes_of);
constexpr FftPassForm<Fft2dRequest, FftParts> lines("fft_lines", passes_of);
constexpr FftMixedForm<Fft2dRequest> mixed("fft_mixed", passes_of);
constexpr FftTransposeForm<Fft2dRequest> transpose("fft2d_transpose", passes_with_transposes);

class Fft2dOperator : public FieldOperator<Fft2dRequest> {
public:
    Fft2dOperator()
        : FieldOperator(
              {.name = "fft2d",
                  .summary = "the two-dimensional Fourier transform, and its inverse",
                  .inputs = {{.name = "field",
                      .help = "A complex field, or real values",
                      .types = {Type::c64, Type::f32},
                      .axes = Axes::image,
                      .sides = sides_of_field}},
                  .makes = Makes::field,
                  .options = {{.name = "direction",
                                  .help = "forward, without a factor, or inverse, times 1 / (width height)",
                                  .value = "forward",
                                  .choices = {"forward", "inverse"}},
                      {.name = "pad",
                          .help = "Add zeros at the right and at the bottom up to the next power of two",
                          .choices = {"yes", "no"},
                          .is_flag = true}}},
              fft2d_variants(), {&definition, &pass, &lines, &mixed, &transpose}) {}

protected:
    Fft2dRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &field = inputs[0];
        Fft2dRequest request;
        request.type = "c64";
        request.output_type = Type::c64;
        const bool pads = settings.text("pad", "no") == "yes";
        const auto side = [&](int64_t n) { return pads ? (int64_t)std::bit_ceil((uint64_t)n) : n; };
        request.height = side(field.shape()[0]);
        request.width = side(field.shape()[1]);
        request.output_shape = {request.height, request.width};
        request.inverse = settings.text("direction") == "inverse";
        return request;
    }

    Measures measures(const Fft2dRequest &request) const override {
        return {(double)request.height, (double)request.width};
    }
};

}  // namespace

const Operator &fft2d_operator() {
    return immortal([] { return Fft2dOperator(); });
}

void fft2d(const Array &field, Array &output, Direction direction, bool pad, const Call &call) {
    const Settings settings{{"direction", word_of((size_t)direction, {"forward", "inverse"})},
        {"pad", std::string(pad ? "yes" : "no")}};
    fft2d_operator()({&field, 1}, output, settings, call);
}

}  // namespace tilewright
