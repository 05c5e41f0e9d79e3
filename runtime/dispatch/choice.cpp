// Which row `tuned` is, by the times that were measured.
#include "runtime/dispatch/choice.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/needs.h"
#include <algorithm>

namespace tilewright {

namespace {

constexpr size_t no_column = SIZE_MAX;

// Times that differ by less are equal: two measurements of one row differ by about as much.
constexpr double spread = 1.05;

// A call that is so far from all measured ones is like none of them: one number is 7.4 times as large, or two
// numbers are 4.1 times.
constexpr double far = 2;

// Null for a device that is not there.
const DeviceInfo *info_of(Device device) {
    for (const DeviceInfo &info : devices(device.backend)) {
        if (info.device == device && info.usable) {
            return &info;
        }
    }
    return nullptr;
}

bool has_times(const MeasuredTimes &times, size_t row) {
    const auto of_row = times.ms.subspan(row * times.count(), times.count());
    return std::any_of(of_row.begin(), of_row.end(), [](float ms) { return ms > 0; });
}

}  // namespace

RowOrder::RowOrder(const Operator &op, std::vector<const Row *> rows, const DeviceMeasurements &measurements,
    std::string_view type)
    : op_(op), rows_(std::move(rows)), column_(rows_.size(), no_column) {
    const auto found = measurements.find(op.name(), type);
    if (found) {
        times_ = found->times;
        prediction_ = std::make_unique<Prediction>(*found->times);
        device_ = found->device;
    }
    for (size_t i = 0; i < rows_.size(); i++) {
        for (size_t row = 0; found && row < found->times->rows.size(); row++) {
            if (rows_[i]->origin == op.name() && found->times->rows[row] == rows_[i]->schedule &&
                has_times(*found->times, row)) {
                column_[i] = row;
            }
        }
        if (column_[i] == no_column && rows_[i]->belongs_to("tuned")) {
            unmeasured_.push_back(rows_[i]);
        }
    }
}

// Whether the row was timed at a call near this one for which it is not meant either.
bool RowOrder::is_known_beyond(size_t row, const Measures &measures) const {
    for (size_t call = 0; call < times_->count(); call++) {
        if (times_->ms[column_[row] * times_->count() + call] <= 0 ||
            prediction_->distance(measures, call) >= far) {
            continue;
        }
        Measures measured;
        for (const float number : times_->calls.subspan(call * times_->numbers, times_->numbers)) {
            measured.add(number);
        }
        if (!op_.suits(*rows_[row], measured)) {
            return true;
        }
    }
    return false;
}

RowOrder::Order RowOrder::ordered(const Measures &measures) const {
    std::vector<Predicted> left;
    Order order{.is_near = prediction_->distance(measures) < far};
    const std::vector<double> ms = prediction_->ms(measures);
    for (size_t i = 0; i < rows_.size(); i++) {
        if (column_[i] != no_column && ms[column_[i]] > 0 &&
            (op_.suits(*rows_[i], measures) || is_known_beyond(i, measures))) {
            left.push_back({rows_[i], ms[column_[i]]});
        }
    }
    std::stable_partition(
        left.begin(), left.end(), [&](const Predicted &one) { return op_.suits(*one.row, measures); });
    while (!left.empty()) {
        const double least = std::min_element(left.begin(), left.end(), [](const auto &a, const auto &b) {
            return a.ms < b.ms;
        })->ms;
        const auto next = std::find_if(
            left.begin(), left.end(), [&](const Predicted &one) { return one.ms <= least * spread; });
        order.rows.push_back(*next);
        left.erase(next);
    }
    return order;
}

std::shared_ptr<const RowOrder::Order> RowOrder::order(const Measures &measures) const {
    static const auto &none = *new std::shared_ptr<const Order>(std::make_shared<const Order>());
    if (!prediction_) {
        return none;
    }
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

const RowOrder &RowChoices::of(const Operator &op, Device device, const std::string &type) {
    const std::lock_guard lock(mutex_);
    for (const Entry &entry : entries_) {
        if (entry.device == device && entry.type == type) {
            return *entry.order;
        }
    }
    std::vector<const Row *> rows;
    for (const Row &row : op.rows()) {
        if (row.backend == device.backend && row.type == type &&
            (row.belongs_to("tuned") || (row.origin == op.name() && op.may_stand_for_tuned(row)))) {
            rows.push_back(&row);
        }
    }
    std::stable_partition(rows.begin(), rows.end(), [](const Row *row) { return row->belongs_to("tuned"); });
    const DeviceInfo *info = info_of(device);
    entries_.push_back({device, type,
        std::make_unique<RowOrder>(
            op, std::move(rows), info ? measurements_of(*info) : DeviceMeasurements(), type)});
    return *entries_.back().order;
}

bool Operator::may_stand_for_tuned(const Row &row) const {
    return row.declined.empty() && row.autoscheduler.empty() && row.family != "reference" &&
           is_equal_to_tuned(row);
}

const Row *Operator::chosen_by_times(const Request &request, const Array &output, Device device) const {
    const RowOrder &rows = choices_->of(*this, device, request.type);
    const auto order = rows.order(measures_of_call(request));
    if (order->rows.empty() || !order->is_near) {
        return nullptr;
    }
    const DeviceInfo &limits = limits_of(device);
    const auto is_usable = [&](const Row &row) {
        return tilewright::why_not_on(row, limits).empty() && serves(row, request, output) &&
               why_not_on(row, device, request, output).empty();
    };
    for (const Row *row : rows.unmeasured()) {
        if (suits(*row, request) && is_usable(*row)) {
            return nullptr;
        }
    }
    for (const RowOrder::Predicted &one : order->rows) {
        if (is_usable(*one.row)) {
            return one.row;
        }
    }
    return nullptr;
}

std::vector<PredictedTime> Operator::predicted_times(const Request &request, Device device) const {
    const RowOrder &rows = choices_->of(*this, device, request.type);
    const auto order = rows.order(measures_of_call(request));
    std::vector<PredictedTime> times;
    if (!order->is_near) {
        return times;
    }
    for (const RowOrder::Predicted &one : order->rows) {
        times.push_back({one.row, one.ms, std::string(rows.measured_on()->file)});
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

// Times of a device with another number of units are scaled, apart from what a call takes that has no work
// for all of them.
double scaled(double ms, const MeasuredDevice &measured, int units) {
    constexpr double unscaled_ms = .1;
    const double factor = units > 0 && measured.units > 0 ? (double)measured.units / units : 1;
    return std::min(ms, unscaled_ms) + std::max(0., ms - unscaled_ms) * factor;
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

}  // namespace

Device Operator::choose_device(const Request &request, const std::string &schedule) const {
    return choose_device(request, Array::uninitialized(request.output_type, request.output_shape), schedule);
}

Device Operator::choose_device(
    const Request &request, const Array &output, const std::string &schedule) const {
    const Device gpu = best_device(), cpu;
    if (gpu == cpu || schedule != "tuned") {
        return gpu;
    }
    // What the row that a call on the device takes is predicted to take there; nothing where times do not
    // decide on the row.
    const auto predicted = [&](Device device) -> std::optional<double> {
        const Row *row = chosen_by_times(request, output, device);
        if (!row) {
            return {};
        }
        const RowOrder &rows = choices_->of(*this, device, request.type);
        const auto order = rows.order(measures_of_call(request));
        const auto one = std::find_if(order->rows.begin(), order->rows.end(),
            [&](const RowOrder::Predicted &of) { return of.row == row; });
        return scaled(one->ms, *rows.measured_on(), info_of(device)->units);
    };
    const std::optional<double> on_cpu = predicted(cpu);
    const std::optional<double> on_gpu = on_cpu ? predicted(gpu) : std::nullopt;
    if (!on_gpu) {
        return gpu;
    }
    const MeasuredDevice &copied = *choices_->of(*this, gpu, request.type).measured_on();
    return *on_cpu + copies_to_host_ms(request, copied) < *on_gpu + copies_to_gpu_ms(request, gpu, copied) ?
               cpu :
               gpu;
}

}  // namespace tilewright
