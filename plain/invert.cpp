// The definition of invert as plain loops: output = 255 - input, byte by byte.
#include "plain/elements.h"
#include "tilewright/plain.h"

namespace tilewright::plain {

Array invert(std::span<const Array> inputs, const Settings &, Backend) {
    std::vector<int> values = elements_of<int>(inputs[0]);
    for (int &value : values) {
        value = 255 - value;
    }
    return array_of<uint8_t>(inputs[0].shape(), values);
}

}  // namespace tilewright::plain
