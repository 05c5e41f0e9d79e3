#pragma once
// The choice among variants by the times that were measured. Not installed.
#include "runtime/measured/prediction.h"
#include "tilewright/operator.h"
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright {

// The variants that `tuned` may take on a backend for one type, in the order in which equally fast ones are
// taken: those of the family first.
std::vector<const Variant *> variants_for_tuned(const Operator &op, Backend backend, const std::string &type);

// Results of so many elements keep a GPU busy. Images of fewer are faster at once than one after another.
inline constexpr double elements_that_fill = 2e6;

// Drivers of GPUs take longer to start than small calls take on the CPU. Whether such calls may still run
// there, so that no driver is started, and whether one does that is predicted to take `ms` on the CPU.
bool may_spare_drivers();
bool spares_drivers(double ms);

// The variants of one operator for one type on one device, by their predicted times.
class VariantOrder {
public:
    // `variants` of `op`: all of variants_for_tuned(), or some of them.
    VariantOrder(const Operator &op, std::vector<const Variant *> variants,
        const DeviceMeasurements &measurements, std::string_view type);

    struct Predicted {
        const Variant *variant;
        double ms;
    };

    // In which order variants are asked for calls of the same measures.
    struct Order {
        // Whether a call like it was measured. Elsewhere the order of the table, which was found by hand, is
        // better than times of calls of quite another size or shape.
        bool is_near = false;
        // The variants that have times, the one with the least predicted time first. A variant that is not
        // meant for such calls has a part in this only where it was timed at a call near this one for which
        // it is not meant either: its times at other calls say nothing of these. Nor do they where the
        // variant's time depends on values, and then it is taken only where it is meant to be. Of variants
        // whose times differ by less than the spread of measurements, those that are meant for such calls go
        // first; of these, those of the family `tuned`, in the order of the table. No variants where nothing
        // is predicted.
        std::vector<Predicted> by_times = {};
        // The variants of the family `tuned` without any time that are meant for such calls, in the order of
        // the table.
        std::vector<const Variant *> unmeasured = {};
        // The variants of the family `tuned`: those that are meant for such calls first, both in the order of
        // the table.
        std::vector<const Variant *> family = {};
    };
    std::shared_ptr<const Order> order(const Measures &measures) const;

    // The measured device that the times are of; null where there are none.
    const MeasuredDevice *measured_on() const {
        return device_;
    }

private:
    Order ordered(const Measures &measures) const;
    std::vector<Predicted> by_times(const Measures &measures) const;
    double padding(size_t column, const Measures &measures) const;
    bool is_known_beyond(size_t variant, const Measures &measures) const;

    const Operator &op_;
    std::vector<const Variant *> variants_, family_, unmeasured_;
    std::vector<size_t> column_;  // of each variant: its number among the measured ones; or none
    std::unique_ptr<const Prediction> prediction_;
    const MeasuredTimes *times_ = nullptr;
    const MeasuredDevice *device_ = nullptr;

    // What was asked for lately, so that calls on data of the same size predict nothing and ask no variant
    // whether it is meant for them.
    struct Kept {
        Measures measures;
        std::shared_ptr<const Order> order;
    };
    mutable std::mutex mutex_;
    mutable std::list<Kept> kept_;
};

// The variant that `tuned` is; null where no variant of the family serves the call. Where measured times
// chose it, its predicted time and the device that the times are of. Else `measured_on` is null, the order of
// the table chose, and the time is that of the best variant that was measured at such calls; 0 where none
// was.
struct VariantChoice {
    const Variant *variant = nullptr;
    double ms = 0;
    const MeasuredDevice *measured_on = nullptr;
};

// Those of one operator; made at their first use.
class VariantChoices {
public:
    const VariantOrder &of(const Operator &op, Device device, const std::string &type);

    // The best device that can run one of the operator's variants which the schedule means, for this type;
    // nothing where none can.
    std::optional<Device> device_for(
        const Operator &op, const std::string &schedule, const std::string &type);

private:
    struct Entry {
        Device device;
        std::string type;
        std::unique_ptr<const VariantOrder> order;
    };
    std::mutex mutex_;
    std::vector<Entry> entries_;
    std::map<std::pair<std::string, std::string>, Device> devices_;  // by schedule and type
};

}  // namespace tilewright
