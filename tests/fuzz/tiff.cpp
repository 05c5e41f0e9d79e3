// TIFF, and BigTIFF. The mutator changes entries of the first directory besides single bytes.
#include "tests/fuzz/pictures.h"

namespace {

using tilewright::fuzz::Random;

// The numbers of a TIFF file, in its order of bytes.
struct Numbers {
    uint8_t *data;
    size_t size;
    bool little, big;  // the least byte is first; BigTIFF

    uint64_t get(size_t at, int bytes) const {
        uint64_t value = 0;
        for (int i = 0; i < bytes && at + i < size; i++) {
            value |= uint64_t(data[at + i]) << 8 * (little ? i : bytes - 1 - i);
        }
        return value;
    }
    void set(size_t at, int bytes, uint64_t value) const {
        for (int i = 0; i < bytes && at + i < size; i++) {
            data[at + i] = (uint8_t)(value >> 8 * (little ? i : bytes - 1 - i));
        }
    }
};

constexpr uint16_t tags[] = {254, 256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279, 282, 283, 284, 290,
    292, 296, 301, 317, 320, 322, 323, 324, 325, 330, 332, 338, 339, 340, 341, 347, 512, 513, 514, 529, 530,
    531, 532, 33432, 34665, 34675};
constexpr uint16_t compressions[] = {1, 2, 3, 4, 5, 6, 7, 8, 32766, 32771, 32773, 32809, 32908, 32946, 34676,
    34677, 34887, 34925, 50000, 50001};

void change_entry(const Numbers &file, size_t entry, Random &random) {
    const size_t count = entry + 4, value = entry + (file.big ? 12 : 8);
    const int width = file.big ? 8 : 4;
    switch (random.below(6)) {
    case 0: file.set(entry, 2, tags[random.below(std::size(tags))]); break;
    case 1: file.set(entry + 2, 2, random.below(20)); break;
    case 2: file.set(count, width, random.edge()); break;
    case 3: file.set(value, random.below(2) ? 2 : width, random.edge()); break;
    case 4: file.set(value, random.below(2) ? 2 : 4, random.below(65536)); break;
    default:
        file.set(value, 2,
            file.get(entry, 2) == 259 ? compressions[random.below(std::size(compressions))] :
                                        random.below(12));
    }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    Random random(seed);
    if (size < 16 || random.below(2) == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    const bool little = data[0] == 'I';
    const Numbers file = {data, size, little, data[little ? 2 : 3] == 43};
    const size_t directory = file.big ? file.get(8, 8) : file.get(4, 4);
    const size_t entries = file.get(directory, file.big ? 8 : 2);
    if (directory >= size || entries == 0 || entries > 200) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (size_t i = 0; i <= random.below(3); i++) {
        const size_t number = random.below(entries);
        change_entry(file, directory + (file.big ? 8 + 20 * number : 2 + 12 * number), random);
    }
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    fuzz::read_picture(data, size, open_tiff);
    return 0;
}
