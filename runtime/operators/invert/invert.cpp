// The front of invert.
#include "tilewright/invert.h"
#include "runtime/dispatch/image_operator.h"
#include "runtime/process/immortal.h"

namespace tilewright {

const std::vector<Variant> &invert_variants();

static constexpr ImageForm form("invert");

const Operator &invert_operator() {
    return immortal([] {
        return ImageOperator("invert", "the negative: 255 minus each value, of 16 bits 65535 minus it",
            invert_variants(), {&form}, ImageOperator::Kind::pointwise);
    });
}

void invert(const Array &image, Array &output, const Call &call) {
    invert_operator()({&image, 1}, output, {}, call);
}

}  // namespace tilewright
