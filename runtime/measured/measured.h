#pragma once
// Measured times of variants, by which `tuned` and `auto` choose: those that came with the library
// (schedules/measured/*.json, compiled in), and those that `tilewright calibrate` wrote on this machine. Not
// installed.
#include "tilewright/device.h"
#include "tilewright/operator.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

// The times of the variants of one operator for one element type.
struct MeasuredTimes {
    std::string_view op, type;
    size_t numbers;                // how many describe a call (Operator::measures)
    std::span<const float> calls;  // those of each call that was measured, one call after another
    std::span<const std::string_view> variants;  // schedules
    // of the first variant one time per call, then of the second one; 0: not measured, because the variant
    // does not serve that call
    std::span<const float> ms;

    size_t count() const {
        return calls.size() / numbers;
    }
    Measures measures(size_t call) const {
        Measures measures;
        for (const float number : calls.subspan(call * numbers, numbers)) {
            measures.add(number);
        }
        return measures;
    }
};

// How good the predictions from measured times are (runtime/measured/prediction.h): each time is predicted
// from those of all other calls, and the factor between the two, which is at least 1, is looked at.
struct PredictionError {
    int times = 0;                // that were predicted so; 0: not known
    double median = 0, most = 0;  // the factor that half of them, and that nine in ten, do not exceed
};

// What was measured on one device.
struct MeasuredDevice {
    std::string_view file;  // its name
    Backend backend;
    bool is_gpu;
    std::string_view vendor, name;
    std::string_view capability;  // of a CPU, as DeviceInfo has it; of GPUs files do not say it
    int units;
    std::string_view date;
    // per ms, between the device and ordinary memory of the host; 0 for the CPU
    double bytes_to_device, bytes_to_host;
    double copy_ms;  // what a copy of few bytes takes, and the wait for it
    PredictionError error;
    std::span<const MeasuredTimes> times;
};

// Who made a device, as far as its driver says: OpenCL's platform, "NVIDIA" for CUDA, the first word of a
// CPU's name.
std::string vendor_of(const DeviceInfo &device);

// The devices whose times came with the library (made by the build, from schedules/measured).
std::span<const MeasuredDevice> built_in_measurements();

// Of several measured devices the one that is most like `device`: of the same backend, and a GPU if that is
// one; before others one of the same capability, because CPUs of other instruction sets run other code; of
// those one of the same vendor; of those one of the same name; and of those the one whose number
// of units is nearest, as a factor. Null where there is none of the same backend and kind.
const MeasuredDevice *most_like(const DeviceInfo &device, std::span<const MeasuredDevice> measured);

// What is known of a device: its own file, where `calibrate` wrote one on this machine, and what came with
// the library for a device like it.
struct DeviceMeasurements {
    const MeasuredDevice *own = nullptr, *like = nullptr;

    // The times of an operator and type, the own ones first, and the device that they are of.
    struct Found {
        const MeasuredTimes *times;
        const MeasuredDevice *device;
    };
    std::optional<Found> find(std::string_view op, std::string_view type) const;
};

// Made at the first call for a device; the own file is read then. A file that cannot be used is told in one
// line on standard error, and left out.
const DeviceMeasurements &measurements_of(const DeviceInfo &device);

// The folder of the own files: the environment's TILEWRIGHT_MEASURED, else
// XDG_CONFIG_HOME/tilewright/measured, else ~/.config/tilewright/measured. A relative path in XDG_CONFIG_HOME
// or HOME counts as none: it would be another folder in each working folder (XDG Base Directory Specification
// 0.8). Empty, and no own file is read, where TILEWRIGHT_MEASURED is "off" or none of them is set.
std::string measured_folder();

// The name of a device's file there: "cuda-nvidia-h200.json".
std::string measured_file_name(
    const std::string &backend, const std::string &vendor, const std::string &name);

// Reads a file of measurements; its memory is never freed. Null where it cannot be used, and then `why_not`
// says why, and what to do.
const MeasuredDevice *read_measurements(const std::string &path, std::string &why_not);

// The same of a text; `file` is what its device says of the file.
const MeasuredDevice *measurements_in(const std::string &text, const std::string &file, std::string &why_not);

}  // namespace tilewright
