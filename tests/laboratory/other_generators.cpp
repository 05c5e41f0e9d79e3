// Generators with what the one of examples/any_generator does not have: a definition without a schedule, four
// dimensions, interleaved colours, and two outputs.
#include <Halide.h>

namespace {

using Halide::Var;

// The same as `smooth` with its own values.
class Plain : public Halide::Generator<Plain> {
public:
    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<int32_t> bias{"bias", 0, -10, 10};
    Output<Buffer<uint8_t, 2>> smooth{"smooth"};

    void generate() {
        Var x("x"), y("y");
        Halide::RDom window(-1, 3, 0, 2);
        Halide::Func sum("sum");
        sum(x, y) += Halide::cast<uint16_t>(image(x + window.x, y + window.y));
        smooth(x, y) = Halide::cast<uint8_t>((sum(x, y) + Halide::cast<uint16_t>(bias)) / 6);
    }
};

class Volumes : public Halide::Generator<Volumes> {
public:
    GeneratorParam<bool> vectors{"vectors", false};
    Input<Buffer<float, 4>> volumes{"volumes"};
    Output<Buffer<float, 4>> steps{"steps"};

    void generate() {
        Var x("x"), y("y"), z("z"), t("t"), b("b"), i("i");
        steps(x, y, z, t) = volumes(x, y, z, t + 1) - volumes(x + 1, y, z, t);
        if (using_autoscheduler()) {
            volumes.set_estimates({{0, 41}, {0, 30}, {0, 5}, {0, 4}});
        } else if (get_target().has_gpu_feature()) {
            steps.gpu_tile(x, y, b, i, 16, 4);
        } else if (vectors) {
            steps.vectorize(x, 8);
        }
        steps.set_estimates({{0, 40}, {0, 30}, {0, 5}, {0, 3}});
    }
};

class Colours : public Halide::Generator<Colours> {
public:
    GeneratorParam<bool> unrolled{"unrolled", false};
    Input<Buffer<uint8_t, 3>> picture{"picture"};
    Output<Buffer<uint8_t, 3>> half{"half"};

    void generate() {
        Var x("x"), y("y"), c("c");
        half(x, y, c) = picture(x, y, c) / 2 + picture(x, y + 1, 2 - c) / 2;
        const int colours = 3;
        picture.dim(0).set_stride(colours).dim(2).set_stride(1).set_bounds(0, colours);
        half.dim(0).set_stride(colours).dim(2).set_stride(1).set_bounds(0, colours);
        half.reorder(c, x, y);
        if (unrolled) {
            half.unroll(c);
        }
    }
};

class Both : public Halide::Generator<Both> {
public:
    Input<Buffer<uint8_t, 1>> values{"values"};
    Output<Buffer<uint8_t, 1>> first{"first"}, second{"second"};

    void generate() {
        Var x("x");
        first(x) = values(x);
        second(x) = values(x) + values(x + 1);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Plain, plain)
HALIDE_REGISTER_GENERATOR(Volumes, volumes)
HALIDE_REGISTER_GENERATOR(Colours, colours)
HALIDE_REGISTER_GENERATOR(Both, both)
