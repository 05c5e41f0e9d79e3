// NumPy's .npy.
#include "tilewright/npy.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    fuzz::returns_or_refuses([&] {
        const fuzz::MemoryFile memory(data, size);
        read_npy(memory.path(), {.bytes = fuzz::most_bytes});
    });
    return 0;
}
