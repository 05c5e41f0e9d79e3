#pragma once
// What was timed, as lines of a table and as JSON.
#include "apps/laboratory/published_kernels/device.h"
#include "apps/laboratory/published_kernels/measure.h"
#include <fstream>
#include <nlohmann/json.hpp>

namespace published {

class Report {
public:
    // Prints what the times depend on. `json` is the name of a file, or empty.
    Report(const std::string &json, const DeviceNames &device, const Plan &plan);

    // `wrong` is the first difference from the right result, or empty.
    void add(const Kernel &kernel, Size size, const Times &times, const std::string &wrong);

    // Writes the JSON. Errors: mismatch, where a result was wrong.
    void end();

private:
    const std::string path_;
    const DeviceNames device_;
    std::ofstream file_;
    nlohmann::ordered_json runs_ = nlohmann::ordered_json::array();
    int wrong_ = 0;
};

}  // namespace published
