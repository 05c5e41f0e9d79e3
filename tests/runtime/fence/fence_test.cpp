// Every variant of the CPU in memory beside pages without access: a variant that reads or writes behind an
// array, or in front of one, ends the program by SIGSEGV. No sanitizer finds that in Halide's code.
#include "generators/algorithms/integers.h"
#include "tests/operators/variants.h"
#include "tests/runtime/fence/fenced_memory.h"
#include "tilewright/error.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <unistd.h>

namespace tilewright {

namespace {

// Bytes of inputs. Samples that are not small are only for variants that serve no smaller one. Those that are
// large take seconds each: transforms of lines of 4096 and 8192 samples, by the schedules of shorter lines.
// The reference takes one element after another, whatever the size, and long sums for each.
constexpr size_t small = size_t(128) << 10, small_for_reference = size_t(32) << 10, large = size_t(64) << 20;

size_t bytes_of(const std::vector<Array> &arrays) {
    size_t bytes = 0;
    for (const Array &array : arrays) {
        bytes += (size_t)array.size() * size_of(array.type());
    }
    return bytes;
}

// The samples of `verify`, and more with odd sides, the smallest first.
const std::vector<Sample> &samples_of(const Operator &op, const std::string &type) {
    static std::map<std::pair<const Operator *, std::string>, std::vector<Sample>> known;
    std::vector<Sample> &samples = known[{&op, type}];
    if (!samples.empty()) {
        return samples;
    }
    set_fence(Fence::behind);
    samples = workload_of(op).samples(type);
    for (const auto &[w, h] : {std::pair(36, 97), {100, 100}, {230, 160}, {301, 161}}) {
        Sample sample = small_sample(op, type, w, h);
        try {
            op.parse(sample.inputs, sample.settings);
            samples.push_back(std::move(sample));
        } catch (const Error &error) {
            EXPECT_EQ(error.fault(), Fault::input) << error.what();
        }
    }
    std::stable_sort(samples.begin(), samples.end(),
        [](const Sample &a, const Sample &b) { return bytes_of(a.inputs) < bytes_of(b.inputs); });
    return samples;
}

// A caller's array, with or without bytes between its rows: none lies between its last element and the fence.
class CallersArray {
public:
    CallersArray(Type type, const std::vector<int64_t> &shape, bool has_gaps) {
        const size_t rows = shape.size() > 1 ? (size_t)shape[0] : 1, element = size_of(type);
        row_ = element;
        for (size_t d = shape.size() > 1; d < shape.size(); d++) {
            row_ *= (size_t)shape[d];
        }
        const size_t pitch = has_gaps ? round_up(row_, (size_t)64) + 64 : row_;
        std::vector<int64_t> strides(shape.size(), 1);
        if (shape.size() > 1) {
            strides[0] = (int64_t)(pitch / element);
        }
        if (shape.size() > 2) {
            strides[1] = shape[2];
        }
        memory_ = take_fenced((rows - 1) * pitch + row_, is_complex(type) ? element / 2 : element);
        array_ = Array::view(type, memory_, shape, strides);
    }
    CallersArray(const Array &from, bool has_gaps) : CallersArray(from.type(), from.shape(), has_gaps) {
        const size_t rows = from.dimensions() > 1 ? (size_t)from.shape()[0] : 1,
                     element = size_of(from.type());
        for (size_t y = 0; y < rows; y++) {
            memcpy(memory_ + y * (size_t)array_.strides()[0] * element,
                static_cast<const std::byte *>(from.data()) + y * (size_t)from.strides()[0] * element, row_);
        }
    }
    ~CallersArray() {
        give_back_fenced(memory_);
    }
    CallersArray(const CallersArray &) = delete;

    Array &array() {
        return array_;
    }

private:
    size_t row_ = 0;  // bytes
    std::byte *memory_ = nullptr;
    Array array_;
};

char what_runs[300];  // for a crash

void say_what_ran(int number) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, what_runs, strlen(what_runs));
    signal(number, SIG_DFL);
    raise(number);
}

std::vector<VariantCase> cpu_variants() {
    std::vector<VariantCase> variants;
    for (const Operator *op : operators()) {
        for (const VariantCase &one : variant_cases(*op)) {
            if (one.variant->backend == Backend::cpu) {
                variants.push_back(one);
            }
        }
    }
    return variants;
}

std::string full_name(const testing::TestParamInfo<VariantCase> &info) {
    std::string name = info.param.variant->name();
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

class FenceOf : public VariantTest {
protected:
    void SetUp() override {
        signal(SIGSEGV, say_what_ran);
        signal(SIGBUS, say_what_ran);
        VariantTest::SetUp();
        if (!IsSkipped() && variant().schedule == "reference" && getenv("TILEWRIGHT_INSTRUCTION_SET")) {
            GTEST_SKIP() << "not run here: its library has one instruction set, and was run with the newest";
        }
    }

    // The output of the variant, from and in arrays of the library, which have bytes between their rows;
    // empty where the variant does not serve the sample.
    Array of_library(const Sample &sample) {
        Array output;
        return run(sample.inputs, output, sample.settings) ? output : Array();
    }

    // The same with the caller's arrays.
    Array of_caller(const Sample &sample, bool has_gaps) {
        std::vector<std::unique_ptr<CallersArray>> memory;
        std::vector<Array> inputs;
        for (const Array &input : sample.inputs) {
            inputs.push_back(memory.emplace_back(std::make_unique<CallersArray>(input, has_gaps))->array());
        }
        const auto [type, shape] = op().output_of(inputs, sample.settings);
        CallersArray output(type, shape, has_gaps);
        return run(inputs, output.array(), sample.settings) ? output.array().clone() : Array();
    }

    // Runs the variant beside each fence. Bytes that nothing wrote differ from fence to fence, and so does a
    // result that is made of them.
    template<typename Run>
    void run_beside_fences(const Sample &sample, const char *arrays, Run run) {
        std::vector<Array> outputs;
        for (const Fence fence : {Fence::behind, Fence::in_front}) {
            snprintf(what_runs, sizeof what_runs, "%s of %s in arrays of %s, with the fence %s them\n",
                variant().name().c_str(), sample.what.c_str(), arrays,
                fence == Fence::behind ? "behind" : "before");
            set_fence(fence);
            outputs.push_back(run());
        }
        if (!outputs[0].empty()) {
            EXPECT_EQ(difference(outputs[0], outputs[1], {}), "") << what_runs;
        }
    }
};

}  // namespace

TEST_P(FenceOf, Variant) {
    for (const Sample &sample : samples_of(op(), variant().type)) {
        const size_t bytes = bytes_of(sample.inputs);
        const bool is_small = bytes <= (variant().schedule == "reference" ? small_for_reference : small);
        if (served() > 0 && !is_small) {
            break;
        }
        if (bytes > large) {
            GTEST_SKIP() << "not run here: its samples are large";
        }
        run_beside_fences(sample, "the caller", [&] { return of_caller(sample, false); });
        if (is_small) {
            run_beside_fences(sample, "the caller with gaps", [&] { return of_caller(sample, true); });
            run_beside_fences(sample, "the library", [&] { return of_library(sample); });
        }
    }
    EXPECT_GT(served(), 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, FenceOf, testing::ValuesIn(cpu_variants()), full_name);

}  // namespace tilewright
