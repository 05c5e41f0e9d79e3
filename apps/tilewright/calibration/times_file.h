#pragma once
// Files of measured times, as `calibrate` writes them and the runtime reads them
// (runtime/measured/measured.h).
#include "apps/tilewright/terminal/json.h"
#include "runtime/measured/measured.h"
#include "tilewright/operator.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::app {

// A device as a file of measurements describes it.
struct MeasuredOn {
    std::string backend, vendor, name, driver;
    int units = 0;
    bool is_gpu = false;
    std::string capability = {};  // of a CPU: its instruction set

    bool is_same(const MeasuredOn &other) const {
        return backend == other.backend && vendor == other.vendor && name == other.name;
    }
    std::string text() const;  // "NVIDIA H200 (cuda)"
};
MeasuredOn measured_on(const DeviceInfo &info);

// Bytes per millisecond between host and device, and the time of a copy of few bytes.
struct CopyRates {
    double to_device = 0, to_host = 0, ms = 0;
};

// Makes the folder of a file of times, and checks that the file can be written there: before it is measured
// what it will hold. Errors: failed, with the path.
void check_place_of_times(const std::string &path);

// The times of calls on one device.
class MeasuredFile {
public:
    explicit MeasuredFile(MeasuredOn device) : device_(std::move(device)) {}

    // The time of a variant for calls of these measures. Of several times for one variant and the same
    // measures the first counts.
    void add(const std::string &op, const std::string &type, const std::string &schedule,
        const Measures &call, double ms);
    void set_copies(const CopyRates &copies) {
        copies_ = copies;
    }
    const MeasuredOn &device() const {
        return device_;
    }
    size_t points() const;
    std::string name() const;  // of the file, in the folder of measurements

    // The whole file. `older`: a file of the same device, whose times of other operators and types are kept,
    // and whose rates of copies where none were measured; or null. `origin`: date, versions, and how it was
    // measured.
    Json json(const Json &older, const Json &origin) const;

    // Writes the file whole or not at all, with how good the predictions from its times are; makes its
    // folder. `keeps_older`: a file that is there and of the same device keeps its times of other operators
    // and types; otherwise it is replaced. Errors: failed, with the path.
    PredictionError write(const std::string &path, const Json &origin, bool keeps_older) const;

private:
    struct Times {
        std::vector<Measures> calls;
        std::map<std::string, std::map<size_t, double>> variants;  // ms, by the number of the call
    };
    static Json json(const std::string &op, const std::string &type, const Times &times);

    MeasuredOn device_;
    std::map<std::pair<std::string, std::string>, Times> times_;  // by operator and type
    CopyRates copies_;
};

}  // namespace tilewright::app
