// How fast a device copies, to compare times with.
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/timing.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace tilewright {

namespace {

// Two buffers of the device's memory.
class DeviceBuffers {
public:
    DeviceBuffers(Device device, size_t bytes) : device_(device), current_(device) {
        const auto *interface = device_interface(device.backend);
        extent_ = {0, (int32_t)bytes, 1};
        for (halide_buffer_t &buffer : buffers_) {
            buffer.type = halide_type_of<uint8_t>();
            buffer.dimensions = 1;
            buffer.dim = &extent_;
            prepare_halide();
            check(halide_device_malloc(nullptr, &buffer, interface));
            buffer.set_device_dirty();
        }
    }
    ~DeviceBuffers() {
        for (halide_buffer_t &buffer : buffers_) {
            if (buffer.device != 0) {
                halide_device_free(nullptr, &buffer);
            }
        }
    }
    DeviceBuffers(const DeviceBuffers &) = delete;

    void copy() {
        prepare_halide();
        check(halide_buffer_copy(nullptr, buffers_.data(), buffers_[1].device_interface, &buffers_[1]));
    }

private:
    void check(int code) {
        if (code != 0) {
            throw_halide_error(code, "copying on the device", "", device_);
        }
    }

    Device device_;
    driver::Current current_;
    halide_dimension_t extent_;
    std::array<halide_buffer_t, 2> buffers_{};
};

// Two buffers of the host's memory, which Halide's threads copy by pieces.
class HostBuffers {
public:
    explicit HostBuffers(size_t bytes) : from_(bytes), to_(bytes) {}

    void copy() {
        const auto pieces = (int)(from_.size() / piece);
        halide_do_par_for(nullptr, copy_piece, 0, pieces, reinterpret_cast<uint8_t *>(this));
    }

    static constexpr size_t piece = 1 << 20;

private:
    static int copy_piece(void *, int i, uint8_t *self) {
        auto *buffers = reinterpret_cast<HostBuffers *>(self);
        const size_t at = (size_t)i * piece;
        memcpy(buffers->to_.data() + at, buffers->from_.data() + at, piece);
        return 0;
    }

    std::vector<uint8_t> from_, to_;
};

// The median of some copies, after two that bring memory and clocks up. `at_once`: how many are timed as one.
template<typename Buffers>
double median_ms(Device device, Buffers &buffers, int at_once) {
    constexpr int repeats = 9;
    std::vector<double> ms;
    for (int i = 0; i < repeats; i++) {
        ms.push_back(device_time_ms(device, [&] {
            for (int copies = 0; copies < at_once; copies++) {
                buffers.copy();
            }
        }) / at_once);
    }
    ms.erase(ms.begin(), ms.begin() + 2);
    std::nth_element(ms.begin(), ms.begin() + (std::ptrdiff_t)ms.size() / 2, ms.end());
    return ms[ms.size() / 2];
}

}  // namespace

double copy_rate(Device device, size_t buffer) try {
    const Inside inside;
    driver::open(device);
    const size_t wanted = buffer != 0 ? buffer : std::min<size_t>(256 << 20, device_info(device).memory / 32);
    const size_t bytes = std::clamp<size_t>(
        wanted / HostBuffers::piece * HostBuffers::piece, HostBuffers::piece, (size_t)1 << 30);
    double ms = 0;
    if (device.backend == Backend::cpu) {
        HostBuffers buffers(bytes);
        ms = median_ms(device, buffers, 1);  // there is no launch to hide, and one takes milliseconds
    } else {
        DeviceBuffers buffers(device, bytes);
        ms = median_ms(device, buffers, 4);
    }
    return 2 * (double)bytes / (ms / 1000);
} catch (...) {
    leave_with_error();
}

}  // namespace tilewright
