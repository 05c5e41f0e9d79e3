// What every front binds, against the arguments that its libraries have. Each variant makes its plan for each
// sample that it serves, and nothing runs, so that variants of GPUs are tested where there is none.
//
//     TILEWRIGHT_BINDINGS=before.txt build/tests/bindings_test
//
// writes a line per argument, by which two versions of a front are compared.
#include "runtime/dispatch/form.h"
#include "runtime/dispatch/steps/plan.h"
#include "tests/support/operators.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace tilewright {
namespace {

// Where the lines go: nowhere, unless the environment names a file.
std::ofstream &lines() {
    static const char *const path = std::getenv("TILEWRIGHT_BINDINGS");
    static std::ofstream file(path ? path : "");
    return file;
}

std::string number_of(const halide_type_t &type, uint64_t bytes) {
    switch (type.code) {
    case halide_type_float:
        return type.bits == 32 ? fmt::format("{:a}", std::bit_cast<float>((uint32_t)bytes)) :
                                 fmt::format("{:a}", std::bit_cast<double>(bytes));
    case halide_type_int: return fmt::format("{}", type.bits == 32 ? (int32_t)bytes : (int64_t)bytes);
    default: return fmt::format("{}", bytes);
    }
}

// Which array of the call it is.
std::string origin_of(const Array &array, const Request &request, const Array &output) {
    for (size_t i = 0; i < request.inputs.size(); i++) {
        if (array.storage() == request.inputs[i].storage()) {
            return fmt::format("input {}", i);
        }
    }
    return array.storage() == output.storage() ? "output" : "array of its own, " + array.describe();
}

// "image: 64:1 31:64 of 8 bits + 0": extent and stride of each dimension, type, bytes before it.
std::string in_words(const Launch::Bound &bound) {
    const halide_filter_argument_t &declared = bound.declared;
    if (!bound.view) {
        return fmt::format("{} = {}", declared.name, number_of(declared.type, bound.number));
    }
    std::vector<std::string> dims;
    for (const View::Dim &dim : bound.view->dims) {
        dims.push_back(fmt::format("{}:{}", dim.extent, dim.stride));
    }
    const halide_type_t &type = bound.view->type;
    return fmt::format("{}: {} of {} bits (kind {}) + {}", declared.name, fmt::join(dims, " "),
        (int)type.bits, (int)type.code, bound.view->offset);
}

// A variant of an autoscheduler asks its library which sizes it takes, and that needs its device.
bool can_be_asked(const Variant &variant) {
    std::string why_not;
    return variant.autoscheduler.empty() || usable_device(variant.backend, why_not);
}

class Bindings : public testing::TestWithParam<const Operator *> {
protected:
    const Operator &op() const {
        return *GetParam();
    }

    // Makes the row's plan for a sample, and looks at each argument. False where the variant does not serve
    // it.
    bool is_planned(const Variant &variant, const std::string &sample, const Request &request) const {
        Array output = Array::uninitialized(request.output_type, request.output_shape);
        if (can_be_asked(variant) ? !op().serves(variant, request, output) : variant.type != request.type) {
            return false;
        }
        lines() << fmt::format(
            "{} [{}] is meant for it: {}\n", variant.name(), sample, op().is_meant_for(variant, request));
        const Plan plan = op().plan(variant, {variant.backend, 0}, request, output);
        for (const Launch *launch : plan.launches()) {
            for (const Launch::Bound &bound : launch->bound()) {
                lines() << fmt::format("{} [{}] {} {}{}\n", variant.name(), sample, launch->variant().name(),
                    in_words(bound), bound.array ? ", " + origin_of(*bound.array, request, output) : "");
            }
        }
        for (const Variant *any : plan.variants()) {
            lines() << fmt::format("{} [{}] may run {}\n", variant.name(), sample, any->name());
        }
        return true;
    }
};

TEST_P(Bindings, AreTheArgumentsOfTheLibraries) {
    std::map<std::string, std::vector<Sample>> samples;
    for (const Variant &variant : op().variants()) {
        std::vector<Sample> &of_type = samples[variant.type];
        if (of_type.empty()) {
            of_type = workload_of(op()).samples(variant.type);
        }
        int planned = 0;
        for (size_t i = 0; i < of_type.size(); i++) {
            const auto request = op().parse(of_type[i].inputs, of_type[i].settings);
            try {
                planned += is_planned(variant, fmt::format("{} {}", i, of_type[i].what), *request);
            } catch (const std::logic_error &wrong) {
                ADD_FAILURE() << variant.name() << ", " << of_type[i].what << ": " << wrong.what();
            }
        }
        EXPECT_GT(planned, 0) << variant.name() << " serves no sample: nothing was looked at";
        lines() << fmt::format(
            "{} may stand for tuned: {}\n", variant.name(), op().may_stand_for_tuned(variant));
    }
}

// A form that no variant has is dead code. Variants without a form end the construction of their operator.
TEST_P(Bindings, EveryFormHasAVariant) {
    std::set<const Form *> used;
    std::set<Backend> backends;
    for (const Variant &variant : op().variants()) {
        used.insert(&op().form(variant));
        backends.insert(variant.backend);
    }
    if (backends.size() < 3) {
        GTEST_SKIP() << "not run here: forms of backends that were not built have no variants";
    }
    std::set<std::string_view> names;
    for (const Form *form : op().forms()) {
        EXPECT_TRUE(used.contains(form)) << op().name() << " has no variant of the form " << form->name;
        EXPECT_TRUE(names.insert(form->name).second) << form->name << " is there twice";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Operators, Bindings, testing::ValuesIn(operators()), [](const auto &info) { return info.param->name(); });

}  // namespace
}  // namespace tilewright
