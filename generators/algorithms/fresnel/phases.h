#pragma once
#include "Halide.h"
#include <cmath>

namespace tilewright {

// A factor of a field: scale exp(2 pi i turns), formed in f64 without the whole turns.
struct Phase {
    Halide::Expr turns, scale;

    Halide::Tuple value() const {
        const Halide::Expr angle = Halide::Expr(2 * M_PI) * (turns - round(turns));
        return Halide::Tuple(Halide::cast<float>(scale * cos(angle)), Halide::cast<float>(scale * sin(angle)));
    }
};

inline Phase select(const Halide::Expr &condition, const Phase &yes, const Phase &no) {
    return {Halide::select(condition, yes.turns, no.turns), Halide::select(condition, yes.scale, no.scale)};
}

// The phases of Fresnel diffraction at sample (x, y) of n x n. Lengths are in wavelengths: the distance z, and grain = (1 / (n p))^2
// for samples p apart.
struct FresnelPhases {
    using Expr = Halide::Expr;
    using Tuple = Halide::Tuple;

    Expr n, distance, grain;

    // exp(i pi (x^2 + y^2) / z), counted from the centre, element n / 2. The FFT counts from element 0: what is shifted by n / 2 changes its
    // sign from sample to sample.
    Phase before(Expr x, Expr y) const {
        return {centred(x, y) * scale() / 2, sign(x, y)};
    }

    // p^2 / (i z) exp(i pi (x'^2 + y'^2) / z), with x' = k |z| / (n p)
    Phase after(Expr x, Expr y) const {
        return {distance * grain * centred(x, y) / 2 - Expr(.25), sign(x, y) * scale()};
    }

    // exp(-i pi z (fx^2 + fy^2)); the frequencies from n / 2 on are negative.
    Phase paraxial(Expr x, Expr y) const {
        return {-distance * squares(x, y) / 2, Expr(1.0)};
    }

    // exp(2 pi i z (sqrt(1 - fx^2 - fy^2) - 1)), without cancellation; 0 where the root is imaginary.
    Phase exact(Expr x, Expr y) const {
        const Expr f = squares(x, y);
        return {-distance * f / (1 + sqrt(max(1 - f, Expr(0.0)))), Halide::select(f <= 1, Expr(1.0), Expr(0.0))};
    }

    // a b
    static Tuple product(const Tuple &a, const Tuple &b) {
        return Tuple(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]);
    }

private:
    static Expr square(Expr k) {
        return Halide::cast<double>(k * k);
    }
    static Expr sign(Expr x, Expr y) {
        return Halide::select((x + y) % 2 == 0, Expr(1.0), Expr(-1.0));
    }
    Expr scale() const {
        return 1 / (square(n) * grain * distance);
    }
    Expr centred(Expr x, Expr y) const {
        return square(x - n / 2) + square(y - n / 2);
    }
    Expr squares(Expr x, Expr y) const {
        return grain * (square(Halide::select(x < n / 2, x, x - n)) + square(Halide::select(y < n / 2, y, y - n)));
    }
};

// A field times one of the phases, by its number, times `scale`: a step of its own between transforms.
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

// H of the angular spectrum at (x, order(y)), times `scale`: a table for transforms that meet the frequencies in another order.
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
