#include "tilewright/invert.h"
#include "runtime/dispatch/image_operator.h"

namespace tilewright {

const std::vector<Row> &invert_rows();

const Operator &invert_operator() {
    static const auto &invert =  // never destroyed (inside.h)
        *new ImageOperator("invert", "the negative of every channel, alpha too: output = 255 - input",
            invert_rows(), ImageOperator::Kind::pointwise);
    return invert;
}

void invert(const Array &image, Array &output, const Call &call) {
    invert_operator()({&image, 1}, output, {}, call);
}

}  // namespace tilewright
