#pragma once
// The phases of Fresnel diffraction, and the forms of fresnel that multiply by them or tabulate them. Rows of
// the forms: passes, and tuned on GPUs (the table) and CPUs.
#include "Halide.h"
#include <cmath>

namespace tilewright {

// A factor of a field: scale exp(2 pi i revolutions). It is computed in f64, and whole revolutions are
// subtracted first.
struct Phase {
    Halide::Expr revolutions, scale;

    Halide::Tuple value() const {
        const Halide::Expr angle = Halide::Expr(2 * M_PI) * (revolutions - round(revolutions));
        return Halide::Tuple(
            Halide::cast<float>(scale * cos(angle)), Halide::cast<float>(scale * sin(angle)));
    }
};

inline Phase select(const Halide::Expr &condition, const Phase &yes, const Phase &no) {
    return {Halide::select(condition, yes.revolutions, no.revolutions),
        Halide::select(condition, yes.scale, no.scale)};
}

// The phases at sample (x, y) of n x n. Lengths are in wavelengths: the distance z, and the distance p
// between samples. The distance between frequencies is 1 / (n p); `frequency_step_squared` is its square.
struct FresnelPhases {
    using Expr = Halide::Expr;
    using Tuple = Halide::Tuple;

    Expr n, distance, frequency_step_squared;

    // exp(i pi (x^2 + y^2) / z), where x and y are counted from the centre, sample n / 2. The transform
    // counts from sample 0, and a shift by n / 2 is a phase that grows from sample to sample. Both change
    // their sign with that of z.
    Phase before(Expr x, Expr y) const {
        return {centred(x, y) * scale() / 2 + direction() * shift(x + y), Expr(1.0)};
    }

    // p^2 / (i z) exp(i pi (x'^2 + y'^2) / z), with x' = k |z| / (n p)
    Phase after(Expr x, Expr y) const {
        return {distance * frequency_step_squared * centred(x, y) / 2 - Expr(.25) +
                    direction() * shift(x + y - 2 * (n / 2)),
            scale()};
    }

    // exp(-i pi z (fx^2 + fy^2)). The later half of the frequencies is negative.
    Phase paraxial(Expr x, Expr y) const {
        return {-distance * squares(x, y) / 2, Expr(1.0)};
    }

    // exp(2 pi i z (sqrt(1 - fx^2 - fy^2) - 1)), computed without cancellation; 0 where the root is
    // imaginary.
    Phase exact(Expr x, Expr y) const {
        const Expr f = squares(x, y);
        return {
            -distance * f / (1 + sqrt(max(1 - f, Expr(0.0)))), Halide::select(f <= 1, Expr(1.0), Expr(0.0))};
    }

    // a b
    static Tuple product(const Tuple &a, const Tuple &b) {
        return Tuple(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]);
    }

private:
    static Expr square(Expr k) {
        return Halide::cast<double>(k * k);
    }
    Expr direction() const {
        return Halide::select(distance < 0, Expr(-1.0), Expr(1.0));
    }
    // In revolutions.
    Expr shift(Expr samples) const {
        return Halide::cast<double>(samples * (n / 2) % n) / Halide::cast<double>(n);
    }
    Expr scale() const {
        return 1 / (square(n) * frequency_step_squared * distance);
    }
    Expr centred(Expr x, Expr y) const {
        return square(x - n / 2) + square(y - n / 2);
    }
    Expr squares(Expr x, Expr y) const {
        return frequency_step_squared * (square(Halide::select(x < (n + 1) / 2, x, x - n)) +
                                            square(Halide::select(y < (n + 1) / 2, y, y - n)));
    }
};

// A form of fresnel: a field times one of the phases, by its number, times `scale`. It is a step of its own
// between transforms.
struct FresnelTimes : Halide::NamesInterface {
    static constexpr const char *name = "fresnel_times";
    enum Number { before, after, paraxial, exact };
    Var x{"x"}, y{"y"};
    Func phase{"phase"}, out{"out"};

    FresnelTimes(Func in, const FresnelPhases &phases, Expr number, Expr scale) {
        const Phase first = select(number == before, phases.before(x, y), phases.after(x, y)),
                    response = select(number == paraxial, phases.paraxial(x, y), phases.exact(x, y));
        phase(x, y) = select(number < paraxial, first, response).value();
        const Tuple times = FresnelPhases::product(in(x, y), phase(x, y));
        out(x, y) = Tuple(times[0] * scale, times[1] * scale);
    }
};

// A form of fresnel: H of the angular spectrum at (x, order(y)), times `scale`. It is a table for transforms
// that read the frequencies in another order.
struct FresnelTransfer : Halide::NamesInterface {
    static constexpr const char *name = "fresnel_transfer";
    Var x{"x"}, y{"y"};
    Func out{"out"};

    FresnelTransfer(Func order, const FresnelPhases &phases, Expr scale) {
        const Tuple value = phases.exact(x, order(y)).value();
        out(x, y) = Tuple(value[0] * scale, value[1] * scale);
    }
};

}  // namespace tilewright
