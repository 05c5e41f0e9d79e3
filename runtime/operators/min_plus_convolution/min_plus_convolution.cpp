// The front of min_plus_convolution: what a call may ask for. Its forms: forms.cpp.
#include "tilewright/min_plus_convolution.h"
#include "runtime/operators/min_plus_convolution/forms.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tilewright {

const std::vector<Variant> &min_plus_convolution_variants();

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
                      "convolution"),
                  .measures = {"n", "m", "length"},
                  .looks_at_elements = true},
              min_plus_convolution_variants(), min_plus_forms()) {}

    Measures measures(const MinPlusRequest &request) const override {
        return {(double)request.n, (double)request.m, (double)request.length};
    }

    double measure(std::string_view name, const Variant &variant, const Measures &measures) const override {
        const auto &of = measures.numbers;
        return name == "pairs" ? pairs_of(of[0], of[1], of[2]) : OperatorOf::measure(name, variant, measures);
    }

    // What the variant's form does, and the entry without a sum.
    Plan plan(
        const Variant &variant, Device device, const MinPlusRequest &request, Array &output) const override {
        Plan plan = request.entries_of_part() > 0 ? plan_of_entries(variant, device, request, output) :
                                                    OperatorOf::plan(variant, device, request, output);
        if (output.size() > request.length) {
            keep_last_entry(plan, device, request, output);
        }
        return plan;
    }

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

    // A variant is asked with a part that has all n - 1 entries in front, than which none is larger.
    bool form_serves(
        const Variant &variant, const MinPlusRequest &request, const Array &output) const override {
        const int64_t n = request.entries_of_part();
        if (n == 0) {
            return OperatorOf::form_serves(variant, request, output);
        }
        const Part part(request, n);
        return serves(variant, *parse(part.inputs, part.settings),
            without_memory(output.type(), {part.first + part.entries}));
    }

private:
    // Entries of the output, and what they depend on: all of `a`, and of `b` n - 1 elements more in front.
    struct Part {
        int64_t entries, first;  // the first one's place in the result of a call on the inputs
        std::vector<Array> inputs;
        Settings settings;

        Part(const MinPlusRequest &of, int64_t begin)
            : entries(std::min(of.entries_of_part(), of.length - begin)), first(std::min(begin, of.n - 1)) {
            const int64_t from = begin - first, end = begin + entries;
            inputs = {of.a, part_of(of.b, from, std::min(of.m, end) - from)};
            if (!of.accumulated.empty()) {
                inputs.push_back(part_of(of.accumulated, from, end - from));
            }
            settings.set("length", (double)(end - from));
        }
    };

    Plan plan_of_entries(
        const Variant &variant, Device device, const MinPlusRequest &request, const Array &output) const {
        Plan plan;
        for (int64_t at = 0; at < request.length; at += request.entries_of_part()) {
            plan.then(
                [=, this, &variant, part = Part(request, at)] {
                    return plan_of_part(variant, device, part.inputs, part.settings, part.first,
                        part_of(output, at, part.entries));
                },
                {&variant});
        }
        return plan;
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
    return immortal([] { return MinPlusConvolution(); });
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
