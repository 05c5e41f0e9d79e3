// Numbers as text.
#include "runtime/files/readers.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    fuzz::returns_or_refuses([&] {
        const fuzz::MemoryFile memory(data, size);
        InputFile file(memory.path());
        bool is_one_line = false;
        const Array numbers = read_text(file, {.bytes = fuzz::most_bytes}, is_one_line);
        fuzz::require(numbers.type() == Type::f64, "numbers of text are f64");
    });
    return 0;
}
