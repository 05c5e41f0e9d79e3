#pragma once
#include "apps/tilewright/support/reference.h"
#include "tilewright/workload.h"
#include <map>
#include <string>
#include <vector>

// What `verify` finds out of one row on one device.
namespace tilewright::app {

enum class Verdict {
    ok,  // every sample that it serves was right, and gave the same bytes each time
    wrong,
    failed,   // an error
    untried,  // no sample is of the sizes that it serves
    unheld,   // it ran, but there is nothing to hold it against: the reference row of an operator without a plain definition
    not_run,  // this machine cannot run it, or was not asked to
};

// "ok", "WRONG" ...
const char *name_of(Verdict verdict);

struct Result {
    const Row *row = nullptr;
    std::string device = {};  // empty for a row that no device here can run
    Verdict verdict = Verdict::ok;
    size_t samples = 0, runs = 0;
    std::string against = {};  // what the results were held against
    std::string why = {};
    bool device_fault = false;  // of `failed`: the error is the device's
};

// The samples of one type of an operator, with what they should give. Results are kept, so that rows share them.
class Verification {
public:
    // `repeat`: how often a row runs the largest sample of up to 4 MiB that it serves; where it serves only larger ones, the least of them
    // three times at most.
    Verification(const Operator &op, const std::string &type, int repeat);

    // Runs the row on the samples that it serves, and holds each result against what it should be. Errors become verdicts.
    Result run(const Row &row, Device device);

private:
    struct Case {
        Sample sample;
        double bytes;
        std::map<bool, Expected> expected;  // by whether it is for CUDA, whose f32 has no denormals
    };

    bool serves(const Row &row, Device device, const Sample &sample, const Array &output) const;
    const Expected &expected_of(Case &c, Backend backend);
    void run_once(const Case &c, Result &result, Device device, Array &output) const;
    std::string wrong_in(Case &c, Result &result, Device device, Array &output);
    std::string unsteady_in(const Case &c, Result &result, Device device, const Array &first) const;

    const Operator &op_;
    const int repeat_;
    std::vector<Case> cases_;  // the small ones first
};

}  // namespace tilewright::app
