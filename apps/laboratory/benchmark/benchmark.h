#pragma once
// The variants and peers of one operator, type, size and settings on one device: timed on the same data, and
// verified.
#include "apps/laboratory/benchmark/benchmark_data.h"
#include "apps/laboratory/benchmark/peers.h"
#include "apps/tilewright/timing/measure.h"
#include "apps/tilewright/timing/rotating_buffers.h"
#include "apps/tilewright/verification/expected_result.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// What was timed: one variant or peer on one set of data.
struct Run {
    std::optional<Variant> variant;  // nothing: a peer was timed
    std::string peer;                // its name
    std::string op, type;
    Device device;
    Sample sample;                    // without its inputs
    std::vector<std::string> inputs;  // what they were: "f32 (512, 512)"
    DataSize size;                    // of the first input; a vector has height 1
    Work work;
    bool chosen = false;  // `tuned` takes this variant for the data
    std::string failed;   // not empty: it ended in this error
    std::string why_not;  // not empty: it was not timed
    Measured measured;    // of a peer, host calls are not timed
    // of a variant of `tuned`: its time over that of the reference variant, where that one was timed before
    // on the same device and data
    std::optional<double> of_reference;
    // the variant's first call in this process, on data of 1/16 the side where the variant serves that little
    std::optional<double> first_ms;
    size_t sets = 0;
    std::string libraries;    // those that ran, where they are others than the variant's own
    std::string verified_by;  // the variant whose output its own was compared with
    std::string unverified;   // or why there was none
    std::string wrong;        // the first difference

    std::string name() const {  // "transpose/padded/u8/cuda", "peer: plain loop, 1 thread"
        return variant ? variant->name() : "peer: " + peer;
    }
};

class Benchmark {
public:
    // Errors: usage and input, for data that the operator does not take; memory.
    Benchmark(const Operator &op, BenchmarkData data, Device device, const Plan &plan);

    // Errors: those of the variant.
    Run variant(const Variant &variant);
    Run peer(const Peer &peer);

    // Times several variants in turns: each variant once before any is timed again. A variant whose calls end
    // in an error is a run that failed. Outputs of calls that are not timed are compared, because the
    // variants share them. `begin` is called before a variant is called for the first time.
    std::vector<Run> variants_in_turns(
        const std::vector<const Variant *> &variants, const std::function<void(const Variant &)> &begin);

    // The run of a variant that ended in an error.
    Run failed(const Variant &variant, const std::string &why);

    // Whether the variant serves the data.
    bool serves(const Variant &variant) const;

    // Whether it is the variant that `tuned` takes for the data.
    bool is_chosen(const Variant &variant) const {
        return &variant == chosen_;
    }

    std::vector<Peer> peers();

private:
    const Sample &sample() const;
    const Variant *tuned_on(Device device) const;  // null where no variant of the family serves the data
    Run begin(const Variant *variant);             // nothing for a peer
    void visit(const TimedCalls &calls, Device device);
    void take(const Measured &measured, Run &run, const Variant *variant);
    std::string why_not_timed(const Variant &variant, Run &run);
    TimedCalls calls_of(const Variant &variant);
    std::function<void(size_t)> prepared_call(const Variant &variant);
    // Data of 1/16 the side, an output for it, and how many times as much work a full call is.
    struct SmallData {
        Sample sample;
        Array output;
        double times;
    };
    std::optional<SmallData> small_data() const;
    // A call on it.
    struct SmallCall {
        std::function<void()> call;
        double times;
    };
    std::optional<SmallCall> small_call(const Variant &variant, Device device) const;
    const Expected *plain();  // by the plain loop, where that is affordable; null where it is not
    const Expected *expected(const Variant *timed);
    void check(Run &run, const Variant *timed, double off = 0);

    const Operator &op_;
    const BenchmarkData data_;
    const Device device_;
    const Plan plan_;
    Rotation sets_;
    Work work_;
    const Variant *chosen_ = nullptr;  // the variant that `tuned` takes on this device, or none
    std::optional<Expected> reference_, tuned_, plain_;
    std::optional<double> reference_ms_;  // the time of the reference variant
};

}  // namespace tilewright::app
