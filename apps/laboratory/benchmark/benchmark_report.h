#pragma once
// What `bench` says: a line per run on standard output, or all runs as JSON; and a results file.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/tilewright/terminal/json.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::app {

// Where the runs go besides the table. Empty: nowhere.
struct ReportFiles {
    std::string json;     // a file that is written at the end; "-": standard output, in place of the table
    std::string results;  // a file to which each run is appended when it is there
    std::string report;   // a page that is written at the end
    bool wide = false;    // the table has every column, and more than 100 characters per line
};

// A run as a line of the table.
std::string line_of(const Run &run, const std::string &place = "", bool wide = false);

class BenchmarkReport {
public:
    // Errors: failed, when a file cannot be written; those of ResultsFile.
    BenchmarkReport(ReportFiles files, std::vector<Device> devices);
    ~BenchmarkReport();
    BenchmarkReport(const BenchmarkReport &) = delete;

    // The lines before the first run. `cpus`: how many CPUs Halide's threads are kept on.
    void begin(int cpus, const Plan &plan);

    // A sentence about the data of the next runs.
    void remark(const std::string &text);

    // Errors: failed, when the results file cannot be written.
    void add(const Run &run);

    // The runs that another process of this program wrote as JSON; `process` is its number, from 1 on.
    // Errors: as add(Run).
    void add(const Json &report, int process);

    // So many variants do not serve their data, and are not listed.
    void leave_out(size_t variants);

    // After the last run: writes the JSON and the page. Errors: mismatch or failed, when a run was wrong or
    // failed; input, when no variant serves the data; failed, when a file cannot be written. Where there are
    // several, the first of them, and a line on standard error for each of the others.
    void end();

    // Writes the JSON with the runs that there are, as one that is not complete; where that fails, a line
    // says so. Another thread may call it at any time. After end() it does nothing.
    void save() noexcept;

    // Whether there is a run yet.
    bool has_runs() const {
        return runs_ > 0;
    }

private:
    struct Content;

    Json whole(bool complete) const;
    void write_json(bool complete);
    bool has_table() const;
    void print_processes() const;
    void print_counts() const;
    void check_runs() const;

    const ReportFiles files_;
    const std::vector<Device> devices_;
    std::mutex mutex_;  // of what follows: an interrupt saves it on a thread of its own
    std::unique_ptr<Content> content_;
    std::string data_;  // and device of the last line of the table
    bool ended_ = false;
    int processes_ = 0;  // that add() was told of
    size_t runs_ = 0, wrong_ = 0, failed_ = 0, not_timed_ = 0, left_out_ = 0;
};

}  // namespace tilewright::app
