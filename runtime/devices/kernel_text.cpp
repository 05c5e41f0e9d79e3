#include "runtime/devices/kernel_text.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/value_numbers.h"
#include <cstring>
#include <zlib.h>

namespace tilewright::driver {

std::string kernel_text(const char *text) {
    if (std::strncmp(text, deflated_mark.data(), deflated_mark.size()) != 0) {
        return text;
    }
    DeflatedText header;
    std::memcpy(&header, text, sizeof header);
    std::string distances(header.distances_bytes, '\0');
    uLongf bytes = distances.size();
    const auto *stream = reinterpret_cast<const Bytef *>(text + sizeof header);
    // A library of this program is whole, so only missing memory can make zlib fail.
    if (uncompress(reinterpret_cast<Bytef *>(distances.data()), &bytes, stream, header.deflated_bytes) !=
        Z_OK) {
        throw std::bad_alloc();
    }
    return with_numbers(distances, header.text_bytes);
}

}  // namespace tilewright::driver
