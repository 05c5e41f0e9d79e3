#pragma once
// The bytes behind arrays. Not installed.
#include "tilewright/array.h"
#include <HalideRuntime.h>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

namespace tilewright {

// Host bytes and at most one device copy of them; either may be the newer one. The device copy has the host's layout.
//
// Threads may use one storage at the same time, each its own part of it. Which copy is the newer one is known of all bytes or of none,
// so a device and the host never write at the same time: who writes holds the storage until it is done, and the others wait.
class Storage {
public:
    // Where an array's bytes lie: `rows` of `row` bytes, `pitch` apart. Nobody's bytes are between them.
    struct Layout {
        size_t rows, row, pitch;
        bool operator==(const Layout &) const = default;
    };

    explicit Storage(Layout layout);      // owns zeroed memory, its end padded to a multiple of 64
    Storage(Layout layout, void *data);   // sees the caller's, where the bytes between rows are the caller's own
    ~Storage();
    Storage(const Storage &) = delete;

    // The host's bytes, up to date; `write` makes the device copy stale, once no kernel that writes there is being started.
    std::byte *host(bool write);

    // The same for a thread that is about to write, until release_host(). Meanwhile no device writes; other threads' writes on the
    // host, and whoever only reads, go on.
    void hold_host();
    void release_host() noexcept;

    // Brings the device up to date.
    void to_device(Device device);

    // The same for a kernel that is about to run (where it overwrites everything, only makes room), and keeps the copy on
    // that device until release(). `written`: the kernel changes the copy. Waits while kernels of other threads are started with it on
    // another device, and while the host is written if this one writes, too; a thread that holds several storages, on the host or on a
    // device, takes them in the order of their addresses.
    void hold(Device device, bool written, bool overwritten);

    // The kernel is under way, or failed.
    void release(bool written, bool failed) noexcept;

    // The buffer that Halide knows the device copy by: one row of elements that fill the storage.
    halide_buffer_t &flat() {
        return flat_;
    }
    std::byte *begin() const {
        return begin_;
    }
    size_t bytes() const {
        return bytes_;
    }
    const Layout &layout() const {
        return layout_;
    }
    bool owned() const {
        return owned_;
    }

private:
    void describe();
    void release_device() noexcept;
    void copy_to_host();
    void make_current(std::unique_lock<std::mutex> &lock, Device device, bool written, bool overwritten);

    std::mutex mutex_;
    std::condition_variable released_;
    int held_ = 0;            // by kernels that are being started
    int device_writers_ = 0;  // those of them that write
    int host_writers_ = 0;
    std::byte *begin_ = nullptr;
    Layout layout_;
    size_t bytes_ = 0;
    bool owned_ = false;
    std::optional<Device> where_;
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
