// Pipelines by bands: rows come from a function of Python, and go to another one.
#include "python/src/bands.h"
#include "python/src/arrays.h"
#include "python/src/call.h"
#include "python/src/lock.h"
#include "tilewright/bands.h"
#include "tilewright/device.h"
#include <optional>

namespace nb = nanobind;

namespace tilewright::python {

namespace {

using Shape = std::vector<int64_t>;

// function(rows), with NumPy's view of them.
void call_with_rows(nb::handle function, const Array &rows) {
    const Locked locked;
    call_function(function, nb::make_tuple(numpy_of({rows})));
}

class FunctionSource final : public RowSource {
public:
    FunctionSource(Type type, Shape shape, nb::handle read)
        : type_(type), shape_(std::move(shape)), read_(read) {}

    Type type() const override {
        return type_;
    }
    Shape shape() const override {
        return shape_;
    }
    void read(Array &rows) override {
        call_with_rows(read_, rows);
    }

private:
    const Type type_;
    const Shape shape_;
    const nb::handle read_;
};

class FunctionSink final : public RowSink {
public:
    explicit FunctionSink(nb::handle write) : write_(write) {}

    void begin(Type, const Shape &) override {}
    void write(const Array &rows) override {
        call_with_rows(write_, rows);
    }
    void finish() override {}

private:
    const nb::handle write_;
};

std::optional<Device> device_or_auto(nb::handle device) {
    const How how = how_of(nb::none(), device, nb::none(), nb::int_(0));
    return how.device == "auto" ? std::nullopt : std::optional(Device::parse(how.device));
}

}  // namespace

nb::dict bands_needed_in_python(const Pipeline &pipeline, const std::string &dtype, const Shape &shape) {
    const BandsNeeded needed = bands_needed(type_of_name(dtype), shape, pipeline);
    nb::dict answer;
    answer["dtype"] = numpy_name(needed.type);
    answer["shape"] = nb::tuple(nb::cast(needed.shape));
    answer["least_memory"] = needed.least_memory;
    answer["whole_memory"] = needed.whole_memory;
    answer["why_not"] = needed.why_not;
    return answer;
}

nb::dict process_in_python(const Pipeline &pipeline, const std::string &dtype, const Shape &shape,
    nb::handle read, nb::handle write, int64_t memory, nb::handle device, nb::handle schedule,
    const std::string &scratch, nb::object progress) {
    FunctionSource source(type_of_name(dtype), shape, read);
    FunctionSink sink(write);
    BandOptions options = {.memory = memory, .scratch = scratch};
    options.call.device = device_or_auto(device);
    options.call.schedule = word_of(schedule, "schedule");
    const How how = how_of(nb::none(), device, nb::none(), nb::int_(0), std::move(progress));
    options.call.progress = progress_of(how, Device());
    BandsDone done;
    {
        const OutsideOfCalls reads_and_writes;  // by functions of Python
        const Unlocked released;
        done = process(source, sink, pipeline, options);
    }
    nb::dict answer;
    answer["bands"] = done.bands;
    answer["rows"] = done.rows;
    answer["device"] = done.device.str();
    return answer;
}

}  // namespace tilewright::python
