#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include <cstring>

namespace tilewright {

void copy(const Array &from, Array &to) {
    const auto *source = static_cast<const std::byte *>(from.data());
    const int64_t element = (int64_t)size_of(from.type()), rows = from.dimensions() > 1 ? from.shape()[0] : 1;
    const int64_t bytes = from.size() / rows * element;
    const auto write = [&](std::byte *sink) {
        for (int64_t y = 0; y < rows; y++) {
            memcpy(sink + y * to.strides()[0] * element, source + y * from.strides()[0] * element,
                (size_t)bytes);
        }
    };
    if (to.is_wrapped()) {
        to.storage()->change_wrapped([&](std::byte *begin) { write(begin + to.offset_bytes()); });
    } else {
        const HostWrite held(to);
        write(static_cast<std::byte *>(to.data()));
    }
}

}  // namespace tilewright
