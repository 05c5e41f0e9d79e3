#include "runtime/devices/cuda/embedded_cubins.h"
#include "generators/algorithms/module_text.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <charconv>
#include <mutex>
#include <vector>

namespace tilewright {

namespace {

// The beginning of a line of PTX that is a comment.
constexpr std::string_view options_mark = "// made by ptxas with ";

struct Known {
    std::mutex mutex;
    std::vector<EmbeddedCubin> cubins;  // by key, and the newest capability of a key first
};

Known &known() {
    return immortal([] { return Known(); });
}

bool is_before(const EmbeddedCubin &a, const EmbeddedCubin &b) {
    return a.ptx != b.ptx ? a.ptx < b.ptx : a.capability > b.capability;
}

}  // namespace

bool embed_cubins(std::span<const EmbeddedCubin> cubins) {
    Known &all = known();
    std::lock_guard lock(all.mutex);
    all.cubins.insert(all.cubins.end(), cubins.begin(), cubins.end());
    std::sort(all.cubins.begin(), all.cubins.end(), is_before);
    return true;
}

namespace driver {

std::string module_text(const std::string &ptx, const Variant &variant) {
    const std::string text =
        variant.register_caps.empty() ? ptx : with_register_caps(ptx, variant.register_caps);
    std::string options;
    for (const Variant::Tunable &tunable : variant.tunables) {
        if (tunable.name.starts_with(ptxas_options_begin)) {
            options += tunable.name + "=" + std::to_string(tunable.value) + " ";
        }
    }
    return options.empty() ? text : std::string(options_mark) + options + "\n" + text;
}

bool has_ptxas_options(const std::string &module_text) noexcept {
    return module_text.starts_with(options_mark);
}

int number_of_capability(const std::string &capability) noexcept {
    int major = 0, minor = 0;
    const char *const end = capability.data() + capability.size();
    const char *const point = std::from_chars(capability.data(), end, major).ptr;
    if (point != end) {
        std::from_chars(point + 1, end, minor);
    }
    return 10 * major + minor;
}

const EmbeddedCubin *embedded_cubin_of(const std::string &ptx, const std::string &capability) noexcept {
    Known &all = known();
    std::lock_guard lock(all.mutex);
    if (all.cubins.empty()) {
        return nullptr;
    }
    const int number = number_of_capability(capability);
    const uint64_t key = key_of_module(ptx);
    const auto at = std::lower_bound(
        all.cubins.begin(), all.cubins.end(), EmbeddedCubin{key, number, nullptr, nullptr}, is_before);
    return at != all.cubins.end() && at->ptx == key && at->capability / 10 == number / 10 ? &*at : nullptr;
}

}  // namespace driver

}  // namespace tilewright
