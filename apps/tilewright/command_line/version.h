#pragma once
// The versions of what this program was made from. The build sets them.
#include <string>

namespace tilewright::app {

extern const char *const tilewright_version;
extern const char *const halide_version;
extern const char *const llvm_version;
extern const char *const commit;
extern const char *const built_with;  // libraries and their versions, as JSON

// What `--version` prints.
std::string version_text();

// The same as JSON (docs/JSON.md), with the libraries that the program was built with.
std::string version_json();

}  // namespace tilewright::app
