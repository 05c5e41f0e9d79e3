// A generator of one's own around stages: what is blurred and turned goes on into Funcs that Tilewright does
// not know.
#include "generators/pipelines/pipeline.h"

namespace {

// output(x, y) = |soft(x, y) - soft(x, y + 1)|, soft the blurred image, turned; the last row is 0.
class Edges : public Halide::Generator<Edges> {
public:
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        image.dim(0).set_min(0);
        image.dim(1).set_min(0);
        tilewright::Stages stages("gaussian_blur sigma=1.5 | transpose", "u8");
        const tilewright::Flow soft = stages.compose(image, image.width(), image.height(), get_target());

        Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
        const Expr next = min(y + 1, soft.height - 1);
        output(x, y) = absd(soft.rows(x, y), soft.rows(x, next));

        stages.schedule();
        if (get_target().has_gpu_feature()) {
            output.gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::GuardWithIf);
        } else {
            output.vectorize(x, 16, TailStrategy::GuardWithIf);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Edges, edges)
