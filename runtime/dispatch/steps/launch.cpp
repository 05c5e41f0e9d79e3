#include "runtime/dispatch/steps/launch.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/calls/recorder.h"
#include "runtime/devices/calls/watch.h"
#include "runtime/devices/cuda/image_kernels.h"
#include "runtime/devices/thread_context.h"
#include "runtime/dispatch/steps/held_storages.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tilewright {

// A buffer argument while the library runs.
struct Launch::Buffer {
    Array *array;
    Array bounce;  // stands in for the array where the device cannot address it in place
    bool written = false;
    Storage *storage = nullptr;  // what holds the bytes
    bool overwritten = false;    // on a GPU: all of them
    int64_t offset = 0;
    int64_t step = 0;
    halide_buffer_t halide = {};
    std::pmr::vector<halide_dimension_t> dims;
};

namespace {

std::pmr::vector<halide_dimension_t> dims_of(
    const View &view, std::pmr::memory_resource &memory = *std::pmr::get_default_resource()) {
    std::pmr::vector<halide_dimension_t> dims(&memory);
    dims.reserve(view.dims.size());
    for (const View::Dim &d : view.dims) {
        dims.emplace_back((int32_t)d.min, (int32_t)d.extent, (int32_t)d.stride);
    }
    return dims;
}

}  // namespace

Launch::Launch(const Variant &variant, Device device)
    : variant_(&variant), device_(device), metadata_(variant.metadata()),
      arguments_((size_t)metadata_->num_arguments) {}

const char *Launch::name_of_argument(size_t at) const {
    return metadata_->arguments[at].name;
}

size_t Launch::find(std::string_view name) {
    for (size_t i = 0; i < arguments_.size(); i++) {
        const size_t at = (next_ + i) % arguments_.size();
        if (name == name_of_argument(at)) {
            next_ = at + 1;
            return at;
        }
    }
    throw std::logic_error(fmt::format("{}: the library has no argument '{}'", variant_->name(), name));
}

Launch::Argument &Launch::bind(size_t at, Role role) {
    if (std::exchange(arguments_[at].role, role) != Role::unbound) {
        throw std::logic_error(
            fmt::format("{}: the argument '{}' is bound twice", variant_->name(), name_of_argument(at)));
    }
    return arguments_[at];
}

Launch &Launch::in(std::string_view name, const Array &array, View view) {
    return buffer(find(name), Role::input, array, std::move(view));
}

Launch &Launch::out(std::string_view name, Array &array, View view) {
    return buffer(find(name), Role::output, array, std::move(view));
}

Launch &Launch::buffer(size_t at, Role role, const Array &array, View view) {
    const halide_filter_argument_t &declared = metadata_->arguments[at];
    const bool is_output = declared.kind == halide_argument_kind_output_buffer;
    if (declared.kind == halide_argument_kind_input_scalar || is_output != (role == Role::output) ||
        declared.dimensions != (int32_t)view.dims.size()) {
        throw std::logic_error(fmt::format("{}: the argument '{}' is no {} of {} dimensions",
            variant_->name(), declared.name, role == Role::output ? "output" : "input", view.dims.size()));
    }
    bind(at, role).number = windows_.size();
    windows_.push_back({array, std::move(view), 0});
    return *this;
}

Launch &Launch::scalar(size_t at, halide_type_t type, const void *value) {
    const halide_filter_argument_t &declared = metadata_->arguments[at];
    if (declared.kind != halide_argument_kind_input_scalar || declared.type != type || type.bytes() < 4) {
        throw std::logic_error(
            fmt::format("{}: the argument '{}' is no number of this type", variant_->name(), declared.name));
    }
    uint64_t &number = bind(at, Role::scalar).number;
    type.bytes() == 4 ? memcpy(&number, value, 4) : memcpy(&number, value, 8);  // without a call
    return *this;
}

Launch &Launch::value_of_type(std::string_view name, halide_type_t type, uint64_t bytes) {
    const size_t at = find(name);
    const halide_filter_argument_t &declared = metadata_->arguments[at];
    if (declared.kind != halide_argument_kind_input_scalar || declared.type != type) {
        throw std::logic_error(
            fmt::format("{}: the argument '{}' is no number of this type", variant_->name(), declared.name));
    }
    bind(at, Role::scalar).number = bytes;
    return *this;
}

// Arrays have up to 200 elements, so that only the names of the first one and of the last one are compared:
// a library has no other arguments between them.
size_t Launch::find_array(const std::string &name, size_t size) {
    const size_t first = find(name + "_0"), last = first + size - 1;
    if (last >= arguments_.size() || name_of_argument(last) != name + "_" + std::to_string(size - 1)) {
        throw std::logic_error(
            fmt::format("{}: the library has no array '{}' of {} numbers", variant_->name(), name, size));
    }
    next_ = last + 1;
    return first;
}

void Launch::replace(std::span<const Array> from, std::span<const Array> to) {
    for (Window &window : windows_) {
        const auto known = std::ranges::find_if(
            from, [&](const Array &array) { return array.storage() == window.array.storage(); });
        if (known != from.end()) {
            const Array &other = to[(size_t)(known - from.begin())];
            const int64_t moved = other.offset_bytes() - known->offset_bytes();
            window.view.offset += moved;
            window.array = window.array.moved_to(other, window.array.offset_bytes() + moved);
        }
    }
}

void Launch::set_images(int64_t count, std::span<const Array> arrays, std::span<const int64_t> steps) {
    images_ = count;
    for (Window &window : windows_) {
        const auto known = std::ranges::find_if(
            arrays, [&](const Array &array) { return array.storage() == window.array.storage(); });
        window.step = known == arrays.end() ? 0 : steps[(size_t)(known - arrays.begin())];
    }
}

void Launch::check_complete() const {
    for (size_t i = 0; i < arguments_.size(); i++) {
        if (arguments_[i].role == Role::unbound) {
            throw std::logic_error(
                fmt::format("{}: the argument '{}' is missing", variant_->name(), name_of_argument(i)));
        }
    }
}

bool Launch::fits() const {
    std::vector<Bound> arguments = bound();
    std::vector<halide_buffer_t> buffers(arguments.size());
    std::vector<std::pmr::vector<halide_dimension_t>> dims(arguments.size());
    std::vector<void *> pointers;
    for (size_t i = 0; i < arguments.size(); i++) {
        const View *view = arguments[i].view;
        if (!view) {
            pointers.push_back(&arguments[i].number);
            continue;
        }
        dims[i] = dims_of(*view);
        buffers[i].type = view->type;
        buffers[i].dimensions = (int32_t)dims[i].size();
        buffers[i].dim = dims[i].data();
        pointers.push_back(&buffers[i]);
    }
    driver::Current current(device_);
    prepare_halide();
    if (variant_->entry(pointers.data()) != 0) {
        return false;
    }
    // The library wrote the shapes that it would need into the buffers.
    for (size_t i = 0; i < arguments_.size(); i++) {
        for (size_t d = 0; d < dims[i].size(); d++) {
            const View::Dim &given = arguments[i].view->dims[d];
            if (dims[i][d].min < given.min ||
                (int64_t)dims[i][d].min + dims[i][d].extent > given.min + given.extent) {
                return false;
            }
        }
    }
    return true;
}

Launch::Buffer Launch::made_buffer(const Argument &argument, std::pmr::memory_resource &memory) {
    Window &window = windows_[argument.number];
    const Array &array = window.array;
    View of_bounce;
    const View *view = &window.view;
    if (spans_too_much(*view)) {
        throw Error(Fault::input,
            view->in_elements ?
                fmt::format(
                    "it spans more than {} numbers, which is the most a library addresses; clone it, so "
                    "that its rows are close together",
                    most_bytes) :
                fmt::format(
                    "it spans more than {} MiB, which is the most a library addresses; work on clones "
                    "of parts of it",
                    most_bytes >> 20),
            {.operation = variant_->op,
                .argument = array.describe(),
                .schedule = variant_->schedule,
                .device = device_.str()});
    }
    Buffer b{.array = &window.array,
        .bounce = {},
        .written = argument.role == Role::output,
        .dims = std::pmr::vector<halide_dimension_t>(&memory)};
    if (device_.backend == Backend::opencl && view->offset != 0) {
        if (view->offset != array.offset_bytes()) {
            throw std::logic_error(
                variant_->name() + ": on OpenCL a view begins where the array or its storage does");
        }
        of_bounce = window.view;
        b.bounce = bounced(array, of_bounce);
        view = &of_bounce;
    }
    const Array &held = b.bounce.empty() ? array : b.bounce;
    b.storage = held.storage().get();
    b.offset = view->offset;
    b.step = window.step;
    b.overwritten = device_.backend != Backend::cpu && b.written && is_whole_storage(held);
    b.halide.type = view->type;
    b.dims = dims_of(*view, memory);
    b.halide.dimensions = (int32_t)b.dims.size();
    return b;
}

std::vector<Launch::Bound> Launch::bound() const {
    check_complete();
    std::vector<Bound> all;
    for (size_t i = 0; i < arguments_.size(); i++) {
        const Argument &argument = arguments_[i];
        Bound &one = all.emplace_back(Bound{metadata_->arguments[i]});
        if (argument.role == Role::scalar) {
            one.number = argument.number;
        } else {
            one.array = &windows_[argument.number].array;
            one.view = &windows_[argument.number].view;
        }
    }
    return all;
}

LibraryRun Launch::described() const {
    LibraryRun run;
    run.variant = variant_->name();
    for (const auto &[declared, number, array, view] : bound()) {
        const std::string name = declared.name;
        if (!view) {
            if (declared.type == halide_type_of<int32_t>()) {
                run.arguments.emplace_back(name, (int32_t)number);
            }
            continue;
        }
        uint64_t elements = 1;
        for (size_t d = 0; d < view->dims.size(); d++) {
            const View::Dim &dim = view->dims[d];
            run.arguments.emplace_back(fmt::format("{}.min.{}", name, d), dim.min);
            run.arguments.emplace_back(fmt::format("{}.extent.{}", name, d), dim.extent);
            run.arguments.emplace_back(fmt::format("{}.stride.{}", name, d), dim.stride);
            elements *= dim.stride == 0 ? 1 : (uint64_t)dim.extent;
        }
        // A view may also span what is between the rows of the array.
        run.argument_bytes += std::min(
            elements * (uint64_t)view->type.bytes(), (uint64_t)array->size() * size_of(array->type()));
    }
    return run;
}

void Launch::call(std::pmr::vector<Buffer> &buffers) {
    std::pmr::vector<void *> pointers(buffers.get_allocator());
    pointers.reserve(arguments_.size());
    size_t next = 0;
    for (Argument &argument : arguments_) {
        if (argument.role == Role::scalar) {
            pointers.push_back(&argument.number);
            continue;
        }
        Buffer &b = buffers[next++];
        b.halide.dim = b.dims.data();
        if (device_.backend == Backend::cpu) {
            b.halide.host = reinterpret_cast<uint8_t *>(b.storage->begin()) + b.offset;
        } else {
            b.halide.device_interface = b.storage->flat().device_interface;
            // an offset on CUDA only, where it is a pointer
            b.halide.device = b.storage->flat().device + (uint64_t)b.offset;
        }
        pointers.push_back(&b.halide);
    }
    driver::Current current(device_);
    const driver::ScopedValue variant(driver::this_thread.variant, variant_);
    const driver::ScopedValue arguments(driver::this_thread.arguments, pointers.data());
    check_threads();
    prepare_halide();
    std::optional<driver::ImageLaunches> images;
    if (images_ > 1) {
        images.emplace(images_);
        for (const Buffer &b : buffers) {
            images->add_memory(b.storage->flat().device, b.storage->bytes(), b.step);
        }
    }
    const driver::ScopedValue together(driver::this_thread.images, images ? &*images : nullptr);
    Recorder *recorder = driver::this_thread.recorder;
    if (recorder) {
        recorder->begin(described());
    }
    const int code = ended_in_own_queue(variant_->entry(pointers.data()), device_.backend);
    if (recorder) {
        recorder->end();
    }
    // A library that was made without checks goes on after a launch that failed; what Halide said of it is
    // here nevertheless.
    if (code != 0 || halide_spoke()) {
        if (const Watch *watch = driver::this_thread.watch) {
            watch->throw_if_cancelled();
        }
        throw_halide_error(code, variant_->op.c_str(), variant_->schedule.c_str(), device_);
    }
    if (images && images->failed()) {
        throw Error(Fault::device, "its kernels cannot work on many images at once",
            {.operation = variant_->op, .schedule = variant_->schedule, .device = device_.str()});
    }
}

// A variant that was chosen for the device can run there. Others come here by name, or without a choice.
void Launch::check_device() const {
    const std::string why_not = why_not_on(*variant_, device_);
    if (!why_not.empty()) {
        throw Error(Fault::device, why_not,
            {.operation = variant_->op, .schedule = variant_->schedule, .device = device_.str()});
    }
}

void Launch::run() try {
    const Inside inside;
    check_complete();
    check_device();
    // What only this call needs is on the stack, as long as there is room.
    std::array<std::byte, 4096> room;
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    std::pmr::vector<Buffer> buffers(&memory);
    buffers.reserve(windows_.size());
    for (const Argument &argument : arguments_) {
        if (argument.role != Role::scalar) {
            buffers.push_back(made_buffer(argument, memory));
        }
    }
    {
        HeldStorages held(device_.backend != Backend::cpu, buffers.size(), memory);
        for (const Buffer &b : buffers) {
            held.use(b.storage, b.written, b.overwritten);
        }
        held.hold(device_);
        call(buffers);
        held.succeeded();
    }
    for (Buffer &b : buffers) {
        if (b.written && !b.bounce.empty()) {
            copy(b.bounce, *b.array);
        }
    }
    if (driver::this_thread.watch) {
        synchronize(device_);  // so that what is said to be done is done
    }
} catch (...) {
    leave_with_error();
}

}  // namespace tilewright
