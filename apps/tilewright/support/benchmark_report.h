#pragma once
// What `bench` says: a line per run on standard output, or all runs as JSON.
#include "apps/tilewright/support/benchmark.h"
#include <memory>
#include <string>

namespace tilewright::app {

class BenchmarkReport {
public:
    // `json`: the file to write, "-" for standard output in place of the lines, or empty. Errors: failed,
    // when it cannot be written.
    BenchmarkReport(std::string json, Device device);
    ~BenchmarkReport();
    BenchmarkReport(const BenchmarkReport &) = delete;

    // The lines before the first run. `cpus`: how many CPUs Halide's threads are kept on.
    void begin(int cpus, const Plan &plan);

    void add(const Run &run);

    // After the last run: writes the JSON. Errors: mismatch or failed, when a run was wrong or failed;
    // failed, when it cannot be written.
    void end();

private:
    struct Content;

    const std::string json_;
    const Device device_;
    std::unique_ptr<Content> content_;
    size_t runs_ = 0, wrong_ = 0, failed_ = 0, not_timed_ = 0;
};

}  // namespace tilewright::app
