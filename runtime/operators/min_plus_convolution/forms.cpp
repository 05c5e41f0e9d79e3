// What the front knows of each form: its arguments, and of those that leave out sums the steps of a call.
#include "runtime/operators/min_plus_convolution/forms.h"
#include "generators/algorithms/integers.h"
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace tilewright {

namespace {

using MinPlusOperator = OperatorOf<MinPlusRequest>;

Launch &bind_vectors(Launch &launch, const MinPlusRequest &request) {
    return launch.in("a", request.a, first(request.a, request.n))
        .in("b", request.b, first(request.b, request.m));
}

// Of libraries that compute the output from the vectors alone.
void bind_dense(Launch &launch, const Variant &, const MinPlusRequest &request, Array &output) {
    bind_vectors(launch, request)
        .in("accumulated", accumulated_of(request))
        .out("output", output, first(output, request.length));
}

constexpr FormOf<MinPlusRequest> definition("min_plus_convolution", bind_dense),
    short_vector("min_plus_convolution_short", bind_dense);

constexpr FormOf<MinPlusRequest> slices("min_plus_convolution_slices",
    [](Launch &launch, const Variant &variant, const MinPlusRequest &request, Array &output) {
        bind_dense(launch, variant, request, output);
        launch.value("length", (int32_t)request.length);
    });

// Its time depends on the values.
struct BoundedForm final : FormOf<MinPlusRequest> {
    using FormOf::FormOf;

    bool equals_tuned(const Variant &) const override {
        return false;
    }
};

constexpr BoundedForm bounded(
    "min_plus_convolution_bounded",
    [](Launch &launch, const Variant &variant, const MinPlusRequest &request, Array &output) {
        bind_dense(launch, variant, request, output);
        launch.value("length", (int32_t)request.length);
    },
    // The bounds of all chunks of i are in one buffer.
    [](const Variant &variant, const MinPlusRequest &request, const Array &) {
        const int64_t chunks = ceil_div(request.n, (int64_t)variant.tunable("chunk"));
        return chunks * round_up(request.length, 4096) * (int64_t)sizeof(int32_t) <= most_bytes;
    });

constexpr FormOf<MinPlusRequest> strips("min_plus_convolution_strips",
    [](Launch &launch, const Variant &variant, const MinPlusRequest &request, Array &output) {
        bind_dense(launch, variant, request, output);
        launch.value("one", (int32_t)1);
    });

// A form that leaves out sums, in two libraries: the first one finds which ones can matter, and the second
// one evaluates these. How much that is depends on the values, of which the host knows nothing before the
// first library ran. So a step of the plan decides then: the second library, or all sums, where more than
// `most_percent` of the variant's configuration has to be evaluated, because lists are walked at a lower rate
// than whole ranges. Variants of the first library go on always.
template<typename Configuration>
struct TwoStepForm : FormOf<MinPlusRequest> {
    constexpr TwoStepForm(std::string_view name, bool always) : FormOf(name), always(always) {}

    bool equals_tuned(const Variant &) const override {
        return false;
    }

protected:
    ~TwoStepForm() = default;
    const bool always;

    bool goes_on(const Variant &variant, double evaluated, const MinPlusRequest &request) const {
        return always ||
               evaluated <= .01 * variant.configuration<Configuration>().most_percent * request.pairs();
    }
};

// How the work of the pruned forms is split (generators/algorithms/min_plus_convolution/pruned.h).
struct PrunedSplit {
    int64_t run, own, owners, tile, words, segments, tiles, segments_of_part, parts;

    PrunedSplit(const Variant &variant, const MinPlusRequest &request)
        : PrunedSplit(variant.configuration<MinPlusPrunedConfiguration>().tile(), request) {}

    // The lists of blocks are in one buffer; a grid has at most 65535 blocks along its second axis.
    bool fits() const {
        return tiles <= 65535 && 256 * segments * tiles <= most_bytes;
    }

    void bind(Launch &launch, const MinPlusRequest &request) const {
        launch.value("length", (int32_t)request.length)
            .value("segments", (int32_t)segments_of_part)
            .value("parts", (int32_t)parts);
    }

private:
    PrunedSplit(const MinPlusTile &of, const MinPlusRequest &request)
        : run(of.run), own(of.outputs_per_worker), owners(of.workers), tile(of.size()) {
        const int64_t blocks = ceil_div(request.n, run);
        words = ceil_div(blocks, 32);
        segments = ceil_div(blocks, 256);
        tiles = ceil_div(request.length, tile);
        segments_of_part = ceil_div(segments, std::max<int64_t>(1, ceil_div(6000, tiles)));
        parts = ceil_div(segments, segments_of_part);
    }
};

// What the first pruned form (which finds the blocks that can matter) leaves for the second one (which
// evaluates them).
struct Pruning {
    Array low_of_blocks, low_of_windows, chosen, best, limits, asked;
    View best_view;

    Pruning(Type type, const PrunedSplit &of)
        : low_of_blocks(type, {32, of.words}, 0),
          low_of_windows(type, {32, of.words + (of.tiles - 1) * (of.tile / of.run) / 32 + 1}, 0),
          chosen(Type::u32, {of.tiles, of.segments * 8}, 0), best(type, {of.tiles * of.tile}, 0),
          limits(type, {of.tiles, 2}, 0), asked(Type::i32, {1}, 0),
          best_view{halide_type(type), {{of.owners, 1}, {of.own, of.owners}, {of.tiles, of.tile}}, 0} {}
};

struct PrunedForm final : TwoStepForm<MinPlusPrunedConfiguration> {
    using TwoStepForm::TwoStepForm;

    bool serves(const Variant &variant, const MinPlusRequest &request, const Array &) const override {
        const int64_t padded = 2 * request.n + 2 * request.length + (1 << 20);  // elements of the copies
        return padded * (int64_t)size_of(request.a.type()) <= most_bytes &&
               PrunedSplit(variant, request).fits();
    }

    Plan plan(const MinPlusOperator &op, const Variant &variant, Device device, const MinPlusRequest &request,
        Array &output) const override;

private:
    static Plan second(const Variant &variant, Device device, const MinPlusRequest &request, Array &output,
        const PrunedSplit &split, const Pruning &pruning);
};

struct SieveForm final : TwoStepForm<MinPlusSieveConfiguration> {
    using TwoStepForm::TwoStepForm;

    Plan plan(const MinPlusOperator &op, const Variant &variant, Device device, const MinPlusRequest &request,
        Array &output) const override;

private:
    static Launch &bind(Launch &launch, const MinPlusRequest &request) {
        return bind_vectors(launch, request)
            .value("length", (int32_t)request.length)
            .value("one", (int32_t)1);
    }
};

constexpr PrunedForm plan_of_blocks("min_plus_convolution_plan", true);
constexpr PrunedForm pruned("min_plus_convolution_pruned", false);
constexpr SieveForm groups("min_plus_convolution_groups", true);
constexpr SieveForm sieve("min_plus_convolution_sieve", false);

Plan PrunedForm::plan(const MinPlusOperator &op, const Variant &variant, Device device,
    const MinPlusRequest &request, Array &output) const {
    const Variant &first_variant = op.variant_beside(variant, plan_of_blocks),
                  &second_variant = op.variant_beside(variant, pruned);
    // All sums, by the variant that the frame takes for them; where the device can run none, the second
    // library.
    const Variant *const all = always ? nullptr : op.named_variant(request, output, "registers", device);
    const PrunedSplit split(variant, request);
    const auto pruning = std::make_shared<Pruning>(request.a.type(), split);
    Plan plan;
    Launch &launch = bind_vectors(plan.launch(first_variant, device), request);
    split.bind(launch, request);
    launch.out("low_of_blocks", pruning->low_of_blocks)
        .out("low_of_windows", pruning->low_of_windows)
        .out("chosen", pruning->chosen)
        .out("best", pruning->best, pruning->best_view)
        .out("limits", pruning->limits)
        .out("asked", pruning->asked);
    plan.then(
        [=, this, &op, &variant, &second_variant, output = output]() mutable {
            const double asked =
                (double)std::as_const(pruning->asked).as<int32_t>()[0] * (double)(split.run * split.tile);
            return all && !goes_on(variant, asked, request) ?
                       op.form_of(*all).plan(op, *all, device, request, output) :
                       second(second_variant, device, request, output, split, *pruning);
        },
        all ? std::vector{&second_variant, all} : std::vector{&second_variant});
    return plan;
}

Plan PrunedForm::second(const Variant &variant, Device device, const MinPlusRequest &request, Array &output,
    const PrunedSplit &split, const Pruning &pruning) {
    Plan plan;
    Launch &launch = bind_vectors(plan.launch(variant, device), request);
    split.bind(launch, request);
    launch.in("accumulated", accumulated_of(request))
        .in("low_of_blocks", pruning.low_of_blocks)
        .in("low_of_windows", pruning.low_of_windows)
        .in("chosen", pruning.chosen)
        .in("best", pruning.best, pruning.best_view)
        .in("limits", pruning.limits)
        .out("output", output, first(output, request.length));
    return plan;
}

Plan SieveForm::plan(const MinPlusOperator &op, const Variant &variant, Device device,
    const MinPlusRequest &request, Array &output) const {
    const Variant &first_variant = op.variant_beside(variant, groups),
                  &second_variant = op.variant_beside(variant, sieve),
                  &all = op.variant_beside(variant, strips);
    const auto sizes = variant.configuration<MinPlusSieveConfiguration>();
    const int64_t tiles = ceil_div(request.length, (int64_t)sizes.width);
    Array best(request.a.type(), {tiles, sizes.width}), asked(Type::i32, {tiles});
    Plan plan;
    bind(plan.launch(first_variant, device), request).out("best", best).out("asked", asked);
    plan.then(
        [=, this, &op, &variant, &second_variant, &all, output = output]() mutable {
            const int32_t *counts = std::as_const(asked).as<int32_t>();
            const double elements = std::accumulate(counts, counts + tiles, 0.) * sizes.run;
            if (!goes_on(variant, elements * sizes.width, request)) {
                return op.form_of(all).plan(op, all, device, request, output);
            }
            Plan then;
            bind(then.launch(second_variant, device), request)
                .in("accumulated", accumulated_of(request))
                .in("best", best)
                .out("output", output, first(output, request.length));
            return then;
        },
        always ? std::vector{&second_variant} : std::vector{&second_variant, &all});
    return plan;
}

}  // namespace

std::vector<const Form *> min_plus_forms() {
    return {
        &definition, &short_vector, &slices, &bounded, &strips, &plan_of_blocks, &pruned, &groups, &sieve};
}

}  // namespace tilewright
