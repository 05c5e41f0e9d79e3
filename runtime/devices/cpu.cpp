#include "runtime/devices/cpu.h"
#include "runtime/devices/memory/host_memory.h"
#include "runtime/process/environment.h"
#include <HalideRuntime.h>
#include <cpuid.h>
#include <fstream>
#include <string>
#include <thread>

namespace tilewright {

namespace {

enum class InstructionSets { oldest, avx2, all };

// What TILEWRIGHT_INSTRUCTION_SET allows. Read once: Halide asks once per library, and keeps the answer.
InstructionSets allowed_sets() {
    static const InstructionSets allowed = [] {
        const std::string word = environment_value("TILEWRIGHT_INSTRUCTION_SET");
        return word == "x86-64" ? InstructionSets::oldest :
               word == "avx2"   ? InstructionSets::avx2 :
                                  InstructionSets::all;
    }();
    return allowed;
}

bool has_avx512() {
    __builtin_cpu_init();
    return allowed_sets() == InstructionSets::all && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
}

}  // namespace

namespace driver {

DeviceInfo cpu_device() {
    DeviceInfo d;
    d.device = {Backend::cpu, 0};
    d.name = "CPU";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            d.name = line.substr(line.find(':') + 2);
            break;
        }
    }
    d.driver = "Halide threads";
    d.memory = installed_memory();
    d.units = (int)std::thread::hardware_concurrency();
    d.capability = cpu_has_vnni() ? "AVX-512 VNNI" :
                   has_avx512()   ? "AVX-512" :
                   cpu_has_avx2() ? "AVX2" :
                                    "x86-64";
    d.usable = true;
    return d;
}

int can_use_features(int count, const uint64_t *features) {
    const auto has = [&](int feature) {
        return feature / 64 < count && (features[feature / 64] >> feature % 64 & 1) != 0;
    };
    const bool is_forbidden = (allowed_sets() != InstructionSets::all && has(halide_target_feature_avx512)) ||
                              (allowed_sets() == InstructionSets::oldest && has(halide_target_feature_avx));
    return is_forbidden ? 0 : halide_default_can_use_target_features(count, features);
}

}  // namespace driver

// clang's __builtin_cpu_supports() knows the word f16c since its version 15. Asked once: under a hypervisor
// the instruction CPUID takes microseconds, more than a call on a small image.
static bool has_f16c() {
    static const bool has = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
    }();
    return has;
}

bool cpu_has_avx2() {
    __builtin_cpu_init();
    return allowed_sets() != InstructionSets::oldest && __builtin_cpu_supports("avx") &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

bool cpu_has_vnni() {
    return has_avx512() && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512ifma") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("avx512bf16");
}

}  // namespace tilewright
