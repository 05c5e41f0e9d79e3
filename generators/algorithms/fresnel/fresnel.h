#pragma once
// The definition of fresnel: the propagation of light, by one of three methods.
//
// The methods are those of J. Goodman, "Introduction to Fourier Optics", chapters 3 to 5.
#include "generators/algorithms/fft2d/fft2d.h"
#include "generators/algorithms/fresnel/phases.h"

namespace tilewright {

// The field at a distance z, for samples p apart. All lengths are in wavelengths. `method` is
//     0, transform           out = p^2 / (i z) exp(i pi (x'^2 + y'^2) / z)
//                                  sum of in exp(i pi (x^2 + y^2) / z) exp(-2 pi i (x x' + y y') / z)
//                            at x' = k |z| / (n p): one Fourier transform, for z < 0 the inverse one
//     1, convolution         H = exp(-i pi z (fx^2 + fy^2)) between a transform and its inverse
//     2, angular spectrum    H = exp(2 pi i z (sqrt(1 - fx^2 - fy^2) - 1)), 0 where the root is imaginary
struct Fresnel : Halide::NamesInterface {
    static constexpr const char *name = "fresnel";
    Var x{"x"}, y{"y"};
    Func first{"first"}, last{"last"}, response{"response"}, product{"product"}, out{"out"};
    Fft2d forward, back;

    // Complex numbers are Tuples of two f32. `lines`: of the transforms, along either axis.
    Fresnel(Func in, const Fft2d::Lines &lines, const FresnelPhases &phases, Expr method)
        : forward(before(in, phases, method), lines, lines,
              select(method == 0 && phases.distance < 0, -1.0f, 1.0f), 1.0f),
          back(after(phases, method), lines, lines, -1.0f,
              1 / (cast<float>(phases.n) * cast<float>(phases.n))) {
        out(x, y) = select(method == 0, Tuple(last(x, y)), Tuple(back.out(x, y)));
    }

private:
    // The input, which `transform` multiplies by its first phase.
    Func before(Func in, const FresnelPhases &phases, Expr method) {
        first(x, y) = select(
            method == 0, FresnelPhases::product(in(x, y), phases.before(x, y).value()), Tuple(in(x, y)));
        return first;
    }

    // The transformed field times the last phase, and the transformed field times H.
    Func after(const FresnelPhases &phases, Expr method) {
        last(x, y) = FresnelPhases::product(forward.out(x, y), phases.after(x, y).value());
        response(x, y) = select(method == 1, phases.paraxial(x, y), phases.exact(x, y)).value();
        product(x, y) = FresnelPhases::product(forward.out(x, y), response(x, y));
        return product;
    }
};

}  // namespace tilewright
