// Calls by the plan of an earlier call.
#include "runtime/dispatch/kept_calls.h"
#include "runtime/arrays/storage.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/memory/memory_pool.h"
#include "runtime/devices/opencl/opencl.h"
#include "runtime/devices/thread_context.h"
#include "runtime/dispatch/measurement.h"
#include "runtime/process/immortal.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <algorithm>
#include <new>
#include <utility>

namespace tilewright {

bool Prepared::State::keep(Plan made) {
    constexpr size_t most_bytes = 8 << 20;  // of more, kernels take longer than the host
    if (!bind(std::move(made), false)) {
        return false;
    }
    find_buffers(false);
    size_t bytes = 0;
    for (const Buffer &buffer : buffers_) {
        bytes += buffer.is_on_the_way() ? buffer.storage->bytes() : 0;
    }
    if (bytes > most_bytes) {
        return false;
    }
    static const std::byte nothing{};
    for (const Array &array : bound_) {
        nowhere_.push_back(array.moved_to(
            Array::view(Type::u8, static_cast<const void *>(&nothing), {1}), array.offset_bytes()));
    }
    let_go();
    return true;
}

void Prepared::State::let_go() {
    if (plan_) {
        plan_->replace(bound_, nowhere_);
    }
    for (Buffer &buffer : buffers_) {
        if (buffer.argument) {
            buffer.storage.reset();
        } else if (buffer.is_on_the_way()) {
            buffer.storage->release_device();
        }
    }
    if (kernels) {
        kernels->let_go();
    }
    bound_ = nowhere_;
    arguments = nowhere_;
}

void Prepared::State::forget() noexcept {
    plan_.reset();
    kernels.reset();
    buffers_.clear();
    bound_.clear();
    arguments.clear();
}

bool Prepared::State::run_kept(std::span<const Array> inputs, const Array &result) {
    if (!plan_ && !kernels) {
        return false;
    }
    struct Borrowed {
        State &state;
        ~Borrowed() {
            try {
                state.let_go();
            } catch (const std::bad_alloc &) {
                state.forget();
            }
        }
    } borrowed{*this};
    arguments.assign(inputs.begin(), inputs.end());
    arguments.push_back(result);
    if (!can_take_arguments()) {
        return false;
    }
    bind_arguments();
    if (kernels) {
        if (!can_record()) {
            return false;
        }
        launch();
    } else if (!can_record() || std::exchange(was_recorded_, true)) {
        plan_->run();
    } else {
        record();
        plan_ = kernels ? std::nullopt : std::move(plan_);
    }
    return true;
}

// Those of all operators, of which a program may make some itself.
struct KeptCalls::All {
    std::mutex mutex;
    std::vector<KeptCalls *> operators;
};

KeptCalls::All &KeptCalls::all() {
    return immortal([] { return All(); });
}

KeptCalls::KeptCalls() {
    const std::lock_guard lock(all().mutex);
    all().operators.push_back(this);
}

KeptCalls::~KeptCalls() {
    const std::lock_guard lock(all().mutex);
    std::erase(all().operators, this);
}

void KeptCalls::forget_all() {
    std::list<Kept> forgotten;
    const std::lock_guard lock(all().mutex);
    for (KeptCalls *calls : all().operators) {
        const std::lock_guard lock_of_calls(calls->mutex_);
        forgotten.splice(forgotten.end(), calls->kept_);
    }
}

// Takes what is kept of calls like this one out, so that no other thread has it meanwhile. Of the first one
// that is its description alone.
KeptCalls::Taken KeptCalls::take(std::span<const Array> inputs, const Settings &settings, const Call &how) {
    const auto is_like = [](const Array &a, const Array &b) {
        return a.type() == b.type() && a.shape() == b.shape();
    };
    Taken taken;
    {
        const std::lock_guard lock(mutex_);
        const auto known = std::ranges::find_if(kept_, [&](const Kept &kept) {
            return kept.device == how.device && std::ranges::equal(kept.inputs, inputs, is_like) &&
                   kept.schedule == how.schedule && kept.settings.all() == settings.all();
        });
        if (known != kept_.end()) {
            taken.splice(taken.end(), kept_, known);
            return taken;
        }
    }
    Kept &made = taken.emplace_back(Kept{settings, how.schedule, how.device, {}});
    for (const Array &input : inputs) {
        made.inputs.push_back(input.moved_to(Array(), 0));
    }
    return taken;
}

void KeptCalls::give_back(Taken taken) {
    constexpr int most_kept = 8;  // with a plan, and as many without one, which drive no plan out
    const std::lock_guard lock(mutex_);
    kept_.splice(kept_.begin(), taken);
    const auto is_like = [has_plan = kept_.front().state != nullptr](
                             const Kept &kept) { return (kept.state != nullptr) == has_plan; };
    if (std::ranges::count_if(kept_, is_like) > most_kept) {
        const auto oldest = std::find_if(kept_.rbegin(), kept_.rend(), is_like);
        taken.splice(taken.end(), kept_, std::prev(oldest.base()));
    }
}

static bool may_run_on_gpu(std::span<const Array> inputs, const Call &how) {
    const bool has_arrays = !inputs.empty() && std::ranges::none_of(inputs, &Array::empty);
    return has_arrays && (how.device ? how.device->backend != Backend::cpu :
                                       inputs[0].storage()->newest().device.has_value());
}

// A call without a device runs where its arrays are, if calls like it ran there when they had to be copied.
static bool are_on(Device device, std::span<const Array> inputs, const Array &output) {
    return !output.is_wrapped() && std::ranges::all_of(inputs, [&](const Array &input) {
        return input.storage()->newest().device == device;
    });
}

// Runs the call by the plan that is kept. False where it cannot, and where the device has not the memory, or
// no longer what a library needs: the call may take another variant then.
bool KeptCalls::run(
    Kept &kept, const Operator &op, std::span<const Array> inputs, Array &output, const Call &how) try {
    if (!kept.state || !(how.device || are_on(kept.state->device, inputs, output))) {
        return false;
    }
    const Measurement measurement(how.statistics);
    const Array &like = kept.state->output();
    Array result = op.output_of_call(like.type(), like.shape(), inputs, output, how);
    if (!kept.state->run_kept(inputs, result)) {
        return false;
    }
    output = std::move(result);
    measurement.write(kept.state->device, *kept.variant, kept.libraries);
    return true;
} catch (const Error &error) {
    const auto runs = [&](const Variant *variant) {
        return why_not_on(*variant, kept.state->device).empty();
    };
    if (error.fault() != Fault::memory && std::ranges::all_of(kept.libraries, runs)) {
        throw;
    }
    kept.state.reset();
    kept.calls = 0;
    return false;
}

// Keeps the plan of a call that was made.
void KeptCalls::keep(Kept &kept, const Operator &op, const Request &request, Array &output, Device device,
    const Variant &variant) try {
    auto state = std::make_unique<Prepared::State>();
    state->name = op.name();
    state->device = device;
    state->arguments = request.inputs;
    state->arguments.push_back(output);
    Plan plan = op.plan(variant, device, request, output);
    kept.variant = &variant;
    kept.libraries = plan.variants();
    if (state->keep(std::move(plan))) {
        kept.state = std::move(state);
    }
} catch (const Error &) {           // NOLINT(bugprone-empty-catch): without memory for it nothing is kept
} catch (const std::bad_alloc &) {  // NOLINT(bugprone-empty-catch): the same
}

void KeptCalls::call(const Operator &op, std::span<const Array> inputs, Array &output,
    const Settings &settings, const Call &how) {
    const driver::ThreadContext &thread = driver::this_thread;
    const bool is_recorded = thread.recorder || thread.graph || thread.launches || thread.images;
    if (!may_run_on_gpu(inputs, how) || how.variants || how.progress || is_recorded ||
        op.looks_at_elements()) {
        return op.call(*op.parse(inputs, settings), output, how);
    }
    Taken taken = take(inputs, settings, how);
    Kept &kept = taken.front();
    if (!run(kept, op, inputs, output, how)) {
        const auto request = op.parse(inputs, settings);
        const auto [device, variant] = op.place_of_call(*request, output, how);
        if (kept.calls++ == 1 && device.backend != Backend::cpu) {
            keep(kept, op, *request, output, device, *variant);
        }
    }
    give_back(std::move(taken));
}

void trim_device_memory() {
    const Inside inside;
    KeptCalls::forget_all();
    driver::cuda_memory().free_all();
    driver::opencl_memory().free_all();
}

}  // namespace tilewright
