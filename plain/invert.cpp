// The definition of invert as plain loops: output = 255 - input, or 65535 - input of u16, value by value.
#include "plain/elements.h"
#include "tilewright/plain.h"

namespace tilewright::plain {

Array invert(std::span<const Array> inputs, const Settings &, Backend) {
    const Array &image = inputs[0];
    const int greatest = image.type() == Type::u8 ? 255 : 65535;
    std::vector<int> values = elements_of<int>(image);
    for (int &value : values) {
        value = greatest - value;
    }
    return image.type() == Type::u8 ? array_of<uint8_t>(image.shape(), values) :
                                      array_of<uint16_t>(image.shape(), values);
}

}  // namespace tilewright::plain
