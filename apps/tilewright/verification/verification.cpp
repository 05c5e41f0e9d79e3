// Runs a variant on samples, compares the results, and runs one sample again and again.
#include "apps/tilewright/verification/verification.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/timing/measure.h"
#include "apps/tilewright/timing/threads.h"
#include "runtime/devices/calls/hooks.h"
#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <limits>

namespace tilewright::app {

namespace {

constexpr double small = 4 << 20;  // bytes of inputs: the largest sample up to this size is repeated
constexpr int runs_of_others = 3;  // how often a larger sample is run, where a variant serves no other

}  // namespace

const char *name_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::wrong: return "WRONG";
    case Verdict::failed: return "FAILED";
    case Verdict::untried: return "UNTRIED";
    case Verdict::unheld: return "unheld";
    case Verdict::not_run: return "not run";
    }
    return "";
}

Verification::Verification(const Operator &op, const std::string &type, int repeat, int64_t largest)
    : op_(op), repeat_(repeat), largest_(largest) {
    for (Sample &sample : workload_of(op).samples(type)) {
        const double bytes = bytes_of(sample.inputs);
        cases_.push_back({std::move(sample), bytes, {}, {}});
    }
    std::stable_sort(
        cases_.begin(), cases_.end(), [](const Case &a, const Case &b) { return a.bytes < b.bytes; });
}

bool Verification::serves(
    const Variant &variant, Device device, const Sample &sample, const Array &output) const {
    // the operator may ask a library, which then loads its kernels on this device
    const driver::Current current(device);
    return app::serves(op_, variant, sample, output);
}

const Expected &Verification::expected_of(Case &c, Backend backend) {
    auto &known = c.expected;
    const bool no_denormals = backend == Backend::cuda;
    const auto at = known.find(no_denormals);
    return at != known.end() ? at->second :
                               known.emplace(no_denormals, expect(op_, c.sample, backend)).first->second;
}

void Verification::run_once(const Case &c, Result &result, Device device, Array &output) const {
    result.libraries = other_libraries(
        *result.variant, op_.run(*result.variant, device, c.sample.inputs, output, c.sample.settings));
    output.sync();
    result.runs++;
}

static bool is_whole(Type type) {
    return type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64 ||
           type == Type::i32;
}

// Runs the variant. Returns the first thing that is wrong with its output, or an empty string.
std::string Verification::wrong_in(Case &c, Result &result, Device device, Array &output) {
    run_once(c, result, device, output);
    result.samples++;
    comparisons_++;
    Expected expected = expected_of(c, device.backend);
    result.against = expected.variant ? "reference variant" : "plain definition";
    const double error = largest_error(output, expected.output);
    result.error = std::max(result.error, error);
    if (!is_whole(output.type())) {
        double elements = 0;
        for (const Array &input : c.sample.inputs) {
            elements += (double)input.size();
        }
        double &of_size = result.errors[std::ilogb(elements)];
        of_size = std::max(of_size, error);
    }
    if (expected.variant == result.variant) {
        result.verdict = Verdict::unheld;
        return "";
    }
    if (difference(output, expected).empty()) {
        return "";
    }
    // Some variants have a wider bound.
    expected.bound = workload_of(op_).bound_of(*result.variant, c.sample.inputs, c.sample.settings);
    return difference(output, expected);
}

// Keeps the least time of the reference variant, and compares that of a variant of `tuned` with it.
static void compare_with_reference(
    std::map<std::string, double> &reference_ms, Result &result, double least_ms) {
    if (result.variant->family == "reference") {
        reference_ms[result.device] = least_ms;
    } else if (result.variant->family == "tuned" && reference_ms.contains(result.device)) {
        result.of_reference = least_ms / reference_ms[result.device];
    }
}

// Runs the variant again and again. Returns a sentence about the first run that gave other bytes than
// `first`, or an empty string. Results must be the same from run to run, even where their bound allows
// differences.
std::string Verification::unsteady_in(Case &c, Result &result, Device device, const Array &first) const {
    const MoreThreadsThanCpus threads;
    const int runs = c.bytes > small ? std::min(repeat_, runs_of_others) : repeat_;
    double least_ms = std::numeric_limits<double>::infinity();
    for (int run = 2; run <= runs; run++) {
        Array output = spoiled_output(op_, c.sample);
        least_ms = std::min(least_ms, call_ms(device, [&] { run_once(c, result, device, output); }));
        const std::string off = tilewright::difference(output, first, {});
        if (!off.empty()) {
            return fmt::format("run {} of {} gave other bytes than run 1: {}", run, runs, off);
        }
    }
    if (runs > 1) {
        compare_with_reference(c.reference_ms, result, least_ms);
    }
    return "";
}

// Runs the variant on a sample, if it serves it. Returns the first thing that is wrong, or an empty string.
std::string Verification::wrong_of(Turn &turn, Case &c) {
    const Variant &variant = *turn.result_.variant;
    const auto [type, shape] = op_.output_of(c.sample.inputs, c.sample.settings);
    Array output = Array::uninitialized(type, shape);
    if (!serves(variant, turn.device_, c.sample, output)) {
        return "";
    }
    const auto request = op_.parse(c.sample.inputs, c.sample.settings);
    if (std::string why = op_.why_not_on(variant, turn.device_, *request, output); !why.empty()) {
        turn.lacking_ = std::move(why);
        return "";
    }
    turn.served_ = true;
    output = spoiled_output(op_, c.sample);
    if (!turn.repeated_ || c.bytes <= small) {
        turn.repeated_ = &c;
        turn.first_ = output;
    }
    return wrong_in(c, turn.result_, turn.device_, output);
}

// Does `work` on a sample, which returns what is wrong. That, or an error, ends the turn.
template<typename Work>
static bool has_ended(Result &result, const std::string &what, const Work &work) {
    try {
        const std::string wrong = work();
        if (wrong.empty()) {
            return false;
        }
        result.verdict = Verdict::wrong;
        result.why = fmt::format("{}: {}", what, one_line(wrong));
    } catch (const std::exception &error) {
        const auto *ours = dynamic_cast<const Error *>(&error);
        result.device_fault = ours && ours->fault() == Fault::device;
        result.verdict = Verdict::failed;
        result.why = fmt::format("{}: {}", what, one_line(error.what()));
    }
    return true;
}

void Verification::run_case(Turn &turn, Case &c) {
    turn.has_ended_ = has_ended(turn.result_, c.sample.what, [&] { return wrong_of(turn, c); });
}

void Verification::repeat(Turn &turn) {
    if (Case *const c = turn.repeated_; c && !turn.has_ended_) {
        turn.has_ended_ = has_ended(turn.result_, c->sample.what,
            [&] { return unsteady_in(*c, turn.result_, turn.device_, turn.first_); });
    }
    turn.first_ = {};
}

Verification::Turn Verification::begin(const Variant &variant, Device device) {
    Turn turn;
    turn.result_ = {.variant = &variant, .device = device.str()};
    turn.device_ = device;
    for (Case &c : cases_) {
        if (turn.has_ended_ || (turn.served_ && c.bytes > (double)largest_)) {
            break;
        }
        run_case(turn, c);
    }
    repeat(turn);
    return turn;
}

void Verification::run_on(const Sample &sample, std::span<Turn> turns) {
    Case c{sample, bytes_of(sample.inputs), {}};
    for (Turn &turn : turns) {
        if (turn.has_ended_ || (turn.served_ && c.bytes > (double)largest_)) {
            continue;
        }
        const bool is_first = !turn.served_;
        run_case(turn, c);
        if (is_first) {
            repeat(turn);
        }
        turn.repeated_ = nullptr;  // nothing is kept of this sample
        turn.first_ = {};
    }
}

Result Verification::end(Turn turn) {
    Result result = std::move(turn.result_);
    if (turn.has_ended_) {
        return result;
    }
    if (!turn.served_ && !turn.lacking_.empty()) {
        result.verdict = Verdict::not_run;
        result.why = turn.lacking_;
    } else if (!turn.served_) {
        result.verdict = Verdict::untried;
        result.why =
            "no sample is of the sizes that this variant serves; add one to the operator's samples()";
    } else if (result.verdict == Verdict::unheld) {
        result.why = "it is the reference itself, and no plain definition is registered to compare it with";
    }
    return result;
}

Result Verification::run(const Variant &variant, Device device) {
    return end(begin(variant, device));
}

}  // namespace tilewright::app
