// The versions. The build sets them, and compiles this file for each commit: it includes next to nothing.
#include "apps/tilewright/command_line/version.h"

namespace tilewright::app {

const char *const tilewright_version = TILEWRIGHT_VERSION;
const char *const halide_version = TILEWRIGHT_HALIDE_VERSION;
const char *const llvm_version = TILEWRIGHT_LLVM_VERSION;
const char *const commit = TILEWRIGHT_COMMIT;
const char *const built_with = TILEWRIGHT_LIBRARIES;

}  // namespace tilewright::app
