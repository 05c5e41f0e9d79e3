#include "runtime/dispatch/launch.h"
#include "runtime/arrays/copy.h"
#include "runtime/devices/hooks.h"
#include "runtime/devices/register_caps.h"
#include "runtime/devices/halide_calls.h"
#include "runtime/process/inside.h"
#include "runtime/errors/leaving.h"
#include "runtime/arrays/storage.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace tilewright {

halide_type_t halide_type(Type type) {
    switch (type) {
    case Type::u8: return halide_type_t(halide_type_uint, 8);
    case Type::u16: return halide_type_t(halide_type_uint, 16);
    case Type::u32: return halide_type_t(halide_type_uint, 32);
    case Type::i32: return halide_type_t(halide_type_int, 32);
    case Type::f32: return halide_type_t(halide_type_float, 32);
    case Type::f64: return halide_type_t(halide_type_float, 64);
    case Type::c64: return halide_type_t(halide_type_float, 32);
    }
    return {};
}

View image(const Array &array) {
    View view{halide_type(array.type()), {}, array.offset_bytes()};
    const auto &shape = array.shape(), &strides = array.strides();
    if (shape.size() == 1) {
        view.dims = {{shape[0], 1}};
    } else {
        view.dims = {{shape[1], strides[1]}, {shape[0], strides[0]}};
        if (shape.size() == 3) {
            view.dims.push_back({shape[2], strides[2]});
        }
    }
    return view;
}

View rows_of(const Array &array) {
    const auto &shape = array.shape();
    const int64_t h = shape.size() > 1 ? shape[0] : 1;
    return {halide_type(array.type()), {{array.size() / h, 1}, {h, shape.size() > 1 ? array.strides()[0] : array.size()}}, array.offset_bytes()};
}

View words(const Array &array, halide_type_t type) {
    const int64_t bytes = type.bytes(), all = ((int64_t)array.storage()->bytes() + 15) / 16 * 16;
    return {type, {{all / bytes, 1}}, 0};
}

View complex_words(const Array &array) {
    View view = image(array);
    view.type = halide_type_t(halide_type_uint, 64);
    return view;
}

struct Launch::Buffer {
    Array array;
    Array bounce;         // stands in for the array where the device cannot address it in place
    bool written = false;
    Storage *storage = nullptr;  // what holds the bytes
    bool overwritten = false;    // on a GPU: all of them
    int64_t offset = 0;
    halide_buffer_t halide = {};
    halide_dimension_t dims[4] = {};
};

Launch::Launch(const Row &row, Device device) : row_(row), device_(device) {
    prepare_halide();
}

Launch::~Launch() = default;

Launch &Launch::in(const Array &array, const View &view) {
    return buffer(array, view, false);
}

Launch &Launch::out(Array &array, const View &view) {
    return buffer(array, view, true);
}

Launch &Launch::buffer(const Array &array, const View &asked, bool written) {
    Buffer &b = buffers_.emplace_back();
    b.array = array;
    b.written = written;
    View view = asked;
    int64_t last = 0, largest = 0;
    for (const View::Dim &d : view.dims) {
        last += (d.extent - 1) * d.stride;
        largest = std::max(largest, d.extent * d.stride);  // Halide counts the last row's padding too, in elements
    }
    if ((last + 1) * view.type.bytes() > most_bytes || largest > most_bytes) {
        throw Error(Fault::input, fmt::format("it spans more than {} MiB, which is the most a library addresses; work on clones of parts of it", most_bytes >> 20),
                    {.operation = row_.op, .argument = array.describe(), .schedule = row_.schedule, .device = device_.str()});
    }
    Storage *storage = array.storage().get();
    const bool gpu = device_.backend != Backend::cpu;
    // OpenCL addresses parts of a buffer at multiples of 512 bytes at best: other crops go through an array of their own.
    if (device_.backend == Backend::opencl && view.offset != 0) {
        if (view.offset != array.offset_bytes()) {
            throw std::logic_error(row_.name() + ": on OpenCL a view begins where the array or its storage does");
        }
        if (view == image(array)) {
            b.bounce = array.clone();
            view = image(b.bounce);
        } else if (view == rows_of(array)) {
            b.bounce = array.clone();
            view = rows_of(b.bounce);
        } else {  // whatever its dimensions mean, they mean it for rows at this pitch
            b.bounce = array.clone(array.strides()[0] * (int64_t)size_of(array.type()));
            view.offset = 0;
        }
        storage = b.bounce.storage().get();
    }
    b.storage = storage;
    halide_buffer_t &h = b.halide;
    if (!gpu) {
        h.host = reinterpret_cast<uint8_t *>(storage->begin()) + view.offset;
    } else {
        // Where the array is all of its storage, what the kernel overwrites need not be sent.
        const Array &held = b.bounce.empty() ? array : b.bounce;
        const size_t rows = held.dimensions() > 1 ? (size_t)held.shape()[0] : 1, bytes = (size_t)held.size() * size_of(held.type());
        b.overwritten = written && rows == storage->layout().rows && bytes / rows == storage->layout().row;
        b.offset = view.offset;
    }
    h.type = view.type;
    h.dimensions = (int32_t)view.dims.size();
    for (size_t d = 0; d < view.dims.size(); d++) {
        b.dims[d] = halide_dimension_t(0, (int32_t)view.dims[d].extent, (int32_t)view.dims[d].stride);
    }
    h.dim = b.dims;
    arguments_.push_back(&h);
    return *this;
}

Launch &Launch::scalar(const void *value, size_t bytes) {
    uint64_t &slot = scalars_.emplace_back(0);
    memcpy(&slot, value, bytes);
    arguments_.push_back(&slot);
    return *this;
}

void Launch::call() {
    driver::Current current(device_);
    driver::RegisterCaps caps(row_.register_caps);
    prepare_halide();
    const int code = row_.entry(arguments_.data());
    // A library that was made without checks goes on after a launch that failed; what Halide said of it is here nevertheless.
    if (code != 0 || halide_spoke()) {
        throw_halide_error(code, row_.op.c_str(), row_.schedule.c_str(), device_);
    }
}

void Launch::run() try {
    const Inside inside;
    const halide_filter_metadata_t *metadata = row_.metadata();
    if ((int)arguments_.size() != metadata->num_arguments) {
        throw std::logic_error(fmt::format("{}: the library takes {} arguments, not {}", row_.name(), metadata->num_arguments, arguments_.size()));
    }

    // Each storage once, in the order of their addresses, so that threads do not wait for each other in a ring. On the CPU only what is
    // written is held: what is read stays as it is, whatever a device does with other parts of it.
    struct Use {
        bool written = false, overwritten = true;
    };
    struct Held {
        bool gpu = false;
        std::map<Storage *, Use> uses;
        std::vector<std::pair<Storage *, bool>> held;  // and whether it is written
        bool failed = true;
        ~Held() {
            for (auto &[storage, written] : held) {
                if (gpu) {
                    storage->release(written, failed);
                } else {
                    storage->release_host();
                }
            }
        }
    };
    {
        Held all;
        all.gpu = device_.backend != Backend::cpu;
        for (Buffer &b : buffers_) {
            Use &use = all.uses[b.storage];
            use.written = use.written || b.written;
            use.overwritten = use.overwritten && b.overwritten;
        }
        all.held.reserve(all.uses.size());
        for (auto &[storage, use] : all.uses) {
            if (all.gpu) {
                storage->hold(device_, use.written, use.overwritten);
            } else if (use.written) {
                storage->hold_host();
            } else {
                storage->host(false);
                continue;
            }
            all.held.emplace_back(storage, use.written);
        }
        for (Buffer &b : buffers_) {
            if (all.gpu) {
                b.halide.device_interface = b.storage->flat().device_interface;
                b.halide.device = b.storage->flat().device + (uint64_t)b.offset;  // an offset on CUDA only, where it is a pointer
            }
        }
        call();
        all.failed = false;
    }

    for (Buffer &b : buffers_) {
        if (b.written && !b.bounce.empty()) {
            copy(b.bounce, b.array);
        }
    }
} catch (...) {
    leave_with_error();
}

}  // namespace tilewright
