// What variants need of a device, compared with what it has.
#include "runtime/dispatch/choice/kernel_needs.h"
#include "runtime/devices/best_device.h"
#include "runtime/devices/opencl/ptx_memory.h"
#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <tuple>

namespace tilewright {

namespace {

constexpr int any_capability = INT_MAX;

// The most shared memory of a block of the kernels on the device.
int64_t block_memory(const Variant::Needs &needs, const DeviceInfo &info) {
    const bool is_ptx =
        info.device.backend == Backend::opencl && needs.ptx > 0 && needs.ptx <= info.compute_capability;
    return is_ptx ? driver::ptx_memory(info) : info.block_memory;
}

}  // namespace

const DeviceInfo &limits_of(Device device) {
    static const auto &none = *new DeviceInfo([] {
        DeviceInfo info;
        info.compute_capability = any_capability;
        info.block_threads = INT_MAX;
        info.block_memory = INT64_MAX;
        info.fp64 = info.images = info.half = true;
        return info;
    }());
    const DeviceInfo *const info = device.backend == Backend::cpu ? nullptr : usable_info(device);
    return info ? *info : none;
}

std::string why_not_on(const Variant::Needs &needs, const DeviceInfo &info) {
    const auto device = [&] { return info.device.str(); };
    // What the device lacks for all variants comes before its limits, which another variant may keep.
    for (const auto &[needed, has, what] : {std::tuple{needs.fp64, info.fp64, "doubles (fp64)"},
             {needs.images, info.images, "images"}, {needs.half, info.half, "half precision (fp16)"}}) {
        if (needed && !has) {
            return fmt::format("its kernels need {}, which {} does not have", what, device());
        }
    }
    if (needs.threads > info.block_threads) {
        return fmt::format("its blocks have {} threads, and {} takes at most {}", needs.threads, device(),
            info.block_threads);
    }
    if (const int64_t most = block_memory(needs, info); needs.shared_bytes > most) {
        return fmt::format("its blocks take {} bytes of shared memory, and {} has {} per block",
            needs.shared_bytes, device(), most);
    }
    if (needs.capability > info.compute_capability && info.device.backend == Backend::opencl) {
        return fmt::format("its kernels have instructions of NVIDIA's GPUs of compute capability {}.{} and "
                           "newer, which {} does not have",
            needs.capability / 10, needs.capability % 10, device());
    }
    if (needs.capability > info.compute_capability) {
        return fmt::format("its kernels need compute capability {}.{} or newer, and {} has {}; take "
                           "--schedule tuned, or build the libraries for sm_{} where that needs more, too",
            needs.capability / 10, needs.capability % 10, device(), info.capability, info.compute_capability);
    }
    if (needs.only_capability > 0 && needs.only_capability != info.compute_capability &&
        info.compute_capability != any_capability) {
        return fmt::format("its kernels have instructions of compute capability {}.{} alone, and {} has {}; "
                           "take --schedule tuned",
            needs.only_capability / 10, needs.only_capability % 10, device(), info.capability);
    }
    return "";
}

std::string why_not_on(const Variant &variant, const DeviceInfo &info) {
    if (variant.needs_vnni && !cpu_has_vnni()) {
        return "this CPU has no AVX-512 with VNNI and VBMI";
    }
    if (variant.needs.avx2 && !cpu_has_avx2()) {
        return "this CPU has no AVX2";
    }
    return why_not_on(variant.needs, info);
}

std::string why_not_on(const Variant &variant, Device device) {
    return why_not_on(variant, limits_of(device));
}

std::optional<Device> best_device_for(std::span<const Variant *const> variants) {
    const auto any = [&](const auto &is_wanted) {
        return std::ranges::any_of(variants, [&](const Variant *variant) { return is_wanted(*variant); });
    };
    return best_device(
        [&](Backend backend) {
            return any([&](const Variant &variant) { return variant.backend == backend; });
        },
        [&](const DeviceInfo &info) {
            return any([&](const Variant &variant) {
                return variant.backend == info.device.backend && why_not_on(variant, info).empty();
            });
        });
}

}  // namespace tilewright
