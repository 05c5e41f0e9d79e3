// A generator as people write them for Halide, without Tilewright: `tilewright explore --generator` searches
// its parameters. `threshold` shows what is no schedule: other values give other results.
#include <Halide.h>

enum class Form { rows, tiles };

class Smooth : public Halide::Generator<Smooth> {
public:
    GeneratorParam<Form> form{"form", Form::rows, {{"rows", Form::rows}, {"tiles", Form::tiles}}};
    GeneratorParam<int> height{"height", 1};
    GeneratorParam<int> threshold{"threshold", 3};

    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<int32_t> bias{"bias", 0, -10, 10};
    Output<Buffer<uint8_t, 2>> smooth{"smooth"};

    void generate() {
        Halide::Var x("x"), y("y"), xi("xi"), yi("yi");
        Halide::Func wide("wide"), rows("rows");
        wide(x, y) = Halide::cast<uint16_t>(image(x, y));
        rows(x, y) = wide(x - 1, y) + wide(x, y) + wide(x + 1, y);
        smooth(x, y) = Halide::cast<uint8_t>(
            (rows(x, y) + rows(x, y + 1) + Halide::cast<uint16_t>(bias)) / (2 * threshold));
        const int width = 16;
        if (using_autoscheduler()) {
            image.set_estimates({{-1, 1026}, {0, 1025}});
            bias.set_estimate(0);
            smooth.set_estimates({{0, 1024}, {0, 1024}});
        } else if (get_target().has_gpu_feature()) {
            smooth.gpu_tile(x, y, xi, yi, width, height);
        } else if (form == Form::tiles) {
            smooth.tile(x, y, xi, yi, 4 * width, height).vectorize(xi, width).parallel(y);
        } else {
            smooth.split(y, y, yi, height).vectorize(x, width).parallel(y);
        }
    }
};

HALIDE_REGISTER_GENERATOR(Smooth, smooth)
