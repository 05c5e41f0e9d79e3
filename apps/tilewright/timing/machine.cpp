// Reads date, clock, caches and load from the system.
#include "apps/tilewright/timing/machine.h"
#include "apps/tilewright/command_line/version.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace tilewright::app {

namespace {

// The clock of the CPU as the kernel last saw it; 0 where the kernel does not say.
double cpu_mhz() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("cpu MHz")) {
            return strtod(line.c_str() + line.find(':') + 1, nullptr);
        }
    }
    return 0;
}

int64_t cache(int name) {
    return std::max<int64_t>(0, sysconf(name));
}

// The time now, in UTC: "2026-11-22T12:34:56Z".
std::string date() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    char text[32];
    return {text, std::strftime(text, sizeof text, "%FT%TZ", gmtime_r(&now, &utc))};
}

// The system, its kernel and the instruction set: "Linux 6.1.0 x86_64, 16 CPUs".
std::string machine() {
    utsname names{};
    uname(&names);
    return fmt::format("{} {} {}, {} CPUs", names.sysname, names.release, names.machine,
        std::thread::hardware_concurrency());
}

}  // namespace

int64_t last_level_cache() {
    for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
        if (cache(level) > 0) {
            return cache(level);
        }
    }
    return 32 << 20;
}

Json context(const std::vector<Device> &asked) {
    double load[3] = {0, 0, 0};
    const int loads = getloadavg(load, 3);
    Json all = Json::array();
    for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        const auto is_of_backend = [&](const Device &device) { return device.backend == backend; };
        if (!asked.empty() && backend != Backend::cpu &&
            std::none_of(asked.begin(), asked.end(), is_of_backend)) {
            continue;
        }
        for (const DeviceInfo &info : devices(backend)) {
            all.push_back(json(info));
        }
    }
    return {{"date", date()}, {"tilewright", tilewright_version}, {"commit", commit},
        {"halide", halide_version}, {"llvm", llvm_version}, {"num_cpus", std::thread::hardware_concurrency()},
        {"mhz_per_cpu", cpu_mhz()},
        {"caches", {{"L1d", cache(_SC_LEVEL1_DCACHE_SIZE)}, {"L2", cache(_SC_LEVEL2_CACHE_SIZE)},
                       {"L3", cache(_SC_LEVEL3_CACHE_SIZE)}}},
        {"load_avg", std::vector<double>(load, load + std::max(0, loads))}, {"devices", all}};
}

Json short_context(Device device) {
    const DeviceInfo &info = device_info(device);
    return {{"date", date()}, {"tilewright", tilewright_version}, {"commit", commit},
        {"halide", halide_version}, {"device_name", info.name}, {"driver", info.driver},
        {"machine", machine()}};
}

}  // namespace tilewright::app
