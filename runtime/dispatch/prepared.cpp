// Calls that run again: the plan of a call on other arrays, and on CUDA as one launch.
#include "runtime/dispatch/prepared.h"
#include "runtime/devices/calls/halide_calls.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/graph.h"
#include "runtime/devices/opencl/opencl_launches.h"
#include "runtime/devices/thread_context.h"
#include "runtime/dispatch/arrays_of_call.h"
#include "runtime/dispatch/many_images.h"
#include "runtime/dispatch/steps/held_storages.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tilewright {

namespace {

bool is_like(const Array &a, const Array &b) {
    return a.type() == b.type() && a.shape() == b.shape();
}

// Whether no two of them are in one storage, by which buffers are told from each other.
bool are_apart(const std::vector<Array> &arrays) {
    for (size_t i = 0; i < arrays.size(); i++) {
        for (size_t k = 0; k < i; k++) {
            if (arrays[k].storage() == arrays[i].storage()) {
                return false;
            }
        }
    }
    return true;
}

template<typename State>
State &present(const std::unique_ptr<State> &state) {
    return state ? *state : throw Error(Fault::usage, "a prepared call that was moved from makes no calls");
}

[[noreturn]] void refuse_shape(
    const std::string &operation, const std::string &argument, const Array &given, const Array &prepared) {
    throw Error(Fault::input,
        fmt::format("must be {} ({})", name_of(prepared.type()), fmt::join(prepared.shape(), ", ")),
        {.operation = operation, .argument = argument, .value = given.describe()});
}

}  // namespace

// Fronts look at addresses in words of at most 16 bytes, and kernels at rows of 64.
Prepared::State::Layout::Layout(const Array &array)
    : memory(array.storage()->layout()), bytes(array.storage()->bytes()), is_owned(array.storage()->owned()),
      is_wrapped(array.storage()->is_wrapped()), offset_in_row((int)(array.offset_bytes() % 64)),
      place_in_word(
          (int)((reinterpret_cast<uintptr_t>(array.storage()->address()) + (uintptr_t)array.offset_bytes()) %
                16)) {}

std::optional<size_t> Prepared::State::argument_of(const Array &array) const {
    const auto at = std::ranges::find_if(
        bound_, [&](const Array &argument) { return argument.storage() == array.storage(); });
    return at == bound_.end() ? std::nullopt : std::optional((size_t)(at - bound_.begin()));
}

// Whether no library works on a part of an argument that is not one of its images.
bool Prepared::State::sees_whole_arguments(const Plan &made, bool of_images) {
    for (const Launch *launch : made.launches()) {
        for (const Launch::Bound &bound : launch->bound()) {
            const std::optional<size_t> number = bound.array ? argument_of(*bound.array) : std::nullopt;
            if (!number) {
                continue;
            }
            const Array &argument = bound_[*number];
            if (!of_images && (!is_like(argument, *bound.array) ||
                                  argument.offset_bytes() != bound.array->offset_bytes())) {
                return false;
            }
            may_begin_elsewhere_ &= bound.view->offset == bound.array->offset_bytes();
        }
    }
    return true;
}

void Prepared::State::take(Plan made, bool of_images) try {
    if (bind(std::move(made), of_images) && can_record()) {
        find_buffers(of_images);
        record();
    }
} catch (const Error &error) {
    if (error.fault() != Fault::memory) {
        throw;
    }
    plan_.reset();  // there is no memory to keep: the call stays as it was
}

bool Prepared::State::bind(Plan made, bool of_images) {
    bound_ = arguments;
    if (!made.has_libraries_alone() || !are_apart(arguments) || !sees_whole_arguments(made, of_images)) {
        return false;
    }
    for (const Array &argument : arguments) {
        layouts_.emplace_back(argument);
    }
    plan_ = std::move(made);
    return true;
}

// In the order in which the libraries use them, each of which has its inputs before its outputs: the first
// use decides whether what was in a buffer counts.
void Prepared::State::find_buffers(bool of_images) {
    for (const Launch *launch : std::as_const(*plan_).launches()) {
        for (const Launch::Bound &bound : launch->bound()) {
            if (!bound.array) {
                continue;
            }
            const bool is_written = bound.declared.kind == halide_argument_kind_output_buffer;
            const auto known = std::ranges::find(buffers_, bound.array->storage(), &Buffer::storage);
            if (known != buffers_.end()) {
                known->is_written |= is_written;
                continue;
            }
            const std::optional<size_t> argument = argument_of(*bound.array);
            const Array &whole = of_images && argument ? bound_[*argument] : *bound.array;
            buffers_.push_back(
                {bound.array->storage(), is_written, is_written && is_whole_storage(whole), argument});
        }
    }
}

// `work` starts what uses the buffers, which are on the device meanwhile.
template<typename Work>
void Prepared::State::with_buffers(const Work &work) {
    std::array<std::byte, 2048> room;
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    HeldStorages held(true, buffers_.size(), memory);
    for (const Buffer &buffer : buffers_) {
        held.use(buffer.storage.get(), buffer.is_written, buffer.is_overwritten);
    }
    held.hold(device);
    work(memory);
    held.succeeded();
}

// Where kernels see a buffer: from an argument's first element on, or from the first byte of its storage.
uint64_t Prepared::State::begin_of(const Buffer &buffer) const {
    const bool is_argument = buffer.argument && may_begin_elsewhere_;
    return is_argument ? (uint64_t)arguments[*buffer.argument].offset_bytes() : 0;
}

// OpenCL has no address inside of a buffer.
bool Prepared::State::can_record() const {
    return device.backend == Backend::cuda ||
           (device.backend == Backend::opencl &&
               std::ranges::all_of(bound_, [](const Array &array) { return array.offset_bytes() == 0; }));
}

// Runs the plan on arrays that are on the device already, and keeps its kernels, if they alone are the plan.
void Prepared::State::record() {
    std::unique_ptr<driver::CudaGraph> graph;
    std::unique_ptr<driver::OpenClLaunches> launches;
    if (device.backend == Backend::cuda) {
        graph = std::make_unique<driver::CudaGraph>(device);
    } else {
        launches = std::make_unique<driver::OpenClLaunches>(device);
    }
    std::vector<driver::RecordedKernels::Buffer> places;
    with_buffers([&](std::pmr::memory_resource &) {
        const driver::ScopedValue by_cuda(driver::this_thread.graph, graph.get());
        const driver::ScopedValue by_opencl(driver::this_thread.launches, launches.get());
        plan_->run();
        for (const Buffer &buffer : buffers_) {
            const uint64_t begin = begin_of(buffer);
            places.push_back(
                {buffer.storage->device_memory() + begin, graph ? buffer.storage->bytes() - begin : 1});
        }
    });
    std::unique_ptr<driver::RecordedKernels> recorded = std::move(graph);
    recorded = recorded ? std::move(recorded) : std::move(launches);
    if (recorded->complete(places)) {
        kernels = std::move(recorded);
    }
}

void Prepared::State::launch() {
    with_buffers([&](std::pmr::memory_resource &memory) {
        std::pmr::vector<uint64_t> addresses(&memory);
        addresses.reserve(buffers_.size());
        for (const Buffer &buffer : buffers_) {
            addresses.push_back(buffer.storage->device_memory() + begin_of(buffer));
        }
        const driver::Current current(device);
        prepare_halide();
        kernels->launch(addresses);
        if (const int code = ended_in_own_queue(0, device.backend)) {
            throw_halide_error(code, name.c_str(), "", device);
        }
    });
}

bool Prepared::State::can_take_arguments() const {
    for (size_t i = 0; i < arguments.size(); i++) {
        const bool begins_there = arguments[i].offset_bytes() == bound_[i].offset_bytes();
        if (arguments[i].strides() != bound_[i].strides() || Layout(arguments[i]) != layouts_[i] ||
            !(begins_there || may_begin_elsewhere_)) {
            return false;
        }
    }
    return are_apart(arguments);
}

void Prepared::State::bind_arguments() {
    if (std::ranges::equal(arguments, bound_, [](const Array &a, const Array &b) {
            return a.storage() == b.storage() && a.offset_bytes() == b.offset_bytes();
        })) {
        return;
    }
    if (plan_) {
        plan_->replace(bound_, arguments);
    }
    for (Buffer &buffer : buffers_) {
        if (buffer.argument) {
            buffer.storage = arguments[*buffer.argument].storage();
        }
    }
    bound_ = arguments;
}

void Prepared::State::run() {
    if (check_elements) {
        check_elements(inputs());
    }
    if (!plan_ || !can_take_arguments()) {
        call(inputs(), arguments.back());
        return;
    }
    bind_arguments();
    if (kernels && can_record() && !driver::this_thread.recorder) {
        launch();
    } else {
        plan_->run();
    }
}

// The words for arrays that no call takes are the call's.
void Prepared::State::check(std::span<const Array> others, const Array &result) const {
    if (!std::ranges::equal(others, inputs(), is_like)) {
        check_inputs(others);
        for (size_t i = 0; i < inputs().size(); i++) {
            if (i >= others.size() || !is_like(others[i], inputs()[i])) {
                refuse_shape(name, input_names[i], i < others.size() ? others[i] : Array(), inputs()[i]);
            }
        }
        const Array &optional = others[inputs().size()];
        throw Error(Fault::input, "the call was prepared without it; prepare one with it",
            {.operation = name, .argument = input_names[inputs().size()], .value = optional.describe()});
    }
    if (!result.empty() && !is_like(result, output())) {
        refuse_shape(name, "output", result, output());
    }
    refuse_shared_memory(result, others, name);
}

void Prepared::State::run_on(std::span<const Array> others, const Array &result) {
    check(others, result);
    std::vector<Array> all(others.begin(), others.begin() + (ptrdiff_t)inputs().size());
    if (result.empty()) {
        const auto make = pinned ? Array::pinned : Array::uninitialized;
        const int64_t pitch = output().strides()[0] * (int64_t)size_of(output().type());
        all.push_back(make(output().type(), output().shape(), output().dimensions() > 1 ? pitch : 0));
    } else {
        all.push_back(result);
    }
    std::swap(arguments, all);
    run();
}

Prepared::Prepared(std::unique_ptr<State> state) : state_(std::move(state)) {}
Prepared::Prepared(Prepared &&) noexcept = default;
Prepared &Prepared::operator=(Prepared &&) noexcept = default;
Prepared::~Prepared() = default;

void Prepared::operator()() try {
    const Inside inside;
    const std::lock_guard lock(present(state_).mutex);
    state_->run();
} catch (...) {
    leave_with_error([&] { return state_ ? state_->name : ""; });
}

void Prepared::operator()(std::span<const Array> inputs, Array &output) try {
    const Inside inside;
    const std::lock_guard lock(present(state_).mutex);
    state_->run_on(inputs, output);
    output = state_->output();  // a call that fails leaves an empty output empty
} catch (...) {
    leave_with_error([&] { return state_ ? state_->name : ""; });
}

bool Prepared::takes(std::span<const Array> inputs) const {
    const std::lock_guard lock(present(state_).mutex);
    return std::ranges::equal(inputs, state_->inputs(), is_like);
}

Device Prepared::device() const {
    return present(state_).device;
}

Array Prepared::output() const {
    const std::lock_guard lock(present(state_).mutex);
    return state_->output();
}

bool Prepared::is_one_launch() const {
    return present(state_).device.backend == Backend::cuda && state_->kernels != nullptr;
}

// How a call is made again.
static Call again_on(Device device, const Call &how) {
    Call again = how;
    again.device = device;
    again.statistics = nullptr;
    again.progress = nullptr;
    return again;
}

// Of arrays of many images.
std::unique_ptr<Prepared::State> Operator::state_of_images(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const {
    auto state = std::make_unique<Prepared::State>();
    const Place place = place_of_images(inputs, output, settings, how);
    state->device = place.device;
    state->check_inputs = [this, settings, layout = how.layout](std::span<const Array> others) {
        check_number(others.size());
        parse(first_images(others, layout), settings);
    };
    state->call = [this, settings, again = again_on(place.device, how)](std::span<const Array> others,
                      Array &result) { (*this)(others, result, settings, again); };
    state->arguments.assign(inputs.begin(), inputs.end());
    state->arguments.push_back(output);
    if (const Variant *variant = place.variant) {
        if (auto plan = plan_of_images(ManyImages(*this, inputs, how.layout), place.device, inputs,
                state->arguments.back(), settings, how, variant)) {
            state->take(std::move(*plan), true);
        }
    }
    return state;
}

std::unique_ptr<Prepared::State> Operator::state_of_call(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const {
    auto state = std::make_unique<Prepared::State>();
    const std::shared_ptr<Request> request = read_checked(inputs, settings);
    const Place place = place_of_call(*request, output, how);
    state->device = place.device;
    state->check_inputs = [this, settings](std::span<const Array> others) { parse(others, settings); };
    if (looks_at_elements()) {
        state->check_elements = [this, request](std::span<const Array> others) {
            request->inputs.assign(others.begin(), others.end());
            check_elements(*request);
        };
    }
    state->call = [this, settings, again = again_on(place.device, how), variant = place.variant](
                      std::span<const Array> others, Array &result) {
        const auto request = parse(others, settings);
        if (serves(*variant, *request, result)) {
            run(*variant, *again.device, *request, result);
        } else {
            this->call(*request, result, again);
        }
    };
    state->arguments.assign(inputs.begin(), inputs.end());
    state->arguments.push_back(output);
    state->take(plan(*place.variant, place.device, *request, state->arguments.back()));
    return state;
}

Prepared Operator::prepare(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const try {
    const Inside inside;
    auto state = how.layout.empty() ? state_of_call(inputs, output, settings, how) :
                                      state_of_images(inputs, output, settings, how);
    state->name = name();
    state->pinned = how.pinned;
    for (const Input &input : this->inputs()) {
        state->input_names.push_back(input.name);
    }
    if (optional_input()) {
        state->input_names.push_back(optional_input()->name);
    }
    return Prepared(std::move(state));
} catch (...) {
    leave_with_error([&] { return name(); });
}

}  // namespace tilewright
