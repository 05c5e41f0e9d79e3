// JPEG. The mutator changes, copies and moves whole marker segments besides single bytes.
#include "tests/fuzz/pictures.h"
#include <algorithm>
#include <vector>

namespace {

using tilewright::fuzz::Random;

// Where markers begin; the bytes of a scan have an FF only before a 0 or a marker.
std::vector<size_t> markers_in(const uint8_t *data, size_t size) {
    std::vector<size_t> found;
    for (size_t at = 0; at + 20 < size; at++) {
        if (data[at] == 0xff && data[at + 1] >= 0xc0 && data[at + 1] != 0xff) {
            found.push_back(at);
        }
    }
    return found;
}

size_t copy_segment(uint8_t *data, size_t size, size_t most, size_t from, size_t to, size_t before) {
    const std::vector<uint8_t> segment(data + from, data + to);
    if (size + segment.size() > most) {
        return size;
    }
    std::copy_backward(data + before, data + size, data + size + segment.size());
    std::copy(segment.begin(), segment.end(), data + before);
    return size + segment.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    Random random(seed);
    const std::vector<size_t> markers = markers_in(data, size);
    if (markers.empty() || random.below(2) == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    const size_t at = markers[random.below(markers.size())];
    switch (random.below(5)) {
    case 0: data[at + 1] = (uint8_t)(0xc0 + random.below(63)); break;
    case 1: data[at + 2 + random.below(2)] = (uint8_t)random.edge(); break;  // its length
    case 2: data[at + 4 + random.below(16)] = (uint8_t)random.edge(); break;
    case 3: data[at + 4 + random.below(16)] = (uint8_t)random.below(17); break;  // counts, tables, sampling
    default: {
        const size_t end =
            *std::find_if(markers.begin(), markers.end() - 1, [&](size_t marker) { return marker > at; });
        if (end > at) {
            return copy_segment(data, size, most, at, end, markers[random.below(markers.size())]);
        }
    }
    }
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    fuzz::read_picture(data, size, open_jpeg);
    return 0;
}
