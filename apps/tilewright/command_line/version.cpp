// The versions, and the text of --version.
#include "apps/tilewright/command_line/version.h"
#include <fmt/format.h>

namespace tilewright::app {

const char *const tilewright_version = TILEWRIGHT_VERSION;
const char *const halide_version = TILEWRIGHT_HALIDE_VERSION;
const char *const llvm_version = TILEWRIGHT_LLVM_VERSION;
const char *const commit = TILEWRIGHT_COMMIT;

std::string version_text() {
    return fmt::format(
        "tilewright {} ({})\nHalide {}\nLLVM {}", tilewright_version, commit, halide_version, llvm_version);
}

}  // namespace tilewright::app
