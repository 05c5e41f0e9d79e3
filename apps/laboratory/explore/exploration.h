#pragma once
// The search of `explore`: the points of several variants, on several data and devices, one after another.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/laboratory/explore/point_worker.h"
#include "apps/laboratory/explore/search.h"
#include "apps/laboratory/results/results_file.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/terminal/progress.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// A variant that is searched on one set of data.
struct ExploredVariant {
    const Variant *variant;
    Search search;
    std::vector<TunableValues> prepared = {};  // of a bundle: the points that there are
    std::optional<double> own_ms = {}, best_ms = {};
    TunableValues best = {};
    bool skipped = false;           // it does not serve the data, or takes too long: it is not searched
    bool ended = false;             // no point is left
    size_t points = 0, failed = 0;  // that were tried; of these, that have no time
};

// One set of data on one device, and the variants that are searched on it.
struct ExploredCase {
    const Operator *op;
    BenchmarkData data;
    Device device;
    std::vector<ExploredVariant> variants = {};
    Json about = {};  // what every line says of the data, from the first point that was timed

    // What tells it from all other cases: "gaussian_blur u8 4096x4096 sigma=3 cuda:0". Files count by their
    // names and by the shapes of what the operator gets of them.
    std::string name() const;
    std::string what() const;  // "u8 4096x4096"

private:
    std::string size_or_files() const;
};

struct ExplorationPlan {
    double budget_s = 60;
    double limit_s = 1;  // that timing one point may take, about
    double hang_s = 60;  // after which a point is ended
    size_t points = 0;   // how many are tried at most; 0: as many as there is time for
    std::string bundle;  // the folder of a bundle, which has all points that there are; empty: none
    bool asked = false;  // somebody else says which points are tried
};

class Exploration {
public:
    Exploration(std::vector<ExploredCase> cases, const ExplorationPlan &plan, ResultsFile *results);

    // Ends run() within a moment; to be called from any thread.
    void interrupt() {
        interrupted_ = true;
    }

    // First times the own values of every variant, and then searches the variants by promise
    // (next_variant()), until nine tenths of the time are over, until no point is left, or until a signal
    // asks this program to end; what the results file has of these cases, this device and this commit is
    // known already. Then times the best point of each variant and the variant's own values once more, one
    // after the other: the least of many times is partly luck. Errors: device, when a device is lost; failed,
    // when the results file cannot be written, when a program that makes libraries is missing, and when each
    // of several points that were built failed for one reason.
    void run();

    // Tries a point that somebody else chose, and returns its line in a results file; nothing where a signal
    // asks this program to end. A point that was tried before is timed again. Errors: those of run(), but for
    // the last one.
    std::optional<Json> try_asked(ExploredCase &c, ExploredVariant &variant, const TunableValues &values);

    const std::vector<ExploredCase> &cases() const {
        return cases_;
    }
    std::vector<ExploredCase> &cases() {
        return cases_;
    }
    const std::atomic<bool> &interrupted() const {
        return interrupted_;
    }
    size_t points() const {  // that there are, those of the file included
        return points_;
    }
    size_t known() const {  // points that were in the file
        return known_;
    }
    size_t left_aside() const {  // lines of other devices and commits
        return left_aside_;
    }

private:
    void take_known();
    void write_inputs();
    bool is_over(double share) const;
    void try_own_values();
    bool take_turn();
    bool step(ExploredCase &c, ExploredVariant &variant);
    void confirm();
    enum class Time { first, again };
    std::optional<Json> try_point(
        ExploredCase &c, ExploredVariant &variant, const TunableValues &values, Time time);
    void refuse_alike() const;
    Json task_of(const ExploredCase &c, const ExploredVariant &variant, const TunableValues &values) const;
    void keep(ExploredCase &c, ExploredVariant &variant, const TunableValues &values, const Json &line);
    Json failed_line(
        const ExploredCase &c, const ExploredVariant &variant, const TunableValues &values) const;
    void check_device(const ExploredCase &c, const std::string &reason);
    void show();

    std::vector<ExploredCase> cases_;
    const ExplorationPlan plan_;
    ResultsFile *const results_;
    std::atomic<bool> interrupted_ = false;
    std::unique_ptr<TemporaryFolder> folder_;  // of the files that follow
    std::vector<std::string> inputs_;          // the user's own arrays, for the process that measures points
    PointWorker worker_{interrupted_};
    Progress progress_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    size_t known_ = 0, left_aside_ = 0, tried_ = 0, points_ = 0, failed_ = 0;
    size_t built_ = 0;      // points with other values than the variants' own
    std::string all_said_;  // the reason for which each of these failed; empty where there is no such reason
    double best_gain_ = 1;
    std::string best_;
};

}  // namespace tilewright::app
