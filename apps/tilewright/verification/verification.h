#pragma once
// What `verify` finds out about a variant on a device.
#include "apps/tilewright/verification/expected_result.h"
#include "tilewright/workload.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
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
    // samples are only for variants that serve no smaller one.
    Verification(const Operator &op, const std::string &type, int repeat, int64_t largest = largest_sample);

    static constexpr int64_t largest_sample = 16 << 20;

    // Runs the variant on the samples that it serves, and compares each result with what it should be. Errors
    // become verdicts.
    Result run(const Variant &variant, Device device);

    // The same in parts: a variant on a device begins with the samples, may have others besides, and ends.
    class Turn;
    Turn begin(const Variant &variant, Device device);
    static Result end(Turn turn);

    // Runs all of them on another sample, which is not kept. Those that were wrong or failed run no more.
    void run_on(const Sample &sample, std::span<Turn> turns);

    // How many results were compared, by all verifications of the process.
    static size_t comparisons() {
        return comparisons_;
    }

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
    std::string wrong_of(Turn &turn, Case &c);
    void run_case(Turn &turn, Case &c);
    void repeat(Turn &turn);

    const Operator &op_;
    const int repeat_;
    const int64_t largest_;
    std::vector<Case> cases_;  // the small ones first
    inline static std::atomic<size_t> comparisons_ = 0;
};

class Verification::Turn {
private:
    friend class Verification;
    Result result_;
    Device device_;
    bool has_ended_ = false;    // it was wrong or failed
    bool served_ = false;       // some sample
    std::string lacking_ = {};  // what the device lacks for a sample
    Case *repeated_ = nullptr;  // the sample to run again and again
    Array first_ = {};          // its output
};

// Samples of one type of an operator, the same ones each time for the same `side`: images of 1 to `side`
// pixels along each axis, of which half are multiples of 16 and half have rows without gaps, with settings
// that the operator's workload verifies or times.
class RandomSamples {
public:
    RandomSamples(const Operator &op, const std::string &type, size_t count, int64_t side);

    // The next one; none after `count` of them. They are fewer where the operator refuses such a size with
    // such settings.
    std::optional<Sample> next();

private:
    size_t below(size_t n) {
        return bits_() % n;
    }
    int64_t random_side();

    const Operator &op_;
    const std::string type_;
    const std::vector<Settings> settings_;
    const size_t count_;
    const int64_t side_, channels_;
    std::mt19937 bits_;  // seeded with `side`: the same numbers each time, on every system
    size_t made_ = 0;
};

}  // namespace tilewright::app
