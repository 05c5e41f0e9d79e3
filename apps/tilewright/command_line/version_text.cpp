// The text of --version.
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/terminal/json.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

std::string version_text() {
    return fmt::format(
        "tilewright {} ({})\nHalide {}\nLLVM {}", tilewright_version, commit, halide_version, llvm_version);
}

std::string version_json() {
    return text_of(Json{{"version", 1}, {"tilewright", tilewright_version}, {"commit", commit},
        {"halide", halide_version}, {"llvm", llvm_version}, {"libraries", Json::parse(built_with)}});
}

}  // namespace tilewright::app
