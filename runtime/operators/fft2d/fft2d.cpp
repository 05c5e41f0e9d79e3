// The front of fft2d: what it takes, and which libraries transform the rows and the columns of a field.
#include "tilewright/fft2d.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/operators/fft2d/real_fields.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/operators/fields.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace tilewright {

const std::vector<Variant> &fft2d_variants();

namespace {

constexpr Sides sides_of_field = {.most = longest_fft, .padded_by = 1};

struct Fft2dRequest : FieldRequest {
    bool inverse = false;
    bool half = false;  // real values on one side, and the columns 0 ... width / 2 of their spectrum

    // Whether rows of real values are taken as half as many complex numbers.
    bool has_pairs() const {
        return half && width % 2 == 0;
    }
    // How many columns are transformed.
    int64_t columns() const {
        return has_pairs() ? width / 2 : width;
    }

    // Those of the whole transform.
    Endpoints endpoints() const {
        if (!inverse) {
            return {};
        }
        const double scale = 1.0 / (double)(columns() * height);
        return {-1, scale, -scale};
    }
};

const FftLibraries &libraries() {
    return immortal([] { return FftLibraries(fft2d_operator().variants()); });
}

using Step = FftHalfShape::Step;

// The view of complex numbers, or of real values.
View numbers_of(const Array &field) {
    if (is_complex(field.type())) {
        return complex_numbers(complex_words(field), field.type());
    }
    View values = image(field);
    values.in_elements = true;
    return values;
}

// Adds a step between real values or their spectrum and a transform of complex numbers.
void add_step(
    PassPlan &passes, const FftLibraries &all, Backend backend, const Fft2dRequest &request, Step step) {
    const Variant *variant = all.half(backend, request.field_type, step);
    if (!variant) {
        throw std::logic_error("fft2d: no variant of the form fft_half");
    }
    passes.step(*variant, false,
        [variant, width = request.width, type = request.field_type,
            has_roots = step == Step::half || step == Step::half_back](
            Plan &plan, Device device, const Array &from, Array &to) {
            const Array roots = fft_roots(has_roots ? width : 1, type);
            plan.launch(*variant, device)
                .in("in", from, numbers_of(from))
                .in("roots", roots, numbers_of(roots))
                .value("width", (int32_t)width)
                .out("output", to, numbers_of(to));
        });
}

// Adds a step of pairs of rows, which the host does where they are in its memory.
void add_step_of_pairs(
    PassPlan &passes, const FftLibraries &all, Backend backend, const Fft2dRequest &request, Step step) {
    if (backend != Backend::cpu) {
        return add_step(passes, all, backend, request, step);
    }
    passes.host(step == Step::pair_rows     ? pair_rows :
                step == Step::split_spectra ? split_spectra :
                step == Step::pair_spectra  ? pair_spectra :
                                              split_rows);
}

// The passes of real values of an odd width, or back to them: two rows are transformed as one, and of columns
// those of the half.
PassPlan passes_of_odd(const FftLibraries &all, Device device, const Fft2dRequest &request) {
    const int64_t h = request.height, w = request.width, pairs = (h + 1) / 2, half = w / 2 + 1;
    const Endpoints ends = request.endpoints();
    PassPlan passes(all, device, request.inverse ? h : pairs, request.inverse ? half : w, request.field_type);
    const auto step = [&](Step step) { add_step_of_pairs(passes, all, device.backend, request, step); };
    if (request.inverse) {
        passes.transform(FieldAxis::columns, ends);
        passes.set_shape(pairs, w);
        step(Step::pair_spectra);
        passes.transform(FieldAxis::rows, inverse_endpoints);
        passes.set_shape(h, w);
        step(Step::split_rows);
    } else {
        step(Step::pair_rows);
        passes.transform(FieldAxis::rows);
        passes.set_shape(h, half);
        step(Step::split_spectra);
        passes.transform(FieldAxis::columns);
    }
    return passes;
}

// The passes of a whole transform: those over rows, then those over columns.
PassPlan passes_of(const Variant &variant, Device device, const Fft2dRequest &request) {
    const Endpoints ends = request.endpoints();
    const FftLibraries &all = libraries().with(variant);
    if (request.half && !request.has_pairs()) {
        return passes_of_odd(all, device, request);
    }
    PassPlan passes(all, device, request.height, request.columns(), request.field_type);
    if (request.has_pairs() && request.inverse) {
        add_step(passes, all, variant.backend, request, Step::half_back);
    }
    passes.transform(FieldAxis::rows, {.sign = ends.sign});
    passes.transform(FieldAxis::columns, {.scale_re = ends.scale_re, .scale_im = ends.scale_im});
    if (request.has_pairs() && !request.inverse) {
        passes.set_shape(request.height, request.columns() + 1);
        add_step(passes, all, variant.backend, request, Step::half);
    }
    return passes;
}

// The same without passes over columns: columns are the rows of the transposed field.
PassPlan passes_with_transposes(const Variant &transpose, Device device, const Fft2dRequest &request) {
    const Endpoints ends = request.endpoints();
    PassPlan passes(libraries(), device, request.height, request.width);
    passes.transform(FieldAxis::rows, {.sign = ends.sign});
    passes.transpose(transpose);
    passes.transform(FieldAxis::rows, {.scale_re = ends.scale_re, .scale_im = ends.scale_im});
    passes.transpose(transpose);
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
        const Type type = field.type();
        const Array row_roots = fft_roots(request.width, type),
                    column_roots = fft_roots(request.height, type);
        const Array row_products = fft_products(request.width),
                    column_products = fft_products(request.height);
        const Endpoints ends = request.endpoints();
        const auto numbers = [type](
                                 const Array &array) { return complex_numbers(complex_words(array), type); };
        type == Type::c64 ? launch.value("sign", (float)ends.sign).value("scale", (float)ends.scale_re) :
                            launch.value("sign", ends.sign).value("scale", ends.scale_re);
        launch.in("in", field, numbers(field))
            .in("row_roots", row_roots, numbers(row_roots))
            .in("column_roots", column_roots, numbers(column_roots))
            .in("row_products", row_products)
            .in("column_products", column_products)
            .value("row_steps", (int32_t)row_products.size() - 1)
            .value("column_steps", (int32_t)column_products.size() - 1)
            .value("row_largest", (int32_t)largest_factor(request.width))
            .value("column_largest", (int32_t)largest_factor(request.height))
            .out("output", output, numbers(output));
    }
};

constexpr Definition definition("fft2d");
constexpr FftPassForm<Fft2dRequest, FftWords> pass("fft_pass", passes_of);
constexpr FftPassForm<Fft2dRequest, FftParts> lines("fft_lines", passes_of);
constexpr FftMixedForm<Fft2dRequest> mixed("fft_mixed", passes_of);
constexpr FftStepForm<Fft2dRequest> half("fft_half", passes_of);
constexpr FftTransposeForm<Fft2dRequest> transpose("fft2d_transpose", passes_with_transposes);

class Fft2dOperator : public FieldOperator<Fft2dRequest> {
public:
    Fft2dOperator()
        : FieldOperator(
              {.name = "fft2d",
                  .summary = "the two-dimensional Fourier transform, and its inverse",
                  .inputs = {{.name = "field",
                      .help = "A complex field, or real values",
                      .types = {Type::c64, Type::f32, Type::c128, Type::f64},
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
                          .is_flag = true},
                      {.name = "half",
                          .help = "Real values forward to the columns 0 to w/2 of their spectrum, or inverse",
                          .choices = {"yes", "no"},
                          .is_flag = true},
                      {.name = "width",
                          .help = "With half, inverse: the width of the real values (0: the even one)",
                          .is_number = true,
                          .value = "0",
                          .least = 0,
                          .most = longest_fft,
                          .is_whole = true}}},
              fft2d_variants(), {&definition, &pass, &lines, &mixed, &half, &transpose}) {}

    // Rows of real values are taken as half as many complex numbers, where they have an even width, and two
    // by two otherwise. For a variant that is no pass, the host makes a whole field, or a part of one.
    Plan plan(
        const Variant &variant, Device device, const Fft2dRequest &request, Array &output) const override {
        if (!request.half) {
            return FieldOperator::plan(variant, device, request, output);
        }
        const bool is_pass = variant.known_form != &definition && variant.known_form != &transpose;
        return !is_pass            ? plan_of_whole(variant, device, request, output) :
               request.has_pairs() ? plan_of_pairs(variant, device, request, output) :
                                     form_of(variant).plan(*this, variant, device, request, output);
    }

protected:
    Fft2dRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &field = inputs[0];
        Fft2dRequest request;
        request.inverse = settings.text("direction") == "inverse";
        const bool is_double = field.type() == Type::c128 || field.type() == Type::f64;
        request.field_type = is_double ? Type::c128 : Type::c64;
        request.type = name_of(request.field_type);
        request.output_type = request.field_type;
        const bool pads = settings.text("pad", "no") == "yes";
        const auto width = (int64_t)settings.number("width");
        const bool is_half = settings.text("half", "no") == "yes";
        if (width != 0 && !(is_half && request.inverse)) {
            refuse(
                Fault::usage, "it belongs to an inverse transform with half", "width", std::to_string(width));
        }
        if (is_half) {
            read_half(field, pads, width, request);
            return request;
        }
        const auto side = [&](int64_t n) { return pads ? (int64_t)std::bit_ceil((uint64_t)n) : n; };
        request.height = side(field.shape()[0]);
        request.width = side(field.shape()[1]);
        request.output_shape = {request.height, request.width};
        return request;
    }

    Measures measures(const Fft2dRequest &request) const override {
        return {(double)request.height, (double)request.width};
    }

private:
    // What real values and the columns 0 ... width / 2 of their spectrum are.
    void read_half(const Array &field, bool pads, int64_t width, Fft2dRequest &request) const {
        const int64_t columns = field.shape()[1];
        if (pads) {
            refuse(Fault::usage, "half takes values as they are; leave out pad", "pad", "yes");
        }
        if (is_complex(field.type()) != request.inverse) {
            refuse(Fault::input,
                request.inverse ? "half takes a complex spectrum, c64 or c128, with the direction inverse" :
                                  "half takes real values, f32 or f64, with the direction forward",
                "field", field.describe());
        }
        request.half = true;
        request.height = field.shape()[0];
        request.width = !request.inverse ? columns :
                        width == 0       ? std::max<int64_t>(2 * (columns - 1), 1) :
                                           width;
        if (request.width > longest_fft || (request.inverse && request.width / 2 + 1 != columns)) {
            refuse(Fault::input,
                fmt::format("a spectrum of {} columns is that of {} or {} real values per row, at most {}",
                    columns, std::max<int64_t>(2 * columns - 2, 1), 2 * columns - 1, longest_fft),
                "width", std::to_string(request.width));
        }
        request.output_shape = {request.height, request.inverse ? request.width : request.width / 2 + 1};
        if (request.inverse) {
            request.output_type = request.field_type == Type::c64 ? Type::f32 : Type::f64;
        }
    }

    // Rows that do not begin at whole complex numbers are copied.
    Plan plan_of_pairs(
        const Variant &variant, Device device, const Fft2dRequest &request, Array &output) const {
        Fft2dRequest of_pairs = request;
        Array &input = of_pairs.inputs[0];
        Plan plan;
        if (request.inverse) {
            std::optional<Array> made = pairs_of(output);
            Array values = made ? output : Array::uninitialized(output.type(), output.shape());
            made = made ? made : pairs_of(values);
            plan = form_of(variant).plan(*this, variant, device, of_pairs, *made);
            if (values.storage() != output.storage()) {
                plan.host([values, output]() mutable { copy(values, output); });
            }
            return plan;
        }
        if (!pairs_of(input)) {
            Array dense = Array::uninitialized(input.type(), input.shape());
            plan.host([from = input, dense]() mutable { copy(from, dense); });
            input = dense;
        }
        input = *pairs_of(input);
        plan.append(form_of(variant).plan(*this, variant, device, of_pairs, output));
        return plan;
    }

    // The transform of the whole field.
    Plan plan_of_whole(
        const Variant &variant, Device device, const Fft2dRequest &request, Array &output) const {
        const std::vector<int64_t> shape = {request.height, request.width};
        Fft2dRequest of_whole = request;
        of_whole.half = false;
        of_whole.output_type = request.field_type;
        of_whole.output_shape = shape;
        Array whole = Array::uninitialized(request.field_type, shape), values = output;
        Plan plan;
        if (!request.inverse) {
            plan = FieldOperator::plan(variant, device, of_whole, whole);
            plan.host([whole, values]() mutable { copy_columns(whole, values); });
            return plan;
        }
        Array spectrum = Array::uninitialized(request.field_type, shape);
        of_whole.inputs = {spectrum};
        plan.host([half = request.inputs[0], spectrum]() mutable { complete_spectrum(half, spectrum); });
        plan.append(FieldOperator::plan(variant, device, of_whole, whole));
        plan.host([whole, values]() mutable { copy_real_parts(whole, values); });
        return plan;
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

void rfft2d(const Array &values, Array &output, const Call &call) {
    fft2d_operator()({&values, 1}, output, {{"half", "yes"}}, call);
}

void irfft2d(const Array &spectrum, Array &output, int64_t width, const Call &call) {
    fft2d_operator()(
        {&spectrum, 1}, output, {{"half", "yes"}, {"direction", "inverse"}, {"width", (double)width}}, call);
}

}  // namespace tilewright
