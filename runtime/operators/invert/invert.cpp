#include "tilewright/invert.h"
#include "runtime/dispatch/image_operator.h"

namespace tilewright {

const std::vector<Row> &invert_rows();

static const ImageForm form("invert");

const Operator &invert_operator() {
    static const auto &invert =  // never destroyed (inside.h)
        *new ImageOperator("invert", "the negative: 255 minus each value, of 16 bits 65535 minus it",
            invert_rows(), {&form}, ImageOperator::Kind::pointwise);
    return invert;
}

void invert(const Array &image, Array &output, const Call &call) {
    invert_operator()({&image, 1}, output, {}, call);
}

}  // namespace tilewright
