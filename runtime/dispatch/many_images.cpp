// Calls on arrays of many images: one choice of a variant, and its libraries once per image.
#include "runtime/dispatch/many_images.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
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
#include <optional>
#include <set>
#include <utility>

namespace tilewright {

ManyImages::ManyImages(const Operator &op, std::span<const Array> inputs, const std::string &layout) {
    const auto refuse = [&](Fault fault, const std::string &why) {
        throw Error(fault, why, {.operation = op.name(), .argument = "layout", .value = layout});
    };
    const size_t image = layout.ends_with("hwc") ? 3 : layout.ends_with("hw") ? 2 : 0;
    if (image == 0 || std::set(layout.begin(), layout.end()).size() != layout.size()) {
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
    for (int64_t i = 0; i < images.count(); i++) {
        const auto request = parse(placed.inputs(i), settings);
        Array image = placed.output(i);
        check_elements(*request);
        const auto served = std::ranges::find_if(
            chosen, [&](const Variant *variant) { return serves(*variant, *request, image); });
        const Variant *variant =
            served != chosen.end() ? *served : &choose(*request, image, how.schedule, device, how.variants);
        const Variant *const tried = variant;
        const Watch::Part part((size_t)i, (size_t)images.count());
        const std::vector<const Variant *> libraries = run_in_memory(variant, device, *request, image, how);
        if (std::ranges::find(chosen, variant) == chosen.end()) {
            ran.insert(ran.end(), libraries.begin(), libraries.end());
            // What runs for want of memory is the first choice for the images that follow.
            chosen.insert(variant != tried ? chosen.begin() : chosen.end(), variant);
        }
    }
    placed.finish();
    watch.finish();
    output = std::move(result);
    measurement.write(device, *chosen.front(), ran);
    return {device, chosen.front()};
} catch (...) {
    leave_with_error([&] { return name(); });
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

static bool is_laid_out_alike(const Array &a, const Array &b) {
    return a.type() == b.type() && a.shape() == b.shape() && a.strides() == b.strides() &&
           a.offset_bytes() == b.offset_bytes() && a.storage()->layout() == b.storage()->layout();
}

// How many lanes a CUDA graph of many images has: kernels of that many images may run at the same time. A
// kernel of a small image leaves most of a GPU idle, and one of a larger image some of it while its last
// blocks end: on an H200 (2026-11-28), 48 images of 1080 x 1920 f32 take .36 ms in four lanes, and .72 ms
// one after another (gaussian_blur, sigma 3). Each lane has memory of its own for what is computed on the
// way, which is about as large as an image.
static int64_t lanes_for(const Array &image, const std::vector<Array> &scratch) {
    constexpr int64_t most_lanes = 16, most_memory = 256 << 20;
    int64_t bytes = 0;
    for (const Array &array : scratch) {
        bytes += array.size() * (int64_t)size_of(array.type());
    }
    bytes = std::max(bytes, image.size() * (int64_t)size_of(image.type()));
    return std::clamp<int64_t>(most_memory / bytes, 1, most_lanes);
}

// Images of one lane share the memory of what is computed on the way.
std::optional<Plan> Operator::plan_of_images(const ManyImages &images, const Variant &variant, Device device,
    std::span<const Array> inputs, Array &output, const Settings &settings) const {
    constexpr int64_t most_images = 4096;
    if (images.count() > most_images) {
        return {};
    }
    std::vector<Array> arguments(inputs.begin(), inputs.end());
    arguments.push_back(output);
    std::vector<std::vector<Array>> scratch;  // of each lane
    int64_t lanes = 1;
    Plan all;
    for (int64_t i = 0; i < images.count(); i++) {
        const auto request = parse(images.images(inputs, i), settings);
        Array image = images.image(output, i);
        if (!serves(variant, *request, image)) {
            return {};
        }
        Plan one = plan(variant, device, *request, image);
        if (!one.has_libraries_alone()) {
            return {};
        }
        const std::vector<Array> own = scratch_of(one, arguments);
        lanes = i == 0 ? lanes_for(image, own) : lanes;
        if (i < lanes) {
            scratch.push_back(own);
        } else if (std::ranges::equal(own, scratch[(size_t)(i % lanes)], is_laid_out_alike)) {
            one.replace(own, scratch[(size_t)(i % lanes)]);
        }
        all.append(std::move(one), (size_t)(i % lanes));
    }
    return all;
}

}  // namespace tilewright
