// The text of pipelines, and with it the names, options and values of every operator.
#include "runtime/dispatch/pipelines/pipeline_text.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    const std::string text(reinterpret_cast<const char *>(data), size);
    if (text.find('/') != text.npos) {
        return 0;  // a path: files are other targets, and a device of this machine is none
    }
    fuzz::returns_or_refuses([&] { read_stages(text, {}); });
    return 0;
}
