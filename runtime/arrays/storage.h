#pragma once
// The bytes behind arrays. Not installed.
#include "generators/algorithms/integers.h"
#include "runtime/devices/memory/host_memory.h"
#include "tilewright/array.h"
#include <HalideRuntime.h>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace tilewright {

// Rows of images, and storages, are padded to a multiple of 64 bytes: a cache line, and the widest vector of
// a CPU.
constexpr size_t padded_bytes(size_t bytes) {
    return round_up(bytes, 64);
}

// The rows of an array's bytes: `rows` rows of `row` bytes, whose first bytes are `pitch` bytes apart. The
// bytes between rows (pitch - row) are not part of the array. In a caller's memory they are never written.
struct MemoryLayout {
    size_t rows, row, pitch;
    bool operator==(const MemoryLayout &) const = default;
};

// Host bytes and at most one device copy of them; either may be the newer one. The device copy has the host's
// layout.
//
// Threads may use one storage at the same time, each its own part of it. Which copy is the newer one is known
// of all bytes or of none, so a device and the host never write at the same time: a writer holds the storage
// until it is done, and the others wait.
class Storage {
public:
    // Owns memory, whose end is padded; not `zeroed`: with any bytes. Errors: memory.
    Storage(MemoryLayout layout, bool zeroed, driver::HostMemory &memory = driver::host_memory());

    // Uses the caller's memory, which must outlive it; `is_const`: and never writes it.
    Storage(MemoryLayout layout, void *data, bool is_const);

    // Uses `bytes` bytes of another library's memory on a device, from a CUDA pointer on or a cl_mem, and
    // holds the owner. That memory has the newest elements always; the host has a copy while it reads.
    // Errors: device; usage, for a cl_mem that is too small.
    Storage(
        MemoryLayout layout, size_t bytes, Device device, uint64_t memory, std::shared_ptr<const void> owner);

    ~Storage();
    Storage(const Storage &) = delete;

    // The host's bytes, up to date. `write` makes the device copy stale; it waits while kernels that write
    // there are started.
    std::byte *host(bool write);

    // Does the same for a thread that is about to write, until release_host(). Meanwhile no device writes;
    // other threads may read, and write on the host.
    void hold_host();
    void release_host() noexcept;

    // Of wrapped memory: lets `write` change a copy of its bytes on the host, and sends them back. Other
    // threads wait meanwhile.
    void change_wrapped(const std::function<void(std::byte *)> &write);

    // Where the newest bytes are: on the host, on a device, or on both.
    struct Newest {
        bool on_host;
        std::optional<Device> device;
    };
    Newest newest();

    // Brings the device up to date.
    void to_device(Device device);

    // Brings the device up to date for a kernel that is about to run, and keeps the copy there until
    // release(). `written`: the kernel changes the copy; `overwritten`: all of it, so that memory is enough.
    // Waits while other threads start kernels with it on another device and, if `written`, while the host is
    // written. A thread that holds several storages, on the host or on a device, takes them in the order of
    // their addresses, so that no two threads wait for each other.
    void hold(Device device, bool written, bool overwritten);

    // Ends hold(): the kernel was started, or failed.
    void release(bool written, bool failed) noexcept;

    // After kernels that failed with other parts of one result: the host has the newest elements, those of
    // before.
    void drop_device_copy() noexcept;

    // Gives the device copy back, whatever it has. No other thread uses the storage.
    void release_device() noexcept;

    // The buffer by which Halide knows the device copy: one row of elements that fill the storage.
    halide_buffer_t &flat() {
        return flat_;
    }
    std::byte *begin() const {
        return begin_;
    }
    size_t bytes() const {
        return bytes_;
    }
    // Whether Halide copies all of it to a device at once: it counts in 31 bits, elements of 8 bytes at best.
    bool is_copied_at_once() const {
        return bytes_ / (size_t)flat_.type.bytes() <= INT32_MAX;
    }
    const MemoryLayout &layout() const {
        return layout_;
    }
    bool owned() const {
        return memory_ != nullptr;
    }
    bool is_wrapped() const {
        return wrapped_;
    }
    // Where the first byte is, to compare places: on the host, or of wrapped memory of CUDA on the device.
    // Both are in one address space. Wrapped memory of OpenCL: null.
    const std::byte *address() const;

    // The device with newer bytes than the host's, and the CUDA pointer or cl_mem of the device copy.
    std::optional<Device> newest_on();
    uint64_t device_memory();

private:
    void describe();
    void refuse_write() const;
    void make_host_copy();
    void copy_to_host();
    void make_current(std::unique_lock<std::mutex> &lock, Device device, bool written, bool overwritten);

    std::mutex mutex_;
    std::condition_variable released_;
    int held_ = 0;            // kernels that are being started with it
    int device_writers_ = 0;  // those of them that write
    int host_writers_ = 0;
    std::byte *begin_ = nullptr;
    MemoryLayout layout_;
    size_t bytes_ = 0;
    driver::HostMemory *memory_ = nullptr;     // that begin_ is from; null: the caller's memory
    std::optional<Device> device_;             // the device of the copy; nothing while there is no copy
    bool const_ = false;                       // the caller's memory is never written
    bool wrapped_ = false;                     // the memory on the device is another library's
    const std::shared_ptr<const void> owner_;  // of wrapped memory
    halide_buffer_t flat_ = {};
    halide_dimension_t dim_ = {};
};

// Holds an array's storage for a thread that writes elements of it on the host.
class HostWrite {
public:
    explicit HostWrite(Array &array) : storage_(array.storage()) {
        storage_->hold_host();
    }
    ~HostWrite() {
        storage_->release_host();
    }
    HostWrite(const HostWrite &) = delete;

private:
    const std::shared_ptr<Storage> storage_;
};

}  // namespace tilewright
