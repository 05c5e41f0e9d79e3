// PNG. The mutator keeps the checksums of chunks right, without which libpng refuses nearly every change.
#include "tests/fuzz/pictures.h"
#include <zlib.h>

namespace {

uint32_t number_at(const uint8_t *data) {
    return uint32_t(data[0]) << 24 | uint32_t(data[1]) << 16 | uint32_t(data[2]) << 8 | data[3];
}

void write_at(uint8_t *data, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        data[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    using tilewright::fuzz::Random;
    Random random(seed);
    size = LLVMFuzzerMutate(data, size, most);
    if (size > 33 && random.below(8) == 0) {  // the header: sides, bits, colours, interlacing
        write_at(data + 16 + 4 * random.below(2), (uint32_t)random.below(70));
        data[24 + random.below(5)] = (uint8_t)random.below(17);
    }
    if (random.below(16) == 0) {
        return size;  // with wrong checksums
    }
    for (size_t at = 8; at + 12 <= size;) {
        const size_t bytes = number_at(data + at);
        if (bytes > size - at - 12) {
            break;
        }
        write_at(data + at + 8 + bytes, (uint32_t)crc32_z(0, data + at + 4, bytes + 4));
        at += bytes + 12;
    }
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    fuzz::read_picture(data, size, open_png);
    return 0;
}
