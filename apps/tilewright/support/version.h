#pragma once
#include <string>

// What this program was made of; the values come from the build.
namespace tilewright::app {

extern const char *const tilewright_version;
extern const char *const halide_version;
extern const char *const llvm_version;
extern const char *const commit;

// What `--version` prints: the versions, and the devices of this machine.
std::string version_text();

}  // namespace tilewright::app
