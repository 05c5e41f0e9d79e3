// The front: the operator for programs. ImageOperator does all of it for operators from one image to another.
#include "sobel.h"
#include "runtime/dispatch/image_operator.h"
#include "runtime/process/immortal.h"

namespace tilewright {

const std::vector<Variant> &sobel_variants();  // the table, which the generator writes

static constexpr ImageForm form("sobel");  // as the generator is called

const Operator &sobel_operator() {
    return immortal([] {
        return ImageOperator("sobel", "edges: the magnitude of Sobel's gradient", sobel_variants(), {&form},
            ImageOperator::Kind::window);
    });
}

void sobel(const Array &image, Array &output, const Call &call) {
    sobel_operator()({&image, 1}, output, {}, call);
}

}  // namespace tilewright
