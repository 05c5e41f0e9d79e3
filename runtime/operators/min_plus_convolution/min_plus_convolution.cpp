// The front of min_plus_convolution: which rows serve a call, and the two steps of the pruned form.
#include "tilewright/min_plus_convolution.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/operators/min_plus_convolution/problem.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace tilewright {

const std::vector<Row> &min_plus_convolution_rows();

namespace {

Input vector_of_numbers(const char *name, const char *help = "") {
    return {.name = name, .help = help, .types = {Type::i32, Type::f32, Type::f64}, .axes = Axes::vector};
}

class MinPlusConvolution : public OperatorOf<MinPlusRequest> {
public:
    MinPlusConvolution()
        : OperatorOf(
              {.name = "min_plus_convolution",
                  .summary = "the min-plus convolution of two vectors: c[k] = min over i of a[i] + b[k - i]",
                  .inputs = {vector_of_numbers("a"), vector_of_numbers("b")},
                  .makes = Makes::vector,
                  .options = {{.name = "length",
                      .help = "How many entries, from the first on, 1 to n + m (default: n + m - 1, all that "
                              "have a sum)",
                      .is_number = true,
                      .is_whole = true}},
                  .optional_input = vector_of_numbers("accumulate",
                      "A vector of the output's length: the output is the lesser of it and the "
                      "convolution")},
              min_plus_convolution_rows()) {}

protected:
    MinPlusRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Type type = inputs[0].type();
        if (type != inputs[1].type()) {
            refuse(Fault::input, "the vectors must be of one type", "a, b",
                inputs[0].describe() + ", " + inputs[1].describe());
        }
        const int64_t most = inputs[0].size() + inputs[1].size();
        const double length = settings.number("length", (double)(most - 1));
        if (!(length >= 1 && length <= (double)most)) {
            refuse(Fault::usage, fmt::format("takes a whole number from 1 to {}", most), "length",
                fmt::format("{}", length));
        }
        if (inputs.size() > 2 && (inputs[2].type() != type || inputs[2].size() != (int64_t)length)) {
            refuse(Fault::input,
                fmt::format("must be {} ({})", name_of(type), (int64_t)length) + ", as the output is",
                "accumulate", inputs[2].describe());
        }
        MinPlusRequest request(inputs, (int64_t)length);
        request.type = name_of(type);
        request.output_type = type;
        request.output_shape = {(int64_t)length};
        return request;
    }

    void check_elements(const MinPlusRequest &request) const override {
        const char *const names[] = {"a", "b", "accumulate"};
        for (size_t i = 0; i < request.inputs.size(); i++) {
            const Array &vector = request.inputs[i];
            switch (vector.type()) {
            case Type::f64: check_floats<double>(vector, names[i], i < 2); break;
            case Type::f32: check_floats<float>(vector, names[i], i < 2); break;
            default:
                if (i < 2) {
                    check_integers(vector, names[i]);
                }
            }
        }
    }

    Measures measures_of(const MinPlusRequest &request) const override {
        return {(double)request.n, (double)request.m, (double)request.length};
    }

    bool is_meant_for(const Row &row, const Measures &measures) const override {
        if (row.form != "min_plus_convolution_slices") {
            return true;
        }
        const int below = row.configuration<MinPlusSlicesConfiguration>().pairs_below;
        return below == 0 || pairs_of(measures.numbers[0], measures.numbers[1], measures.numbers[2]) < below;
    }

    bool equals_tuned(const Row &row) const override {
        return !row.schedule.starts_with("pruned");  // their time depends on the values
    }

    bool accepts_request(const Row &row, const MinPlusRequest &request, const Array &) const override {
        if (row.form == "min_plus_convolution") {
            return row.autoscheduler.empty() || request.length >= 16;  // a vector, of the plug-in's making
        }
        if (row.form == "min_plus_convolution_plan") {
            const int64_t padded = 2 * request.n + 2 * request.length + (1 << 20);  // elements of the copies
            return padded * (int64_t)size_of(request.a.type()) <= most_bytes &&
                   PrunedSplit(row, request).fits();
        }
        if (row.form == "min_plus_convolution_short") {
            return request.n <= row.configuration<MinPlusShortConfiguration>().most_elements;
        }
        return true;
    }

    Plan plan(const Row &row, Device device, const MinPlusRequest &request, Array &output) const override {
        Plan plan = sums(row, device, request, output);
        if (output.size() > request.length) {
            keep_last_entry(plan, device, request, output);
        }
        return plan;
    }

private:
    // The entries that have a sum.
    Plan sums(const Row &row, Device device, const MinPlusRequest &request, Array &output) const {
        if (row.form == "min_plus_convolution_plan") {
            return pruned(row, device, request, output, true);
        }
        if (row.form == "min_plus_convolution_pruned") {
            return pruned(sibling(row, "min_plus_convolution_plan"), device, request, output, false);
        }
        if (row.form == "min_plus_convolution_groups") {
            return sifted(row, device, request, output, true);
        }
        if (row.form == "min_plus_convolution_sieve") {
            return sifted(sibling(row, "min_plus_convolution_groups"), device, request, output, false);
        }
        if (row.form == "min_plus_convolution_strips" && request.pairs() >= fewest_pairs_to_sift) {
            return sifted(sibling(row, "min_plus_convolution_groups"), device, request, output, false);
        }
        if (walks_too_far(row, request)) {
            const Row &first_row = sibling(row, "min_plus_convolution_plan");
            if (request.pairs() >= pruning_threshold(request.a.type()).pairs &&
                accepts_request(first_row, request, output)) {
                return pruned(first_row, device, request, output, false);
            }
            return dense(row, device, request, output);
        }
        return one_library(row, device, request, output);
    }

    // The entry n + m - 1 has no sum: it keeps the value of `accumulated`, or is absent. The host writes it.
    static void keep_last_entry(
        Plan &plan, Device device, const MinPlusRequest &request, const Array &output) {
        const bool no_denormals = device.backend == Backend::cuda && request.a.type() == Type::f32;
        const auto keep = [=](auto zero) {
            using T = decltype(zero);
            const Array &kept = accumulated_of(request);
            const T value = kept.as<T>()[kept.size() - 1];
            const bool is_zero = value == 0 || (no_denormals && std::abs((double)value) < 0x1p-126);
            Array(output).as<T>()[request.length] = is_zero ? zero : value;
        };
        plan.host([=] {
            request.a.type() == Type::f64 ? keep(0.) : request.a.type() == Type::f32 ? keep(0.f) : keep(0);
        });
    }

    // Whether other rows are taken in place of the row's own library.
    static bool walks_too_far(const Row &row, const MinPlusRequest &request) {
        if (row.form != "min_plus_convolution") {
            return false;
        }
        const int64_t most = row.configuration<MinPlusConvolutionConfiguration>().most_walked;
        return most != 0 && request.n > most;
    }

    template<typename T>
    void check_floats(const Array &vector, const std::string &argument, bool finite_below) const {
        const T *x = vector.as<T>();
        const int64_t n = vector.size(),
                      at = finite_below ?
                               first_that(
                                   x, n, [](T v) { return !(v > -std::numeric_limits<T>::infinity()); }) :
                               first_that(x, n, [](T v) { return std::isnan(v); });
        if (at < n) {
            refuse(Fault::input,
                finite_below ? "takes finite numbers and +infinity (absent), not NaN or -infinity" :
                               "takes numbers and infinities, not NaN",
                fmt::format("{}[{}]", argument, at), fmt::format("{}", x[at]));
        }
    }

    void check_integers(const Array &vector, const std::string &argument) const {
        constexpr int32_t most = 1 << 28;
        const int32_t *x = vector.as<int32_t>();
        const int64_t n = vector.size(), at = first_that(x, n, [](int32_t v) {
            return (uint32_t)v + (uint32_t)most > 2u * most;
        });
        if (at < n) {
            refuse(Fault::input,
                "i32 values must lie in [-2^28, 2^28]; take f64, which has all sums of i32 exactly",
                fmt::format("{}[{}]", argument, at), std::to_string(x[at]));
        }
    }

    // The row of the same type and backend that has a form.
    const Row &sibling(const Row &row, const std::string &form) const {
        for (const Row &other : rows()) {
            if (other.form == form && other.type == row.type && other.backend == row.backend) {
                return other;
            }
        }
        throw std::logic_error(row.name() + " has no row with the form " + form + " beside it");
    }

    static Plan one_library(const Row &row, Device device, const MinPlusRequest &request, Array &output) {
        Plan plan;
        Launch &launch = plan.launch(row, device);
        launch.in("a", request.a, first(request.a, request.n))
            .in("b", request.b, first(request.b, request.m));
        launch.in("accumulated", accumulated_of(request));
        if (row.form == "min_plus_convolution_slices") {
            launch.value("length", (int32_t)request.length);
        }
        if (row.form == "min_plus_convolution_strips") {
            launch.value("one", (int32_t)1);
        }
        launch.out("output", output, first(output, request.length));
        return plan;
    }

    // The best row that evaluates all pairs on the device; where none is meant for the size, one that takes
    // it, and else `row` itself.
    const Row *dense_row(
        const Row *row, Device device, const MinPlusRequest &request, const Array &output) const {
        const Row *any = row;
        for (const Row *other : Operator::rows("registers", row->backend)) {
            if (other->type != row->type || !accepts_request(*other, request, output) ||
                !tilewright::why_not_on(*other, device).empty()) {
                continue;
            }
            if (suits(*other, request)) {
                return other;
            }
            any = other;
        }
        return any;
    }

    Plan dense(const Row &row, Device device, const MinPlusRequest &request, Array &output) const {
        return one_library(*dense_row(&row, device, request, output), device, request, output);
    }

    // Both pruned forms; or, unless it is `always` to go on so, the first one and the dense form, where too
    // much has to be evaluated.
    Plan pruned(const Row &first_row, Device device, const MinPlusRequest &request, Array &output,
        bool always) const {
        const Row &second_row = sibling(first_row, "min_plus_convolution_pruned");
        if (!accepts_request(first_row, request, output)) {
            return dense(second_row, device, request, output);
        }
        const PrunedSplit split(first_row, request);
        const auto pruning = std::make_shared<Pruning>(request.a.type(), split);
        Plan plan;
        plan.launch(first_row, device)
            .in("a", request.a, first(request.a, request.n))
            .in("b", request.b, first(request.b, request.m))
            .value("length", (int32_t)request.length)
            .value("segments", (int32_t)split.segments_of_part)
            .value("parts", (int32_t)split.parts)
            .out("low_of_blocks", pruning->low_of_blocks)
            .out("low_of_windows", pruning->low_of_windows)
            .out("chosen", pruning->chosen)
            .out("best", pruning->best, pruning->best_view)
            .out("limits", pruning->limits)
            .out("asked", pruning->asked);
        plan.then(
            [this, &second_row, device, request, output, always, split, pruning]() mutable {
                const double asked =
                    (double)std::as_const(pruning->asked).as<int32_t>()[0] * (double)(split.run * split.tile);
                if (!always && asked > pruning_threshold(request.a.type()).asked * request.pairs()) {
                    return dense(second_row, device, request, output);
                }
                return second_pruned(second_row, device, request, output, split, *pruning);
            },
            {&second_row, dense_row(&second_row, device, request, output)});
        return plan;
    }

    // As pruned(), on a CPU.
    Plan sifted(const Row &first_row, Device device, const MinPlusRequest &request, Array &output,
        bool always) const {
        const Row &second_row = sibling(first_row, "min_plus_convolution_sieve");
        const Row &all_pairs = sibling(first_row, "min_plus_convolution_strips");
        const auto sizes = first_row.configuration<MinPlusSieveConfiguration>();
        const int64_t tiles = ceil_div(request.length, (int64_t)sizes.width);
        Array best(request.a.type(), {tiles, sizes.width}), asked(Type::i32, {tiles});
        Plan plan;
        plan.launch(first_row, device)
            .in("a", request.a, first(request.a, request.n))
            .in("b", request.b, first(request.b, request.m))
            .value("length", (int32_t)request.length)
            .value("one", (int32_t)1)
            .out("best", best)
            .out("asked", asked);
        plan.then(
            [=, &second_row, &all_pairs, output = output]() mutable {
                const int32_t *counts = std::as_const(asked).as<int32_t>();
                const double elements = std::accumulate(counts, counts + tiles, 0.) * sizes.run;
                if (!always && elements * sizes.width > most_sifted * request.pairs()) {
                    return one_library(all_pairs, device, request, output);
                }
                Plan sieve;
                sieve.launch(second_row, device)
                    .in("a", request.a, first(request.a, request.n))
                    .in("b", request.b, first(request.b, request.m))
                    .in("accumulated", accumulated_of(request))
                    .in("best", best)
                    .value("length", (int32_t)request.length)
                    .value("one", (int32_t)1)
                    .out("output", output, first(output, request.length));
                return sieve;
            },
            {&second_row, &all_pairs});
        return plan;
    }

    static Plan second_pruned(const Row &row, Device device, const MinPlusRequest &request, Array &output,
        const PrunedSplit &split, const Pruning &pruning) {
        Plan plan;
        plan.launch(row, device)
            .in("a", request.a, first(request.a, request.n))
            .in("b", request.b, first(request.b, request.m))
            .in("accumulated", accumulated_of(request))
            .in("low_of_blocks", pruning.low_of_blocks)
            .in("low_of_windows", pruning.low_of_windows)
            .in("chosen", pruning.chosen)
            .in("best", pruning.best, pruning.best_view)
            .in("limits", pruning.limits)
            .value("length", (int32_t)request.length)
            .value("segments", (int32_t)split.segments_of_part)
            .value("parts", (int32_t)split.parts)
            .out("output", output, first(output, request.length));
        return plan;
    }
};

Settings settings_of(std::optional<int64_t> length) {
    Settings settings;
    if (length) {
        settings.set("length", (double)*length);
    }
    return settings;
}

}  // namespace

const Operator &min_plus_convolution_operator() {
    static const auto &op = *new MinPlusConvolution;  // never destroyed (inside.h)
    return op;
}

void min_plus_convolution(
    const Array &a, const Array &b, Array &c, std::optional<int64_t> length, const Call &call) {
    const Array inputs[] = {a, b};
    min_plus_convolution_operator()(inputs, c, settings_of(length), call);
}

void min_plus_convolution(const Array &a, const Array &b, const Array &accumulated, Array &c,
    std::optional<int64_t> length, const Call &call) {
    const Array inputs[] = {a, b, accumulated};
    min_plus_convolution_operator()(inputs, c, settings_of(length), call);
}

}  // namespace tilewright
