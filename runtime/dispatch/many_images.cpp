// Calls on arrays of many images: one choice of a variant. Its libraries run once per image, and on CUDA
// once for many images.
#include "runtime/dispatch/many_images.h"
#include "generators/algorithms/integers.h"
#include "runtime/arrays/copy.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/calls/watch.h"
#include "runtime/dispatch/arrays_of_call.h"
#include "runtime/dispatch/measurement.h"
#include "runtime/dispatch/steps/held_storages.h"
#include "runtime/dispatch/steps/plan.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/inside.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <set>
#include <utility>

namespace tilewright {

ManyImages::ManyImages(const Operator &op, std::span<const Array> inputs, const std::string &layout) {
    const auto refuse = [&](Fault fault, const std::string &why) {
        throw Error(fault, why, {.operation = op.name(), .argument = "layout", .value = layout});
    };
    const size_t image = layout.ends_with("hwc") ? 3 : layout.ends_with("hw") ? 2 : 0;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (image == 0 || !std::ranges::all_of(layout, is_letter) ||
        std::set(layout.begin(), layout.end()).size() != layout.size()) {
        refuse(Fault::usage, "takes a different letter for each axis, those of an image last: \"hw\", or "
                             "\"hwc\" with channels, as \"nhw\", \"nhwc\" or \"nchw\"");
    }
    for (size_t i = 0; i < inputs.size(); i++) {
        const std::vector<int64_t> &shape = inputs[i].shape();
        if (shape.size() != layout.size()) {
            refuse(
                Fault::input, fmt::format("the array has {} axes: {}", shape.size(), inputs[i].describe()));
        }
        const std::vector<int64_t> counts(shape.begin(), shape.end() - (ptrdiff_t)image);
        if (i > 0 && counts != counts_) {
            refuse(Fault::input, fmt::format("the arrays have different numbers of images: ({}) and ({})",
                                     fmt::join(counts_, ", "), fmt::join(counts, ", ")));
        }
        counts_ = counts;
    }
    for (const int64_t n : counts_) {
        count_ *= n;
    }
}

std::vector<int64_t> ManyImages::shape_of(const std::vector<int64_t> &image) const {
    std::vector<int64_t> shape = counts_;
    shape.insert(shape.end(), image.begin(), image.end());
    return shape;
}

Array ManyImages::image(const Array &array, int64_t i) const {
    std::vector<int64_t> index(counts_.size());
    for (size_t d = counts_.size(); d-- > 0; i /= counts_[d]) {
        index[d] = i % counts_[d];
    }
    return array.slice(index);
}

ManyImages::Together ManyImages::together(std::span<const Array> arrays) const {
    Together together{1, std::vector<int64_t>(arrays.size())};
    for (size_t d = counts_.size(); d-- > 0;) {
        for (size_t i = 0; counts_[d] > 1 && i < arrays.size(); i++) {
            const int64_t step = arrays[i].strides()[d] * (int64_t)size_of(arrays[i].type());
            if (together.count == 1) {
                together.steps[i] = step;
            } else if (step != together.count * together.steps[i]) {
                return together;
            }
        }
        together.count *= counts_[d];
    }
    return together;
}

std::vector<Array> ManyImages::images(std::span<const Array> arrays, int64_t i) const {
    std::vector<Array> all;
    for (const Array &array : arrays) {
        all.push_back(image(array, i));
    }
    return all;
}

// An output that this call made is known to no other thread.
static Array written_for(Device device, const Array &output) {
    const bool stands_in = device.backend == Backend::opencl && output.storage().use_count() > 1;
    return stands_in ? Array::uninitialized(output.type(), output.shape()) : output;
}

// On CUDA, what the output had before is not sent to the device, as it would be for a part of it.
PlacedImages::PlacedImages(
    const ManyImages &images, Device device, std::span<const Array> inputs, Array &output)
    : images_(images), are_parts_(device.backend == Backend::cuda), inputs_(inputs), output_(output),
      written_(written_for(device, output)) {
    if (are_parts_ && is_whole_storage(output)) {
        output.storage()->hold(device, true, true);
        keeps_host_ = output.storage()->newest().on_host;
        output.storage()->release(true, false);
    } else if (device.backend == Backend::cpu) {
        held_.emplace(output);
    }
}

PlacedImages::~PlacedImages() {
    if (keeps_host_) {
        output_.storage()->drop_device_copy();
    }
}

std::vector<Array> PlacedImages::inputs(int64_t i) const {
    std::vector<Array> all = images_.images(inputs_, i);
    for (Array &image : all) {
        if (!are_parts_) {
            image = Array::view(image.type(), std::as_const(image).data(), image.shape(), image.strides());
        }
    }
    return all;
}

Array PlacedImages::output(int64_t i) {
    Array image = images_.image(written_, i);
    if (!are_parts_) {
        image = Array::view(image.type(), image.data(), image.shape(), image.strides());
        results_.push_back(image);
    }
    return image;
}

void PlacedImages::finish() {
    for (const Array &result : results_) {
        result.sync();
    }
    if (written_.storage() != output_.storage()) {
        copy(written_, output_);
    }
    keeps_host_ = false;
}

std::vector<Array> Operator::first_images(std::span<const Array> inputs, const std::string &layout) const {
    return layout.empty() ? std::vector(inputs.begin(), inputs.end()) :
                            ManyImages(*this, inputs, layout).images(inputs, 0);
}

std::pair<Type, std::vector<int64_t>> Operator::output_of(
    std::span<const Array> inputs, const Settings &settings, const std::string &layout) const {
    const auto request = parse(first_images(inputs, layout), settings);
    return {request->output_type, layout.empty() ?
                                      request->output_shape :
                                      ManyImages(*this, inputs, layout).shape_of(request->output_shape)};
}

// The arrays that a plan has for what is computed on the way.
static std::vector<Array> scratch_of(const Plan &plan, std::span<const Array> arguments) {
    std::vector<Array> scratch;
    const auto is_new = [&](const Array &array) {
        const auto same = [&](const Array &other) { return other.storage() == array.storage(); };
        return std::ranges::none_of(arguments, same) && std::ranges::none_of(scratch, same);
    };
    for (const Launch *launch : plan.launches()) {
        for (const Launch::Bound &bound : launch->bound()) {
            if (bound.array && bound.declared.kind == halide_argument_kind_output_buffer &&
                is_new(*bound.array)) {
                scratch.push_back(*bound.array);
            }
        }
    }
    return scratch;
}

// Room for so many times the arrays, and the bytes from one to the next.
using Rooms = std::pair<std::vector<Array>, std::vector<int64_t>>;

// Such room, in which each array is where its first one is. None where the device has no memory for it.
static std::optional<Rooms> rooms_for(const std::vector<Array> &arrays, int64_t count, Device device) try {
    Rooms rooms;
    for (const Array &array : arrays) {
        const Array room = Array::uninitialized(
            Type::u8, {count, (int64_t)round_up(array.storage()->bytes(), size_t(256))}, 0);
        room.storage()->hold(device, true, true);  // so that what the host has there is not sent
        room.storage()->release(true, false);
        rooms.first.push_back(array.moved_to(room, array.offset_bytes()));
        rooms.second.push_back(room.strides()[0]);
    }
    return rooms;
} catch (const Error &error) {
    if (error.fault() != Fault::memory) {
        throw;
    }
    return {};
}

// How many images are worked on at once: what is computed on the way has memory for all of them.
static int64_t most_at_once(const Array &image, const std::vector<Array> &scratch) {
    constexpr int64_t most_memory = int64_t(2) << 30, most = 65535;  // along the third axis of a grid
    int64_t bytes = image.size() * (int64_t)size_of(image.type());
    for (const Array &array : scratch) {
        bytes = std::max(bytes, (int64_t)array.storage()->bytes());
    }
    return std::clamp<int64_t>(most_memory / bytes, 1, most);
}

// Whether a plan is that of an image so many images further on. Fronts may bind the words in which an image
// begins, and numbers that depend on where in them it does; what is right for the next image and for the last
// one is right for those between.
static bool is_same_work(const Plan &plan, const Plan &other, int64_t images, std::span<const Array> arrays,
    std::span<const int64_t> steps) {
    const auto is_same = [&](const Launch::Bound &a, const Launch::Bound &b) {
        if (!a.array) {
            return a.number == b.number;
        }
        View moved = *a.view;
        for (size_t i = 0; i < steps.size(); i++) {
            if (arrays[i].storage() == a.array->storage()) {
                moved.offset += images * steps[i];
                break;
            }
        }
        return moved == *b.view;
    };
    return std::ranges::equal(plan.launches(), other.launches(), [&](const Launch *a, const Launch *b) {
        return &a->variant() == &b->variant() && std::ranges::equal(a->bound(), b->bound(), is_same);
    });
}

// The kernels of images that follow each other are launched once (Launch::set_images).
std::optional<Plan> Operator::plan_of_images(const ManyImages &images, Device device,
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how,
    const Variant *&variant) const {
    if (device.backend != Backend::cuda || images.count() == 1 || looks_at_elements()) {
        return {};
    }
    constexpr int64_t most_groups = 4096;  // each has a plan, before the first one runs
    const auto are_alike = [](const Array &a, const Array &b) {
        return a.strides() == b.strides() && a.offset_bytes() == b.offset_bytes() &&
               a.storage()->layout() == b.storage()->layout();
    };
    std::vector<Array> arrays(inputs.begin(), inputs.end());
    arrays.push_back(output);
    ManyImages::Together together = images.together(arrays);
    int64_t most = together.count;
    // Where the second one begins, fewer variants may serve it.
    const std::unique_ptr<Request> second = read_checked(images.images(inputs, 1), settings);
    second->images = together.count;
    variant = &choose(*second, images.image(output, 1), how.schedule, device, how.variants);
    std::vector<Array> first_scratch;
    std::optional<Rooms> rooms;
    Plan all;
    for (int64_t i = 0, next = 0; i < images.count(); i = next) {
        const auto request = parse(images.images(inputs, i), settings);
        Array image = images.image(output, i);
        if (!serves(*variant, *request, image)) {
            return {};
        }
        Plan one = plan(*variant, device, *request, image);
        const std::vector<Array> scratch = scratch_of(one, std::span(arrays).first(inputs.size() + 1));
        if (i == 0) {
            most = std::min(most, most_at_once(image, scratch));
            if (most == 1 || images.count() / most > most_groups) {
                return {};
            }
            rooms = rooms_for(scratch, most, device);
            if (!rooms) {
                return {};
            }
            first_scratch = scratch;
            arrays.insert(arrays.end(), rooms->first.begin(), rooms->first.end());
            together.steps.insert(together.steps.end(), rooms->second.begin(), rooms->second.end());
        }
        next = std::min(i + most, (i / together.count + 1) * together.count);
        for (const int64_t k : std::set{std::min(i + 1, next - 1), next - 1}) {
            const auto of_other = parse(images.images(inputs, k), settings);
            Array other = images.image(output, k);
            if (!serves(*variant, *of_other, other) ||
                !is_same_work(one, plan(*variant, device, *of_other, other), k - i, arrays, together.steps)) {
                return {};
            }
        }
        if (!one.has_libraries_alone() || !std::ranges::equal(scratch, first_scratch, are_alike)) {
            return {};
        }
        one.replace(scratch, rooms->first);
        one.set_images(next - i, arrays, together.steps);
        all.append(std::move(one));
    }
    return all;
}

// Runs it. None, where the kernels cannot work on many images, or there is no memory for all of them.
static std::vector<const Variant *> run_if_possible(Plan &plan) try {
    return plan.run();
} catch (const Error &error) {
    if (error.fault() == Fault::cancelled) {
        throw;
    }
    return {};
}

// One variant for all images that it serves. Where images begin at other alignments, others may have another
// one, which is chosen once.
Operator::Place Operator::place_of_images(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const try {
    const Inside inside;
    const Measurement measurement(how.statistics);
    Watch watch(how.progress, how.progress ? name() : "");
    check_number(inputs.size());
    const ManyImages images(*this, inputs, how.layout);
    const auto first = parse(images.images(inputs, 0), settings);
    Array result =
        output_of_call(first->output_type, images.shape_of(first->output_shape), inputs, output, how);
    const std::optional<Device> known = how.device ? how.device : wrapped_device(inputs, result);
    const Device device =
        known ? *known : choose_place(*first, images.image(result, 0), how.schedule, how.variants).device;
    driver::open(device);
    PlacedImages placed(images, device, inputs, result);
    std::vector<const Variant *> chosen, ran;
    const Variant *at_once = nullptr;
    if (std::optional<Plan> plan = plan_of_images(images, device, inputs, result, settings, how, at_once)) {
        ran = run_if_possible(*plan);
    }
    at_once = ran.empty() ? nullptr : at_once;
    if (at_once) {
        chosen.push_back(at_once);
    }
    for (int64_t i = at_once ? images.count() : 0; i < images.count(); i++) {
        const auto request = parse(placed.inputs(i), settings);
        Array image = placed.output(i);
        check_elements(*request);
        const auto served = std::ranges::find_if(
            chosen, [&](const Variant *variant) { return serves(*variant, *request, image); });
        const Variant *variant = served != chosen.end() ? *served : nullptr;
        const Watch::Part part((size_t)i, (size_t)images.count());
        const std::vector<const Variant *> libraries = run_chosen(variant, device, *request, image, how);
        if (std::ranges::count(chosen, variant) == 0) {
            ran.insert(ran.end(), libraries.begin(), libraries.end());
            chosen.push_back(variant);
        }
    }
    placed.finish();
    watch.finish();
    output = std::move(result);
    measurement.write(device, *chosen.front(), ran);
    return {device, at_once};
} catch (...) {
    leave_with_error([&] { return name(); });
}

}  // namespace tilewright
