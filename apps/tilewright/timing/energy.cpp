#include "apps/tilewright/timing/energy.h"
#include <dlfcn.h>

namespace tilewright::app {

namespace {

// NVML's functions return 0 where they succeed. Null where its library, or its initialization, is missing.
template<typename F>
F *nvml(const char *name) {
    static void *const library = [] {
        void *const opened = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        auto *const init = opened ? reinterpret_cast<int (*)()>(dlsym(opened, "nvmlInit_v2")) : nullptr;
        return init && init() == 0 ? opened : nullptr;
    }();
    return library ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
}

}  // namespace

std::optional<double> energy_mj(Device device) {
    const std::string &address = device_info(device).pci_address;
    const auto handle_of = nvml<int(const char *, void **)>("nvmlDeviceGetHandleByPciBusId_v2");
    const auto energy_of = nvml<int(void *, unsigned long long *)>("nvmlDeviceGetTotalEnergyConsumption");
    void *handle = nullptr;
    unsigned long long used = 0;
    const bool known = !address.empty() && handle_of && energy_of &&
                       handle_of(address.c_str(), &handle) == 0 && energy_of(handle, &used) == 0;
    return known ? std::optional((double)used) : std::nullopt;
}

}  // namespace tilewright::app
