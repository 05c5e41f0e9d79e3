// The versions, and the text of --version.
#include "apps/tilewright/command_line/version.h"
#include "tilewright/device.h"
#include <fmt/format.h>

namespace tilewright::app {

const char *const tilewright_version = TILEWRIGHT_VERSION;
const char *const halide_version = TILEWRIGHT_HALIDE_VERSION;
const char *const llvm_version = TILEWRIGHT_LLVM_VERSION;
const char *const commit = TILEWRIGHT_COMMIT;

std::string version_text() {
    std::string text = fmt::format(
        "tilewright {} ({})\nHalide {}\nLLVM {}\n", tilewright_version, commit, halide_version, llvm_version);
    for (const DeviceInfo &info : devices()) {
        text += info.usable ? fmt::format("{}: {}, {}\n", info.device.str(), info.name, info.driver) :
                              fmt::format("{}: not usable: {}\n", info.device.str(), info.why_not);
    }
    text.pop_back();
    return text;
}

}  // namespace tilewright::app
