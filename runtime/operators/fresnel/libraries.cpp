// Puts passes and the other libraries of fresnel together, for each method and each family of variants.
#include "runtime/operators/fresnel/libraries.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/operators/fresnel/tables.h"
#include "runtime/process/immortal.h"
#include <fmt/format.h>
#include <stdexcept>

namespace tilewright {

namespace {

using Lines = FftPassShape::Lines;
using Division = LineLayout::Division;
using enum FieldAxis;

const FftLibraries &libraries() {
    return immortal([] { return FftLibraries(fresnel_operator().variants()); });
}

PassPlan with_phases_in_passes(const Variant &variant, Device device, const FresnelRequest &request);
PassPlan with_phases_apart(const Variant &variant, Device device, const FresnelRequest &request);
PassPlan of_phases(const Variant &variant, Device device, const FresnelRequest &request);

// One library computes all of it.
class Definition : public FormOf<FresnelRequest> {
public:
    using FormOf::FormOf;

    // It keeps what is between rows and columns.
    bool serves(const Variant &, const FresnelRequest &request, const Array &) const override {
        return request.bytes() <= most_bytes;
    }
    bool equals_tuned(const Variant &) const override {
        return false;
    }

protected:
    void bind(Launch &launch, const Variant &, const FresnelRequest &request, Array &output) const override {
        const Propagation &p = request.propagation;
        const Array &field = request.inputs[0], roots = fft_roots(p.side), products = fft_products(p.side);
        const int32_t method = p.method == FresnelMethod::transform   ? 0 :
                               p.method == FresnelMethod::convolution ? 1 :
                                                                        2;
        launch.in("field", field, complex_words(field))
            .in("roots", roots, complex_words(roots))
            .in("products", products)
            .value("steps", (int32_t)products.size() - 1)
            .value("largest", (int32_t)largest_factor(p.side))
            .value("method", method)
            .value("distance", p.distance_in_wavelengths())
            .value("frequency_step_squared", p.squared_frequency_step())
            .out("output", output, complex_words(output));
    }
};

constexpr Definition definition("fresnel");
constexpr FftPassForm<FresnelRequest, FftWords> pass_of_words("fft_pass", with_phases_in_passes);
constexpr FftPassForm<FresnelRequest, FftParts> pass_of_parts("fft_lines", with_phases_in_passes);
constexpr FftMixedForm<FresnelRequest> mixed_form("fft_mixed", with_phases_in_passes);
constexpr FftTransposeForm<FresnelRequest> transpose_form("fft2d_transpose", with_phases_apart);
constexpr FieldForm<FresnelRequest> times("fresnel_times", of_phases),
    transfer("fresnel_transfer", with_phases_in_passes);

// The libraries of one propagation on one backend.
class PropagationPlan {
public:
    PropagationPlan(const Variant &variant, Device device, const Propagation &propagation)
        : libraries_(libraries().with(variant)), device_(device), p_(propagation), n_(propagation.side),
          passes_(libraries_, device, n_, n_), sign_(propagation.distance < 0 ? -1.0f : 1.0f) {}

    // Phases inside the passes.
    PassPlan fused() {
        switch (p_.method) {
        case FresnelMethod::transform:
            transform(rows, {.sign = sign_}, LineFactor::before, LineFactor::after);
            transform(columns, {.scale_im = sign_}, LineFactor::before, LineFactor::after);
            break;
        case FresnelMethod::convolution:
            convolve(rows);
            convolve(columns);
            break;
        default: angular_spectrum();
        }
        return std::move(passes_);
    }

    // Phases as steps of their own; the transform of columns is one of the transposed field's rows.
    PassPlan separate() {
        const Variant &transpose = row_of(transpose_form);
        // Sides that are no whole tiles are transformed where they are.
        const bool tiles = n_ % transpose.tunable("tile") == 0;
        const FieldAxis second = tiles ? rows : columns;
        const auto exchange = [&] {
            if (tiles) {
                passes_.transpose(transpose);
            }
        };
        if (p_.method == FresnelMethod::transform) {
            multiply(Phase::before, 1);
            transform(rows, {.sign = sign_});
            exchange();
            transform(second, {.scale_im = sign_});
            exchange();
            multiply(Phase::after, 1);
        } else {
            transform(rows);
            exchange();
            transform(second);
            // The transfer function is symmetric, so that it is the same for the transposed spectrum.
            multiply(p_.method == FresnelMethod::convolution ? Phase::paraxial : Phase::exact,
                1 / ((double)n_ * (double)n_));
            transform(second, inverse_endpoints);
            exchange();
            transform(rows, inverse_endpoints);
        }
        return std::move(passes_);
    }

private:
    enum class Phase { before, after, paraxial, exact };  // by the numbers that the library has for them

    const FftLibraries &libraries_;
    Device device_;
    Propagation p_;
    int64_t n_;
    PassPlan passes_;
    float sign_;  // a negative distance takes the conjugates of the field and of the result

    const Variant &row_of(const Form &form) const {
        if (const Variant *variant = libraries_.of_form(device_.backend, form.name)) {
            return *variant;
        }
        throw std::logic_error(
            fmt::format("fresnel: no variant of the form {} for a side of {}", form.name, n_));
    }

    std::function<Array()> factors(LineFactor factor) const {
        return [p = p_, factor] { return line_factors(p, factor); };
    }

    void multiply(Phase phase, double scale) {
        const Variant &variant = row_of(times);
        passes_.step(variant, true,
            [&variant, phase, scale, p = p_](Plan &plan, Device device, const Array &from, Array &to) {
                plan.launch(variant, device)
                    .in("field", from, complex_words(from))
                    .value("number", (int32_t)phase)
                    .value("distance", p.distance_in_wavelengths())
                    .value("frequency_step_squared", p.squared_frequency_step())
                    .value("scale", (float)scale)
                    .out("output", to, complex_words(to));
            });
    }

    // The transform of all rows or columns, between two factors.
    void transform(FieldAxis axis, const Endpoints &endpoints = {}, LineFactor first = LineFactor::ones,
        LineFactor last = LineFactor::ones) {
        passes_.transform(axis, endpoints, {factors(first), factors(last)});
    }

    // What a pass that convolves multiplies spectra by; it is over lines that have `parts` parts.
    using MakeResponse = std::function<FftTable(Plan &, Device, const FftPassLibrary &pass, int64_t parts)>;
    static MakeFftTable response_of(const FftPassLibrary &pass, int64_t parts, const MakeResponse &make) {
        return [&pass, parts, make](Plan &plan, Device device) { return make(plan, device, pass, parts); };
    }

    // All rows or columns: their transform, times the transfer function of `convolution` along the line, and
    // back.
    void convolve(FieldAxis axis) {
        const MakeResponse transfer = [p = p_](Plan &, Device, const FftPassLibrary &pass, int64_t parts) {
            return transfer_response(p, pass, parts);
        };
        if (convolve_whole(axis, transfer) || (axis == columns && convolve_parts(transfer))) {
            return;
        }
        const FftPassKind whole_rows{.lines = Lines::along, .first_factor = true, .last_factor = true};
        if (device_.backend != Backend::cpu && axis == rows && has_pass(n_) &&
            !libraries_.pass(device_, whole_rows, n_, n_)) {
            const Variant &transpose = row_of(transpose_form);
            passes_.transpose(transpose);
            convolve(columns);
            passes_.transpose(transpose);
            return;
        }
        transform(axis, {}, LineFactor::ones, LineFactor::transfer);
        transform(axis, inverse_endpoints);
    }

    // By one pass.
    bool convolve_whole(FieldAxis axis, const MakeResponse &make) {
        const FftPassKind kind{.lines = axis == columns ? Lines::across : Lines::along, .convolves = true};
        const FftPassLibrary *pass = libraries_.pass(device_, kind, n_, n_);
        if (pass && pass->arguments->has_frequencies_in_order()) {
            passes_.pass(
                {.pass = pass, .response = along_line(factors(LineFactor::transfer), {{n_, 1}, {1, n_}})});
        } else if (pass) {
            passes_.pass({.pass = pass, .response = response_of(*pass, 1, make)});
        }
        return pass != nullptr;
    }

    // Columns by three passes over their parts: forward over the first parts, there and back over the second
    // ones, back over the first ones.
    bool convolve_parts(const MakeResponse &make) {
        for (int64_t second = n_ / 2; has_pass(n_) && second >= shortest_pass; second /= 2) {
            const int64_t first = n_ / second;
            const FftPassLibrary *forward =
                libraries_.pass(device_, {.lines = Lines::across, .first_factor = true}, first, n_);
            const FftPassLibrary *both = libraries_.pass(
                device_, {.lines = Lines::across, .twiddled = true, .convolves = true}, second, n_);
            const FftPassLibrary *back =
                libraries_.pass(device_, {.lines = Lines::across, .twiddled = true}, first, n_);
            if (!forward || !both || !back) {
                continue;
            }
            const LineLayout firsts{Division::interleaved, columns, first, second},
                seconds{Division::consecutive, columns, second, first};
            passes_.pass({.pass = forward,
                .reads = firsts,
                .writes = firsts,
                .first = along_line(factors(LineFactor::ones), {{first, second}, {second, 1}})});
            passes_.pass({.pass = both,
                .reads = seconds,
                .writes = seconds,
                .whole_length = n_,
                .response = response_of(*both, first, make)});
            passes_.pass({.pass = back,
                .reads = firsts,
                .writes = firsts,
                .whole_length = n_,
                .endpoints = inverse_endpoints});
            return true;
        }
        return false;
    }

    // All rows, all columns times the transfer function of both axes, all rows back. The transfer function is
    // a table where a library makes one.
    void angular_spectrum() {
        const Variant *table = libraries_.of_form(device_.backend, transfer.name);
        const MakeResponse exact = [p = p_, table](
                                       Plan &plan, Device device, const FftPassLibrary &pass, int64_t parts) {
            return spectrum_response(plan, device, p, pass, parts, *table);
        };
        transform(rows);
        if (!table || !(convolve_whole(columns, exact) || convolve_parts(exact))) {
            transform(columns);
            multiply(Phase::exact, 1 / ((double)n_ * (double)n_));
            transform(columns, inverse_endpoints);
        }
        transform(rows, inverse_endpoints);
    }
};

PassPlan with_phases_in_passes(const Variant &variant, Device device, const FresnelRequest &request) {
    return PropagationPlan(variant, device, request.propagation).fused();
}
PassPlan with_phases_apart(const Variant &variant, Device device, const FresnelRequest &request) {
    return PropagationPlan(variant, device, request.propagation).separate();
}

// Phases apart from the passes are a documented step of the backends that have a transpose. On others their
// library does what no pass does.
PassPlan of_phases(const Variant &variant, Device device, const FresnelRequest &request) {
    const bool is_step = libraries().of_form(variant.backend, transpose_form.name);
    return is_step ? with_phases_apart(variant, device, request) :
                     with_phases_in_passes(variant, device, request);
}

}  // namespace

std::vector<const Form *> fresnel_forms() {
    return {&definition, &pass_of_words, &pass_of_parts, &mixed_form, &transpose_form, &times, &transfer};
}

}  // namespace tilewright
