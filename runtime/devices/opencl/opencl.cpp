#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/process/immortal.h"
#include "runtime/process/inside.h"
#include "runtime/process/kept_signals.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <sys/uio.h>
#include <unistd.h>

namespace tilewright::driver {

namespace {

// Numbers of the OpenCL standard.
enum : unsigned {
    platform_name = 0x0902,
    platform_extensions = 0x0904,
    device_type = 0x1000,
    device_compute_units = 0x1002,
    device_work_group_size = 0x1004,
    device_image_support = 0x1016,
    device_memory_bytes = 0x101F,
    device_local_memory_bytes = 0x1023,
    device_available = 0x1027,
    device_has_compiler = 0x1028,
    device_name = 0x102B,
    driver_version = 0x102D,
    device_version = 0x102F,
    device_extensions = 0x1030,
    context_platform = 0x1084,
    memory_size = 0x1102,
    memory_context = 0x1106,
    queue_device = 0x1091,
    kernel_name = 0x1190,
    kernel_work_group_size = 0x11B0,
    kernel_local_memory = 0x11B2,
    kernel_preferred_multiple = 0x11B3,
    kernel_private_memory = 0x11B4,
    device_pci_bus_info = 0x410F,      // of cl_khr_pci_bus_info
    nvidia_capability_major = 0x4000,  // of cl_nv_device_attribute_query
    nvidia_capability_minor = 0x4001,
};
constexpr uint64_t type_gpu = 4, all_types = 0xffffffff;

struct PciAddress {  // as OpenCL has it
    unsigned domain = 0, bus = 0, device = 0, function = 0;
};

using AskPlatforms = int(unsigned, void **, unsigned *);
using AskDevices = int(void *, uint64_t, unsigned, void **, unsigned *);
using AskInfo = int(void *, unsigned, size_t, void *, size_t *);

std::string text_of(AskInfo *ask, void *object, unsigned what) {
    size_t bytes = 0;
    if (!ask || ask(object, what, 0, nullptr, &bytes) != 0 || bytes == 0) {
        return "";
    }
    std::string text(bytes, '\0');
    ask(object, what, bytes, text.data(), nullptr);
    text.resize(strlen(text.c_str()));
    return text;
}

// A number that the driver says; where it says none, the given one.
template<typename Number>
Number number_of(AskInfo *ask, void *object, unsigned what, Number number) {
    ask(object, what, sizeof number, static_cast<void *>(&number), nullptr);
    return number;
}

// Why its kernels cannot run there; empty when they can.
std::string why_unusable(const OpenClDevice &d, AskInfo *ask, bool stores_bytes) {
    if (!stores_bytes && d.info.capability.find("OpenCL 1.0") != std::string::npos) {
        return "it cannot store single bytes; an OpenCL 1.1 device can";
    }
    if (!number_of(ask, d.device, device_available, 1u)) {
        return "its driver says that it is not available";
    }
    return number_of(ask, d.device, device_has_compiler, 1u) ? "" : "it has no compiler for kernels";
}

// Kernels without OpenCL C are PTX 8.0 (of CUDA 12.0), which NVIDIA's drivers compile from 525 on. With an
// older driver a device counts as one that no such kernel is for.
constexpr int last_without_ptx = 75;  // compute capability 7.5
bool takes_ptx(const std::string &driver) {
    constexpr int first_driver = 525;
    int number = 0;
    std::from_chars(driver.data(), driver.data() + driver.size(), number);
    return number >= first_driver;
}

// A device that does not answer has the least that the standard allows, but for the threads of a block: of
// its one no variant could run, and a driver refuses a launch that is too large.
OpenClDevice described(void *platform, void *device, int index) {
    const auto ask = opencl<AskInfo>("clGetDeviceInfo");
    std::istringstream words(text_of(ask, device, device_extensions));
    const std::set<std::string> extensions{std::istream_iterator<std::string>(words), {}};
    OpenClDevice d;
    d.platform = platform;
    d.device = device;
    d.info.device = {Backend::opencl, index};
    d.info.name = text_of(ask, device, device_name);
    d.info.platform = text_of(opencl<AskInfo>("clGetPlatformInfo"), platform, platform_name);
    d.info.driver = text_of(ask, device, driver_version);
    d.info.capability = text_of(ask, device, device_version);
    d.info.memory = number_of(ask, device, device_memory_bytes, uint64_t(0));
    d.info.units = (int)number_of(ask, device, device_compute_units, 0u);
    d.info.is_gpu = number_of(ask, device, device_type, uint64_t(0)) & type_gpu;
    d.info.block_threads =
        (int)std::min<size_t>(number_of(ask, device, device_work_group_size, size_t(INT_MAX)), INT_MAX);
    d.info.block_memory = (int64_t)std::min<uint64_t>(
        number_of(ask, device, device_local_memory_bytes, uint64_t(32 * 1024)), INT64_MAX);
    d.info.images = number_of(ask, device, device_image_support, 0u) != 0;
    d.info.fp64 = extensions.contains("cl_khr_fp64");
    d.info.half = extensions.contains("cl_khr_fp16");
    if (extensions.contains("cl_nv_device_attribute_query")) {
        const auto number = [&](unsigned what) { return number_of(ask, device, what, 0u); };
        const auto capability = (int)(10 * number(nvidia_capability_major) + number(nvidia_capability_minor));
        d.info.compute_capability =
            takes_ptx(d.info.driver) ? capability : std::min(capability, last_without_ptx);
    }
    if (extensions.contains("cl_khr_pci_bus_info")) {
        const auto at = number_of(ask, device, device_pci_bus_info, PciAddress());
        char address[32];
        snprintf(address, sizeof address, "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
        d.info.pci_address = address;
    }
    d.info.why_not = why_unusable(d, ask, extensions.contains("cl_khr_byte_addressable_store"));
    d.info.usable = d.info.why_not.empty();
    return d;
}

std::vector<OpenClDevice> find_devices() {
    const KeptSignals kept;
    const FaultNote note(
        "tilewright: a driver of OpenCL crashes when it is loaded; `tilewright doctor` says which one, and "
        "`--device cpu` or TILEWRIGHT_DEVICE=cpu does without OpenCL\n");
    std::vector<OpenClDevice> found;
    const auto platform_ids = opencl<AskPlatforms>("clGetPlatformIDs");
    const auto device_ids = opencl<AskDevices>("clGetDeviceIDs");
    unsigned n = 0;
    if (!platform_ids || !device_ids || platform_ids(0, nullptr, &n) != 0) {
        return found;
    }
    std::vector<void *> platforms(n);
    if (platform_ids(n, platforms.data(), nullptr) != 0) {
        return found;
    }
    for (void *platform : platforms) {
        unsigned count = 0;
        if (device_ids(platform, all_types, 0, nullptr, &count) != 0) {
            continue;
        }
        std::vector<void *> ids(count);
        if (device_ids(platform, all_types, count, ids.data(), nullptr) != 0) {
            continue;
        }
        for (void *id : ids) {
            found.push_back(described(platform, id, (int)found.size()));
        }
    }
    return found;
}

// All devices of all platforms, in the loader's order. They are found once, so that `opencl:1` stays the same
// device.
std::vector<OpenClDevice> &all_devices() {
    return immortal([] { return find_devices(); });
}

// Held while contexts and queues are made.
std::mutex &making() {
    return immortal([] { return std::mutex(); });
}

// The queues that were made, for wait_for_opencl().
std::vector<void *> &queues() {
    return immortal([] { return std::vector<void *>(); });
}

void *new_queue(const OpenClDevice &d) {
    using CreateQueue = void *(void *, void *, uint64_t, int *);
    int error = 0;
    void *queue = opencl<CreateQueue>("clCreateCommandQueue")(d.context, d.device, 0, &error);
    if (queue) {
        queues().push_back(queue);
    }
    return queue;
}

}  // namespace

void *libopencl() {
    static void *library = [] {
        void *found = dlopen("libOpenCL.so.1", RTLD_NOW);
        return found ? found : dlopen("libOpenCL.so", RTLD_NOW);
    }();
    return library;
}

std::vector<DeviceInfo> opencl_devices() {
    std::vector<DeviceInfo> found;
    for (const OpenClDevice &d : all_devices()) {
        found.push_back(d.info);
    }
    if (found.empty()) {
        DeviceInfo none;
        none.device = {Backend::opencl, 0};
        none.name = "none";
        none.why_not = libopencl() ?
                           "the OpenCL loader knows no device; install a vendor's OpenCL, or "
                           "pocl-opencl-icd for the CPU" :
                           "the OpenCL loader libOpenCL.so.1 was not found; install ocl-icd-libopencl1 "
                           "and a vendor's OpenCL";
        found.push_back(none);
    }
    return found;
}

OpenClDevice *opencl_device(int index, bool create) {
    const std::lock_guard lock(making());
    auto &list = all_devices();
    if (index < 0 || index >= (int)list.size()) {
        return nullptr;
    }
    OpenClDevice &d = list[(size_t)index];
    if (!d.queue && create) {
        using CreateContext = void *(const intptr_t *, unsigned, void *const *, void *, void *, int *);
        const auto create_context = opencl<CreateContext>("clCreateContext");
        const intptr_t properties[] = {context_platform, (intptr_t)d.platform, 0};
        int error = 0;
        if (!d.context) {  // an earlier call may have made it, and no queue
            d.context = create_context(properties, 1, &d.device, nullptr, nullptr, &error);
        }
        d.queue = d.context ? new_queue(d) : nullptr;
        if (d.queue) {
            end_drivers_at_exit(wait_for_devices);
        }
    }
    return d.queue ? &d : nullptr;
}

void *new_opencl_queue(int index) {
    const OpenClDevice *d = opencl_device(index, true);
    const std::lock_guard lock(making());
    return d ? new_queue(*d) : nullptr;
}

int launch_and_describe(
    void *queue, void *kernel, const std::function<int()> &launch, KernelLaunch &recorded) {
    const auto finish = opencl<int(void *)>("clFinish");
    finish(queue);
    const auto start = std::chrono::steady_clock::now();
    const int code = launch();
    if (code == 0 && finish(queue) == 0) {
        recorded.ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
    recorded.name = text_of(opencl<AskInfo>("clGetKernelInfo"), kernel, kernel_name);
    void *device = nullptr;
    const auto ask_queue = opencl<AskInfo>("clGetCommandQueueInfo");
    const auto ask =
        opencl<int(void *, void *, unsigned, size_t, void *, size_t *)>("clGetKernelWorkGroupInfo");
    if (!ask || !ask_queue || ask_queue(queue, queue_device, sizeof device, (void *)&device, nullptr) != 0) {
        return code;
    }
    const auto number = [&]<typename Number>(unsigned what, Number value) -> std::optional<int64_t> {
        const bool said = ask(kernel, device, what, sizeof value, &value, nullptr) == 0;
        return said ? std::optional<int64_t>((int64_t)value) : std::nullopt;
    };
    recorded.most_threads = number(kernel_work_group_size, size_t());
    recorded.preferred_multiple = number(kernel_preferred_multiple, size_t());
    recorded.shared_bytes = number(kernel_local_memory, uint64_t());
    recorded.spill_bytes = number(kernel_private_memory, uint64_t());
    return code;
}

// Whether `number` may be the address of an object of the platform that made `known`. Drivers trust every
// address that they are given, and crash at a wrong one. But all objects of a platform with cl_khr_icd begin
// with the same pointer, and the system reads an address that may be wrong without a crash.
static bool may_be_object(uint64_t number, void *known, void *platform) {
    if (number == 0 || number % alignof(void *) != 0) {
        return false;
    }
    const std::string extensions =
        text_of(opencl<AskInfo>("clGetPlatformInfo"), platform, platform_extensions);
    if (extensions.find("cl_khr_icd") == std::string::npos) {
        return true;
    }
    void *table = nullptr;
    const iovec to{static_cast<void *>(&table), sizeof table},
        from{reinterpret_cast<void *>(number), sizeof table};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)sizeof table) {
        return errno != EFAULT;  // some systems forbid the question
    }
    return table == *static_cast<void **>(known);
}

std::optional<size_t> bytes_of_cl_mem(int index, uint64_t memory) {
    const OpenClDevice *device = opencl_device(index, true);
    const auto ask = opencl<AskInfo>("clGetMemObjectInfo");
    if (!ask || !device || !device->context || !may_be_object(memory, device->context, device->platform)) {
        return {};
    }
    size_t bytes = 0;
    void *context = nullptr, *const object = reinterpret_cast<void *>(memory);
    const bool known =
        ask(object, memory_context, sizeof context, static_cast<void *>(&context), nullptr) == 0 &&
        ask(object, memory_size, sizeof bytes, &bytes, nullptr) == 0;
    return known && context == device->context ? std::optional(bytes) : std::nullopt;
}

void wait_for_opencl() {
    for (void *queue : queues()) {
        opencl<int(void *)>("clFinish")(queue);
    }
}

}  // namespace tilewright::driver
