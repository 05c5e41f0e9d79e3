#pragma once
// What `verify` finds out about a variant on a device.
#include "apps/tilewright/verification/expected_result.h"
#include "tilewright/workload.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

enum class Verdict {
    ok,  // the result of every sample that it serves was right, and had the same bytes each time
    wrong,
    failed,   // an error
    untried,  // no sample has a size that it serves
    unheld,   // it ran, but there is nothing to compare it with: the reference variant of an operator without
              // a plain definition
    not_run,  // this machine cannot run it, or was not asked to
};

// "ok", "WRONG" ...
const char *name_of(Verdict verdict);

struct Result {
    const Variant *variant = nullptr;
    std::string device = {};  // empty for a variant that no device here can run
    Verdict verdict = Verdict::ok;
    size_t samples = 0, runs = 0;
    double error = 0;  // the largest of its samples, as largest_error() has it
    // The same of samples whose inputs have 2^k to 2^(k + 1) - 1 elements and whose results are no whole
    // numbers.
    std::map<int, double> errors = {};
    std::string libraries = {};  // those that ran, where they are others than the variant's own
    std::string against = {};    // what the results were compared with
    std::string why = {};
    // Of a variant of `tuned`: its least time over that of the reference variant on the same device and
    // sample, where both ran it several times.
    std::optional<double> of_reference = {};
    bool device_fault = false;  // of `failed`: it is an error of the device
};

// The samples of one type of an operator, and the results that they should give. Each of these is computed
// once for all variants.
class Verification {
public:
    // `repeat`: how often a variant runs the largest sample of up to 4 MiB that it serves. If it serves only
    // larger ones, it runs the smallest of them at most three times. `largest`: bytes of inputs; larger
    // samples are only for variants that serve no smaller one. `random`: how many random_samples() there are
    // besides, and `side` the longest side of these.
    Verification(const Operator &op, const std::string &type, int repeat, int64_t largest = largest_sample,
        size_t random = 0, int64_t side = 256);

    static constexpr int64_t largest_sample = 16 << 20;

    // Runs the variant on the samples that it serves, and compares each result with what it should be. Errors
    // become verdicts.
    Result run(const Variant &variant, Device device);

private:
    struct Case {
        Sample sample;
        double bytes;
        std::map<bool, Expected> expected;  // by whether it is for CUDA, where f32 has no denormals
        // the least time of the reference variant, by the device
        std::map<std::string, double> reference_ms = {};
    };

    bool serves(const Variant &variant, Device device, const Sample &sample, const Array &output) const;
    const Expected &expected_of(Case &c, Backend backend);
    void run_once(const Case &c, Result &result, Device device, Array &output) const;
    std::string wrong_in(Case &c, Result &result, Device device, Array &output);
    std::string unsteady_in(Case &c, Result &result, Device device, const Array &first) const;

    const Operator &op_;
    const int repeat_;
    const int64_t largest_;
    std::vector<Case> cases_;  // the small ones first
};

// `count` samples of one type of an operator, the same ones each time for the same `side`: images of 1 to
// `side` pixels along each axis, of which half are multiples of 16 and half have rows without gaps, with
// settings that the operator's workload verifies or times. They are fewer where the operator refuses such a
// size with such settings.
std::vector<Sample> random_samples(const Operator &op, const std::string &type, size_t count, int64_t side);

}  // namespace tilewright::app
