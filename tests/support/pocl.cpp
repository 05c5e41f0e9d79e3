#include "tests/support/pocl.h"
#include <dlfcn.h>
#include <iterator>

namespace tilewright {

void compile_quickly_on_pocl() {
    // PoCL has no words for this, but LLVM has, and PoCL's library leads to the LLVM that it uses. A PoCL of
    // another version is not found, and compiles as it always does.
    static const bool done = [] {
        void *pocl = dlopen("libpocl.so.2", RTLD_NOW | RTLD_NOLOAD);
        void *function = pocl ? dlsym(pocl, "LLVMParseCommandLineOptions") : nullptr;
        if (function) {
            const char *const words[] = {"pocl", "-vectorize-slp=false", "-vectorize-loops=false",
                "-unroll-threshold=0", "-disable-lsr", "-instcombine-max-iterations=1", "-regalloc=basic",
                "-enable-misched=false"};
            reinterpret_cast<void (*)(int, const char *const *, const char *)>(function)(
                static_cast<int>(std::size(words)), words, nullptr);
        }
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace tilewright
