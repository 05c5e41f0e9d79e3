// The registry of a build with one operator (cmake/operators.cmake makes those of others).
#include "tilewright/invert.h"

namespace tilewright {

const Operator &invert_operator();

const std::vector<const Operator *> &operators() {
    static const auto &all = *new std::vector<const Operator *>(with_added_operators({&invert_operator()}));
    return all;
}

}  // namespace tilewright
