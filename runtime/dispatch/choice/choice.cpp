// Which variant `tuned` is, by the times that were measured.
#include "runtime/dispatch/choice/choice.h"
#include "runtime/arrays/storage.h"
#include "runtime/devices/best_device.h"
#include "runtime/dispatch/choice/kernel_needs.h"
#include "runtime/dispatch/form.h"
#include "runtime/dispatch/padding.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>

namespace tilewright {

namespace {

constexpr size_t no_column = SIZE_MAX;

// Times that differ by less are equal: two measurements of one variant differ by about as much.
constexpr double spread = 1.05;

bool has_times(const MeasuredTimes &times, size_t variant) {
    const auto of_variant = times.ms.subspan(variant * times.count(), times.count());
    return std::any_of(of_variant.begin(), of_variant.end(), [](float ms) { return ms > 0; });
}

}  // namespace

VariantOrder::VariantOrder(const Operator &op, std::vector<const Variant *> variants,
    const DeviceMeasurements &measurements, std::string_view type)
    : op_(op), variants_(std::move(variants)), column_(variants_.size(), no_column) {
    const auto found = measurements.find(op.name(), type);
    if (found) {
        times_ = found->times;
        device_ = found->device;
    }
    for (size_t i = 0; i < variants_.size(); i++) {
        for (size_t variant = 0; found && variant < found->times->variants.size(); variant++) {
            if (variants_[i]->origin == op.name() &&
                found->times->variants[variant] == variants_[i]->schedule &&
                has_times(*found->times, variant)) {
                column_[i] = variant;
            }
        }
        if (variants_[i]->belongs_to("tuned")) {
            family_.push_back(variants_[i]);
            if (column_[i] == no_column) {
                unmeasured_.push_back(variants_[i]);
            }
        }
    }
    if (found) {
        prediction_ = std::make_unique<Prediction>(
            *times_, [this](size_t column, const Measures &measures) { return padding(column, measures); });
    }
}

// Of the variant that has a column of the measured times; 1 for those that are none of `variants_`.
double VariantOrder::padding(size_t column, const Measures &measures) const {
    const auto at = std::ranges::find(column_, column);
    if (at == column_.end()) {
        return 1;
    }
    Measures with_units = measures;
    with_units.add(device_->units);
    return op_.measure(measure_of_padding, *variants_[(size_t)(at - column_.begin())], with_units);
}

// Whether the variant was timed at a call near this one for which it is not meant either, and its time does
// not depend on values.
bool VariantOrder::is_known_beyond(size_t variant, const Measures &measures) const {
    if (!op_.may_stand_for_tuned(*variants_[variant])) {
        return false;
    }
    for (size_t call = 0; call < times_->count(); call++) {
        if (times_->ms[column_[variant] * times_->count() + call] <= 0 ||
            prediction_->distance(measures, call) >= Prediction::far) {
            continue;
        }
        if (!op_.is_meant_for(*variants_[variant], times_->measures(call))) {
            return true;
        }
    }
    return false;
}

std::vector<VariantOrder::Predicted> VariantOrder::by_times(const Measures &measures) const {
    std::vector<Predicted> left, order;
    const std::vector<double> ms = prediction_->ms(measures);
    for (size_t i = 0; i < variants_.size(); i++) {
        if (column_[i] != no_column && ms[column_[i]] > 0 &&
            (op_.is_meant_for(*variants_[i], measures) || is_known_beyond(i, measures))) {
            left.push_back({variants_[i], ms[column_[i]]});
        }
    }
    std::stable_partition(left.begin(), left.end(),
        [&](const Predicted &one) { return op_.is_meant_for(*one.variant, measures); });
    while (!left.empty()) {
        const double least = std::min_element(left.begin(), left.end(), [](const auto &a, const auto &b) {
            return a.ms < b.ms;
        })->ms;
        const auto next = std::find_if(
            left.begin(), left.end(), [&](const Predicted &one) { return one.ms <= least * spread; });
        order.push_back(*next);
        left.erase(next);
    }
    return order;
}

VariantOrder::Order VariantOrder::ordered(const Measures &measures) const {
    Order order{.family = family_};
    if (prediction_) {
        order.is_near = prediction_->distance(measures) < Prediction::far;
        order.by_times = by_times(measures);
    }
    const auto is_meant = [&](const Variant *variant) { return op_.is_meant_for(*variant, measures); };
    std::copy_if(unmeasured_.begin(), unmeasured_.end(), std::back_inserter(order.unmeasured), is_meant);
    std::stable_partition(order.family.begin(), order.family.end(),
        [&](const Variant *variant) { return variant->schedule == "tuned" || is_meant(variant); });
    return order;
}

std::shared_ptr<const VariantOrder::Order> VariantOrder::order(const Measures &measures) const {
    constexpr size_t most_kept = 16;
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept &kept) { return kept.measures == measures; });
    if (at != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, at);
    } else {
        kept_.push_front({measures, std::make_shared<const Order>(ordered(measures))});
        kept_.resize(std::min(kept_.size(), most_kept));
    }
    return kept_.front().order;
}

std::vector<const Variant *> variants_for_tuned(
    const Operator &op, Backend backend, const std::string &type) {
    std::vector<const Variant *> variants;
    for (const Variant &variant : op.variants()) {
        if (variant.backend == backend && variant.type == type &&
            (variant.belongs_to("tuned") ||
                (variant.origin == op.name() && op.may_stand_for_tuned(variant)))) {
            variants.push_back(&variant);
        }
    }
    std::stable_partition(variants.begin(), variants.end(),
        [](const Variant *variant) { return variant->belongs_to("tuned"); });
    return variants;
}

const VariantOrder &VariantChoices::of(const Operator &op, Device device, const std::string &type) {
    const std::lock_guard lock(mutex_);
    for (const Entry &entry : entries_) {
        if (entry.device == device && entry.type == type) {
            return *entry.order;
        }
    }
    const DeviceInfo *info = usable_info(device);
    entries_.push_back({device, type,
        std::make_unique<VariantOrder>(op, variants_for_tuned(op, device.backend, type),
            info ? measurements_of(*info) : DeviceMeasurements(), type)});
    return *entries_.back().order;
}

// The variants that the schedule means, for one type.
static std::vector<const Variant *> meant_variants(
    const std::vector<Variant> &variants, const std::string &schedule, const std::string &type) {
    std::vector<const Variant *> meant;
    for (const Variant &variant : variants) {
        if (variant.type == type && variant.belongs_to(schedule)) {
            meant.push_back(&variant);
        }
    }
    return meant;
}

std::optional<Device> VariantChoices::device_for(
    const Operator &op, const std::string &schedule, const std::string &type) {
    const std::lock_guard lock(mutex_);
    const auto known = devices_.find({schedule, type});
    if (known != devices_.end() && !driver_has_ended(known->second.backend)) {
        return known->second;
    }
    const std::optional<Device> found = best_device_for(meant_variants(op.variants(), schedule, type));
    if (found) {
        devices_.insert_or_assign({schedule, type}, *found);
    }
    return found;
}

bool Operator::may_stand_for_tuned(const Variant &variant) const {
    return variant.autoscheduler.empty() && variant.family != "reference" &&
           form(variant).equals_tuned(variant);
}

bool Operator::is_usable(
    const Variant &variant, Device device, const Request &request, const Array &output) const {
    return tilewright::why_not_on(variant, limits_of(device)).empty() && serves(variant, request, output) &&
           why_not_on(variant, device, request, output).empty();
}

// Images at once keep a device as busy as one larger image does, up to the size that fills it. Products,
// whose measures are m, k and n, are m x n.
static Measures measures_at_once(const Operator &op, const Request &request) {
    Measures measures = op.measures(request);
    double &height = measures.numbers[0], &width = measures.numbers[op.makes() == Makes::matrix ? 2 : 1];
    if (request.images > 1 && measures.count > 1 && height * width < elements_that_fill) {
        const double sides =
            std::sqrt(std::min((double)request.images, elements_that_fill / (height * width)));
        height *= sides;
        width *= sides;
    }
    return measures;
}

VariantChoice Operator::tuned_variant(const Request &request, const Array &output, Device device) const {
    const VariantOrder &variants = choices_->of(*this, device, request.type);
    const auto order = variants.order(measures_at_once(*this, request));
    const auto is_usable = [&](const Variant *variant) {
        return this->is_usable(*variant, device, request, output);
    };
    const auto found = std::find_if(order->unmeasured.begin(), order->unmeasured.end(), is_usable);
    const Variant *const unmeasured = found == order->unmeasured.end() ? nullptr : *found;
    for (size_t i = 0; order->is_near && !unmeasured && i < order->by_times.size(); i++) {
        const VariantOrder::Predicted &one = order->by_times[i];
        if (is_usable(one.variant)) {
            return {one.variant, one.ms, variants.measured_on()};
        }
    }
    const bool has_times = order->is_near && !order->by_times.empty();
    for (const Variant *variant : order->family) {
        if (variant == unmeasured || is_usable(variant)) {
            return {variant, has_times ? order->by_times.front().ms : 0};
        }
    }
    return {};
}

std::vector<PredictedTime> Operator::predicted_times(const Request &request, Device device) const {
    const VariantOrder &variants = choices_->of(*this, device, request.type);
    const auto order = variants.order(measures(request));
    std::vector<PredictedTime> times;
    if (!order->is_near) {
        return times;
    }
    for (const VariantOrder::Predicted &one : order->by_times) {
        const MeasuredDevice &from = *variants.measured_on();
        times.push_back({one.variant, one.ms, std::string(from.file), from.error.median, from.error.most});
    }
    return times;
}

namespace {

double bytes_of(const Array &array) {
    return (double)array.size() * (double)size_of(array.type());
}

// The milliseconds of a copy between host and device; each one has a wait.
double copy_ms(const MeasuredDevice &device, double bytes, double bytes_per_ms) {
    return device.copy_ms + (bytes_per_ms > 0 ? bytes / bytes_per_ms : 0);
}

// What the variant is predicted to take on `device`. Times of a device with another number of units are
// scaled, apart from what a call takes that has no work for all of them.
double ms_on(Device device, const VariantChoice &chosen) {
    constexpr double unscaled_ms = .1;
    const int units = usable_info(device)->units, measured = chosen.measured_on->units;
    const double factor = units > 0 && measured > 0 ? (double)measured / units : 1;
    return std::min(chosen.ms, unscaled_ms) + std::max(0., chosen.ms - unscaled_ms) * factor;
}

// The copies of a call on the GPU: of the inputs that it does not have, and of the result, where an input
// came from the host.
double copies_to_gpu_ms(const Request &request, Device gpu, const MeasuredDevice &measured) {
    double ms = 0;
    for (const Array &input : request.inputs) {
        if (input.storage()->newest().device != gpu) {
            ms += copy_ms(measured, bytes_of(input), measured.bytes_to_device);
        }
    }
    double bytes = (double)size_of(request.output_type);
    for (const int64_t extent : request.output_shape) {
        bytes *= (double)extent;
    }
    return ms + (ms > 0 ? copy_ms(measured, bytes, measured.bytes_to_host) : 0);
}

double copies_to_host_ms(const Request &request, const MeasuredDevice &measured) {
    double ms = 0;
    for (const Array &input : request.inputs) {
        ms += input.storage()->newest().on_host ? 0 :
                                                  copy_ms(measured, bytes_of(input), measured.bytes_to_host);
    }
    return ms;
}

// Drivers of GPUs take at least so long to start. They are not started for calls that together are predicted
// to take less on the CPU; this is what is left for such calls.
std::atomic<double> ms_before_drivers{30};

}  // namespace

bool may_spare_drivers() {
    return ms_before_drivers > 0 && !drivers_are_started();
}

bool spares_drivers(double ms) {
    return may_spare_drivers() && ms > 0 && ms_before_drivers.fetch_sub(ms) > ms;
}

Device Operator::choose_device(
    const Request &request, const std::string &schedule, const std::vector<Variant> *variants) const {
    const Array output = Array::uninitialized(request.output_type, request.output_shape);
    return choose_place(request, output, schedule, variants).device;
}

Operator::Place Operator::choose_place(const Request &request, const Array &output,
    const std::string &schedule, const std::vector<Variant> *variants) const {
    if (const std::optional<Device> asked = device_of_environment()) {
        return {*asked, nullptr};
    }
    const Device cpu;
    // The times are of the operator's own variants.
    const bool is_measured = schedule == "tuned" && !variants;
    const VariantChoice on_cpu = is_measured ? tuned_variant(request, output, cpu) : VariantChoice();
    if (on_cpu.variant && may_spare_drivers()) {
        // A variant that was not measured is taken for as fast as the best one that was.
        const double ms = on_cpu.measured_on ? ms_on(cpu, on_cpu) : on_cpu.ms;
        if (spares_drivers(ms)) {
            return {cpu, on_cpu.variant};
        }
    }
    const std::optional<Device> best =
        variants ? best_device_for(meant_variants(*variants, schedule, request.type)) :
                   choices_->device_for(*this, schedule, request.type);
    const Device gpu = best ? *best : best_device();
    if (gpu == cpu || !is_measured) {
        return {gpu, gpu == cpu ? on_cpu.variant : nullptr};
    }
    const VariantChoice on_gpu = tuned_variant(request, output, gpu);
    if (!on_cpu.measured_on || !on_gpu.measured_on) {
        return {gpu, on_gpu.variant};
    }
    const MeasuredDevice &copied = *on_gpu.measured_on;
    const double cpu_ms = ms_on(cpu, on_cpu) + copies_to_host_ms(request, copied),
                 gpu_ms = ms_on(gpu, on_gpu) + copies_to_gpu_ms(request, gpu, copied);
    return cpu_ms < gpu_ms ? Place{cpu, on_cpu.variant} : Place{gpu, on_gpu.variant};
}

}  // namespace tilewright
