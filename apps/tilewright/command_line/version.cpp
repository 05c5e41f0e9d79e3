// The versions, and the text of --version.
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/terminal/json.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

const char *const tilewright_version = TILEWRIGHT_VERSION;
const char *const halide_version = TILEWRIGHT_HALIDE_VERSION;
const char *const llvm_version = TILEWRIGHT_LLVM_VERSION;
const char *const commit = TILEWRIGHT_COMMIT;

std::string version_text() {
    return fmt::format(
        "tilewright {} ({})\nHalide {}\nLLVM {}", tilewright_version, commit, halide_version, llvm_version);
}

std::string version_json() {
    return text_of(Json{{"version", 1}, {"tilewright", tilewright_version}, {"commit", commit},
        {"halide", halide_version}, {"llvm", llvm_version},
        {"libraries", Json::parse(TILEWRIGHT_LIBRARIES)}});
}

}  // namespace tilewright::app
