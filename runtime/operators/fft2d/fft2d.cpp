// The front of fft2d: what it takes, and which libraries transform the rows and the columns of a field.
#include "tilewright/fft2d.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/dispatch/option_text.h"
#include "runtime/operators/fft_passes.h"
#include "runtime/operators/fft_tables.h"
#include <algorithm>
#include <bit>
#include <complex>
#include <fmt/format.h>
#include <stdexcept>

namespace tilewright {

const std::vector<Row> &fft2d_rows();

namespace {

constexpr Sides sides_of_field = {
    .least = shortest_fft, .most = longest_fft, .are_powers_of_two = true, .padded_by = 1};

const FftLibraries &libraries() {
    static const auto &all = *new FftLibraries(fft2d_rows());  // never destroyed (inside.h)
    return all;
}

struct Fft2dRequest : Request {
    bool inverse = false;

    int64_t height() const {
        return output_shape[0];
    }
    int64_t width() const {
        return output_shape[1];
    }
    bool pads() const {
        return inputs[0].shape() != output_shape;
    }

    // Those of the whole transform.
    Endpoints endpoints() const {
        if (!inverse) {
            return {};
        }
        const float scale = (float)(1.0 / (double)(width() * height()));
        return {-1, scale, -scale};
    }
};

// The passes of a whole transform: those over rows, then those over columns.
PassPlan passes_of(const Row &row, const Fft2dRequest &request) {
    const Endpoints ends = request.endpoints();
    PassPlan passes(libraries().with(row), row.backend, request.height(), request.width());
    if (!passes.transform(FieldAxis::rows, {.sign = ends.sign}) ||
        !passes.transform(FieldAxis::columns, {.scale_re = ends.scale_re, .scale_im = ends.scale_im})) {
        throw std::logic_error(
            fmt::format("fft2d: no passes for {} x {}", request.width(), request.height()));
    }
    return passes;
}

// The same without passes over columns: columns are the rows of the transposed field.
PassPlan passes_with_transposes(const Row &transpose, const Fft2dRequest &request) {
    const Endpoints ends = request.endpoints();
    PassPlan passes(libraries(), transpose.backend, request.height(), request.width());
    const bool rows = passes.transform(FieldAxis::rows, {.sign = ends.sign});
    passes.transpose(transpose);
    const bool columns =
        passes.transform(FieldAxis::rows, {.scale_re = ends.scale_re, .scale_im = ends.scale_im});
    passes.transpose(transpose);
    if (!rows || !columns) {
        throw std::logic_error(
            fmt::format("fft2d: no passes for rows of {} and {}", request.width(), request.height()));
    }
    return passes;
}

// Writes the numbers of a field, c64 or f32, into a larger one.
void write_into(const Array &field, Array &larger) {
    auto *to = larger.as<std::complex<float>>();
    for (int64_t y = 0; y < field.shape()[0]; y++) {
        for (int64_t x = 0; x < field.shape()[1]; x++) {
            const int64_t at = y * field.strides()[0] + x;
            to[y * larger.strides()[0] + x] =
                field.type() == Type::c64 ? field.as<std::complex<float>>()[at] : field.as<float>()[at];
        }
    }
}

class Fft2dOperator : public OperatorOf<Fft2dRequest> {
public:
    Fft2dOperator()
        : OperatorOf(
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
                          .help = "Add zeros at the right and at the bottom up to the next power of "
                                  "two; then any size up to 8192 is taken",
                          .choices = {"yes", "no"},
                          .is_flag = true}}},
              fft2d_rows()) {}

protected:
    Fft2dRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &field = inputs[0];
        Fft2dRequest request;
        request.type = "c64";
        request.output_type = Type::c64;
        request.output_shape = {
            sides_of_field.padded_side(field.shape()[0]), sides_of_field.padded_side(field.shape()[1])};
        request.inverse = settings.text("direction") == "inverse";
        return request;
    }

    // A pass serves the sizes whose transform it takes part in. The passes of `tuned_any` serve every size,
    // together with others.
    bool accepts_request(const Row &row, const Fft2dRequest &request, const Array &) const override {
        if (!row.autoscheduler.empty()) {
            // Its schedule was made for tiles of 64, and it keeps the results of all steps of all lines.
            const int64_t h = request.height(), w = request.width();
            return std::min(h, w) >= 64 && h * w <= 4096 * 4096;
        }
        if (row.form == "fft2d_transpose") {
            return transposes_whole_tiles(row, request.height(), request.width());
        }
        return !is_fft_pass(row) || row.schedule == "tuned_any" || passes_of(row, request).uses(row);
    }

    Measures measures_of(const Fft2dRequest &request) const override {
        return {(double)request.height(), (double)request.width()};
    }

    // The other rows are passes that the same plan puts together, and documented steps without them.
    bool equals_tuned(const Row &) const override {
        return false;
    }

    Plan plan(const Row &row, Device device, const Fft2dRequest &request, Array &output) const override {
        Plan plan;
        Array field = request.inputs[0];
        if (field.type() != Type::c64 || request.pads()) {
            const std::vector<int64_t> &shape = request.output_shape;
            field = request.pads() ? Array(Type::c64, shape) : Array::uninitialized(Type::c64, shape);
            plan.host([from = request.inputs[0], to = field]() mutable { write_into(from, to); });
        }
        if (is_fft_pass(row)) {
            passes_of(row, request).add_to(plan, device, field, output);
        } else if (row.form == "fft2d_transpose") {
            passes_with_transposes(row, request).add_to(plan, device, field, output);
        } else {
            add_definition(plan, row, device, request, field, output);
        }
        return plan;
    }

private:
    // One library computes all of it.
    static void add_definition(Plan &plan, const Row &row, Device device, const Fft2dRequest &request,
        const Array &field, Array &output) {
        const int64_t h = request.height(), w = request.width();
        const Array row_roots = fft_roots(w), column_roots = fft_roots(h);
        const Endpoints ends = request.endpoints();
        plan.launch(row, device)
            .in("in", field, complex_words(field))
            .in("row_roots", row_roots, complex_words(row_roots))
            .in("column_roots", column_roots, complex_words(column_roots))
            .value("row_steps", (int32_t)std::countr_zero((uint64_t)w))
            .value("column_steps", (int32_t)std::countr_zero((uint64_t)h))
            .value("sign", ends.sign)
            .value("scale", ends.scale_re)
            .out("output", output, complex_words(output));
    }
};

}  // namespace

const Operator &fft2d_operator() {
    static const auto &op = *new Fft2dOperator;  // never destroyed (inside.h)
    return op;
}

void fft2d(const Array &field, Array &output, Direction direction, bool pad, const Call &call) {
    const Settings settings{{"direction", word_of((size_t)direction, {"forward", "inverse"})},
        {"pad", std::string(pad ? "yes" : "no")}};
    fft2d_operator()({&field, 1}, output, settings, call);
}

}  // namespace tilewright
