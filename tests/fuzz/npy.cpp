// NumPy's .npy.
#include "runtime/files/readers.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    fuzz::returns_or_refuses([&] {
        const fuzz::MemoryFile memory(data, size);
        InputFile file(memory.path());
        read_npy(file, {.bytes = fuzz::most_bytes}, Array::uninitialized);
    });
    return 0;
}
