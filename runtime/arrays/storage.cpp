#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace tilewright {

namespace {

// A size in MiB, from 1 GiB on in GiB: smaller sizes would read 0.0 GiB.
std::string size_text(size_t bytes) {
    constexpr size_t gib = size_t(1) << 30;
    return bytes < gib ? fmt::format("{:.1f} MiB", (double)bytes / (1 << 20)) :
                         fmt::format("{:.1f} GiB", (double)bytes / gib);
}

[[noreturn]] void refuse_host_copy(size_t bytes) {
    throw Error(Fault::memory,
        fmt::format("{} of host memory cannot be had; use smaller data", size_text(bytes)),
        {.operation = "copy to the host"});
}

}  // namespace

// The memory is 64 bytes longer than the storage: a vector that begins in the last bytes stays in it.
Storage::Storage(MemoryLayout layout, bool zeroed, driver::HostMemory &from)
    : layout_(layout), bytes_(padded_bytes(layout.rows * layout.pitch)), memory_(&from) {
    const Inside inside;
    const size_t installed = driver::installed_memory();
    const auto [memory, is_zero] = bytes_ > installed ? driver::HostMemory::Block{} : from.take(bytes_ + 64);
    if (memory == nullptr) {
        throw Error(
            Fault::memory, fmt::format("{} of host memory cannot be had (installed: {}); use smaller data",
                               size_text(bytes_), size_text(installed)));
    }
    if (zeroed && !is_zero) {
        memset(memory, 0, bytes_);
    }
    begin_ = memory;
    describe();
}

Storage::Storage(MemoryLayout layout, void *data, bool is_const)
    : begin_(static_cast<std::byte *>(data)), layout_(layout),
      bytes_((layout.rows - 1) * layout.pitch + layout.row), const_(is_const) {
    describe();
}

// Errors: usage, where it is no buffer of the library's context, or a smaller one.
static void check_cl_mem(Device device, uint64_t memory, size_t bytes) {
    const std::optional<size_t> has = driver::bytes_of_cl_mem(device.index, memory);
    if (!has) {
        throw Error(Fault::usage, "it is no cl_mem of the library's own context on this device",
            {.argument = "memory", .value = fmt::format("{:#x}", memory), .device = device.str()});
    }
    if (*has < round_up(bytes, 16)) {
        throw Error(Fault::usage,
            fmt::format("the cl_mem needs {} bytes, which are whole words of 16", round_up(bytes, 16)),
            {.argument = "memory", .value = std::to_string(*has)});
    }
}

Storage::Storage(
    MemoryLayout layout, size_t bytes, Device device, uint64_t memory, std::shared_ptr<const void> owner)
    : layout_(layout), bytes_(bytes), wrapped_(true), owner_(std::move(owner)) {
    driver::open(device);
    describe();
    prepare_halide();
    driver::Current current(device);
    if (device.backend == Backend::opencl) {
        check_cl_mem(device, memory, bytes);
    }
    const int code = device.backend == Backend::cuda ? halide_cuda_wrap_device_ptr(nullptr, &flat_, memory) :
                                                       halide_opencl_wrap_cl_mem(nullptr, &flat_, memory);
    if (code != 0) {
        throw_halide_error(code, "wrap", "", device);
    }
    device_ = device;
    flat_.set_device_dirty();
}

Storage::~Storage() {
    release_device();
    if (memory_ != nullptr) {
        const Inside inside(std::nothrow);
        memory_->give_back(begin_);
    }
}

// For wrapped memory, which has none before the host reads.
void Storage::make_host_copy() {
    const driver::HostMemory::Block block = driver::host_memory().take(bytes_ + 64);
    if (block.begin == nullptr) {
        refuse_host_copy(bytes_);
    }
    begin_ = static_cast<std::byte *>(block.begin);
    memory_ = &driver::host_memory();
    flat_.host = reinterpret_cast<uint8_t *>(begin_);
}

const std::byte *Storage::address() const {
    return !wrapped_                           ? begin_ :
           device_->backend == Backend::opencl ? nullptr :
                                                 reinterpret_cast<const std::byte *>(flat_.device);
}

std::optional<Device> Storage::newest_on() {
    const std::lock_guard lock(mutex_);
    return flat_.device_dirty() ? device_ : std::nullopt;
}

uint64_t Storage::device_memory() {
    const std::lock_guard lock(mutex_);
    if (!device_ || device_->backend == Backend::cuda) {
        return flat_.device;
    }
    // Halide's handle of an OpenCL buffer.
    struct Handle {
        uint64_t offset;
        void *memory;
    };
    return (uint64_t)reinterpret_cast<const Handle *>(flat_.device)->memory;
}

void Storage::describe() {
    // Halide counts elements in 31 bits, so large storages are described in larger elements.
    int element = 1;
    while (element < 8 && bytes_ / element > INT32_MAX && bytes_ % (2 * element) == 0) {
        element *= 2;
    }
    dim_ = halide_dimension_t(0, (int32_t)(bytes_ / element), 1);
    flat_.host = reinterpret_cast<uint8_t *>(begin_);
    flat_.type = halide_type_t(halide_type_uint, (uint8_t)(8 * element));
    flat_.dimensions = 1;
    flat_.dim = &dim_;
}

void Storage::copy_to_host() {
    if (!flat_.device_dirty()) {
        return;
    }
    if (wrapped_ && begin_ == nullptr) {
        make_host_copy();
    }
    prepare_halide();
    driver::Current current(*device_);
    halide_buffer_t landing = flat_;
    // Between the rows of a caller's memory are bytes that may have changed meanwhile, so only the rows are
    // copied back.
    const bool only_rows = !owned() && layout_.row < layout_.pitch;
    std::unique_ptr<std::byte[]> bytes(only_rows ? new (std::nothrow) std::byte[bytes_] : nullptr);
    if (only_rows && !bytes) {
        refuse_host_copy(bytes_);
    }
    if (only_rows) {
        landing.host = reinterpret_cast<uint8_t *>(bytes.get());
    }
    if (int code = ended_in_own_queue(halide_copy_to_host(nullptr, &landing), device_->backend)) {
        throw_halide_error(code, "copy to the host", "", *device_);
    }
    for (size_t at = 0; only_rows && at < bytes_; at += layout_.pitch) {
        memcpy(begin_ + at, bytes.get() + at, layout_.row);
    }
    flat_.set_device_dirty(wrapped_);
}

void Storage::release_device() noexcept {
    if (!device_) {
        return;
    }
    const Inside inside(std::nothrow);
    bool freed = false;
    try {
        if (!drivers_have_ended()) {
            driver::Current current(*device_);
            freed = (!wrapped_ ? halide_device_free(nullptr, &flat_) :
                        device_->backend == Backend::opencl ?
                                 halide_opencl_detach_cl_mem(nullptr, &flat_) :
                                 halide_cuda_detach_device_ptr(nullptr, &flat_)) == 0;
        }
    } catch (const Error &) {  // NOLINT(bugprone-empty-catch): the drivers ended meanwhile
    }
    if (!freed) {
        flat_.device = 0;  // the memory is lost, but the storage can have a copy on another device
        flat_.device_interface = nullptr;
    }
    device_.reset();
    flat_.set_device_dirty(false);
    flat_.set_host_dirty(false);
}

std::byte *Storage::host(bool write) try {
    const Inside inside;
    if (write) {
        hold_host();
        release_host();
        return begin_;
    }
    std::lock_guard lock(mutex_);
    copy_to_host();
    return begin_;
} catch (...) {
    leave_with_error();
}

void Storage::change_wrapped(const std::function<void(std::byte *)> &write) try {
    const Inside inside;
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return device_writers_ == 0; });
    copy_to_host();
    write(begin_);
    driver::Current current(*device_);
    halide_buffer_t sent = flat_;
    sent.set_device_dirty(false);
    sent.set_host_dirty();
    if (int code = ended_in_own_queue(
            halide_copy_to_device(nullptr, &sent, sent.device_interface), device_->backend)) {
        throw_halide_error(code, "copy to the device", "", *device_);
    }
} catch (...) {
    leave_with_error();
}

// Errors: usage, for memory that the caller gave to be read.
void Storage::refuse_write() const {
    if (const_) {
        throw Error(Fault::usage,
            "it is a view of const memory, which is never written; give the call another output, or read "
            "through std::as_const(array).data()",
            {.argument = "array"});
    }
}

void Storage::hold_host() {
    std::unique_lock lock(mutex_);
    refuse_write();
    if (wrapped_) {
        throw Error(Fault::usage,
            fmt::format(
                "it is another library's memory on {}, which the host does not write; run the call on "
                "that device",
                device_->str()),
            {.argument = "output"});
    }
    released_.wait(lock, [&] { return device_writers_ == 0; });
    copy_to_host();
    host_writers_++;
}

void Storage::release_host() noexcept {
    std::lock_guard lock(mutex_);
    if (device_) {
        flat_.set_host_dirty();
    }
    host_writers_--;
    released_.notify_all();
}

Storage::Newest Storage::newest() {
    const std::lock_guard lock(mutex_);
    return {!flat_.device_dirty(), flat_.host_dirty() ? std::nullopt : device_};
}

void Storage::to_device(Device device) try {
    const Inside inside;
    std::unique_lock lock(mutex_);
    make_current(lock, device, false, false);
} catch (...) {
    leave_with_error();
}

void Storage::hold(Device device, bool written, bool overwritten) {
    std::unique_lock lock(mutex_);
    if (written) {
        refuse_write();
    }
    make_current(lock, device, written, overwritten);
    held_++;
    device_writers_ += written;
}

void Storage::release(bool written, bool failed) noexcept {
    std::lock_guard lock(mutex_);
    if (wrapped_) {
        // Its memory has the newest elements, whatever the kernel did.
    } else if (written && !failed) {
        flat_.set_host_dirty(false);
        flat_.set_device_dirty();
    } else if (written && !flat_.device_dirty()) {
        flat_.set_host_dirty();  // the device copy is undefined; the host has the elements of before
    }
    held_--;
    device_writers_ -= written;
    released_.notify_all();
}

void Storage::drop_device_copy() noexcept {
    const std::lock_guard lock(mutex_);
    flat_.set_device_dirty(false);
    flat_.set_host_dirty(device_.has_value());
}

// Waits as hold() does, and moves the device copy to `device`, up to date unless it is `overwritten`.
void Storage::make_current(
    std::unique_lock<std::mutex> &lock, Device device, bool written, bool overwritten) {
    if (wrapped_ && *device_ != device) {
        throw Error(Fault::usage,
            fmt::format(
                "it is another library's memory on {}; run the call on that device, or copy the array there",
                device_->str()),
            {.argument = "device", .value = device.str()});
    }
    released_.wait(
        lock, [&] { return (held_ == 0 || device_ == device) && !(written && host_writers_ > 0); });
    prepare_halide();
    if (!is_copied_at_once()) {
        throw Error(Fault::input,
            fmt::format(
                "{:.1f} GiB at once are more than Halide copies to a device; clone() the part that is needed",
                (double)bytes_ / (1 << 30)),
            {.operation = "copy to the device", .device = device.str()});
    }
    if (device_ && *device_ != device) {
        copy_to_host();
        release_device();
    }
    driver::Current current(device);
    const auto *interface = device_interface(device.backend);
    if (!device_) {
        if (int code = halide_device_malloc(nullptr, &flat_, interface)) {
            throw_halide_error(code, "device allocation", "", device);
        }
        device_ = device;
        flat_.set_host_dirty();
    }
    if (!wrapped_ && !overwritten && flat_.host_dirty()) {
        if (int code =
                ended_in_own_queue(halide_copy_to_device(nullptr, &flat_, interface), device.backend)) {
            throw_halide_error(code, "copy to the device", "", device);
        }
    }
}

}  // namespace tilewright
