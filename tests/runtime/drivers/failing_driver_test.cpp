// Every variant of a GPU on a real driver that fails at one step: at each launch, allocation and copy of a
// call in turn. Then the call is an Error, or, where it could free memory and try again, right; its inputs
// are as they were, and the next call is right.
#include "tests/runtime/drivers/fakes/failing_driver.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <algorithm>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <stdexcept>

namespace tilewright {

namespace {

using failing_driver::Step;

const failing_driver::Requests &requests_of(const char *library) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    auto ask = loaded ? reinterpret_cast<const failing_driver::Requests *(*)()>(
                            dlsym(loaded, "failing_driver_requests")) :
                        nullptr;
    if (!ask) {
        throw std::runtime_error(std::string("the failing ") + library +
                                 " is not the one that was loaded; ctest sets LD_LIBRARY_PATH");
    }
    return *ask();
}

int64_t elements_of(const Sample &sample) {
    int64_t n = 0;
    for (const Array &input : sample.inputs) {
        n += input.size();
    }
    return n;
}

class FailingDriver : public testing::TestWithParam<std::pair<Backend, const Operator *>> {
protected:
    void SetUp() override {
        const DeviceInfo &info = devices(backend()).front();
        if (!info.usable) {
            GTEST_SKIP() << "not run here: " << info.why_not;
        }
        device_ = info.device;
        compile_quickly_on_pocl();
        requests_ = &requests_of(backend() == Backend::cuda ? "libcuda.so.1" : "libOpenCL.so.1");
    }

    static Backend backend() {
        return GetParam().first;
    }
    static const Operator &op() {
        return *GetParam().second;
    }

    Array run(const Variant &variant, const std::vector<Array> &inputs, const Settings &settings) const {
        const auto [type, shape] = op().output_of(inputs, settings);
        Array output(type, shape);
        op().run(variant, device_, inputs, output, settings);
        output.sync();
        return output;
    }

    // The smallest sample of several blocks that a variant serves, or the largest of fewer; nullptr where it
    // serves none of a bearable size.
    const Sample *sample_for(const Variant &variant) {
        auto [known, is_new] = samples_.try_emplace(variant.type);
        std::vector<Sample> &all = known->second;
        if (is_new) {
            all = workload_of(op()).samples(variant.type);
            std::erase_if(all, [&](const Sample &s) {
                return elements_of(s) > 1100000 || op().type_of(s.inputs, s.settings) != variant.type;
            });
            std::stable_sort(all.begin(), all.end(),
                [](const Sample &a, const Sample &b) { return elements_of(a) < elements_of(b); });
        }
        constexpr int64_t several_blocks = 5000;
        const Sample *last = nullptr;
        for (const Sample &sample : all) {
            const auto [type, shape] = op().output_of(sample.inputs, sample.settings);
            if (op().serves(variant, sample.inputs, Array(type, shape), sample.settings)) {
                last = &sample;
                if (elements_of(sample) >= several_blocks) {
                    break;
                }
            }
        }
        return last;
    }

    // A call with arrays that no device knows yet and with no memory kept, so that each step is taken that a
    // call can take.
    struct Called {
        Array output;
        std::string error;
        Fault fault = Fault::failed;
    };
    Called call(const Variant &variant, const Sample &sample, Step step, long nth) {
        std::vector<Array> inputs;
        for (const Array &input : sample.inputs) {
            inputs.push_back(input.clone());
        }
        trim_device_memory();
        Called called;
        requests_->fail(step, nth);
        try {
            called.output = run(variant, inputs, sample.settings);
        } catch (const Error &error) {
            called.error = error.what();
            called.fault = error.fault();
        }
        for (int s = 0; s < failing_driver::steps; s++) {
            reached_[s] = requests_->reached(Step(s));
        }
        requests_->fail(Step::none, 0);
        for (size_t i = 0; i < inputs.size(); i++) {
            EXPECT_EQ(difference(inputs[i], sample.inputs[i], {}), "") << "an input was changed";
        }
        return called;
    }

    Device device_;
    const failing_driver::Requests *requests_ = nullptr;
    std::map<std::string, std::vector<Sample>> samples_;
    long reached_[failing_driver::steps] = {};  // by the last call
    int failures_ = 0;
};

}  // namespace

TEST_P(FailingDriver, NoFailureIsSilent) {
    const std::pair<Step, const char *> steps[] = {{Step::launch, "launch"}, {Step::allocation, "allocation"},
        {Step::to_device, "copy to the device"}, {Step::to_host, "copy to the host"}};
    for (const Variant &variant : op().variants()) {
        const bool runs = variant.backend == backend() && why_not_on(variant, device_).empty();
        const Sample *sample = runs ? sample_for(variant) : nullptr;
        if (!sample) {
            continue;
        }
        SCOPED_TRACE(variant.name() + ", " + sample->what);
        run(variant, sample->inputs, sample->settings);  // makes what is kept for all calls: kernels, tables
        const Called good = call(variant, *sample, Step::none, 0);
        ASSERT_EQ(good.error, "");
        long counts[failing_driver::steps];
        std::copy(std::begin(reached_), std::end(reached_), counts);
        for (const auto &[step, name] : steps) {
            for (long nth = 1; nth <= counts[(int)step]; nth++) {
                SCOPED_TRACE(name + (" " + std::to_string(nth)) + " of " + std::to_string(counts[(int)step]) +
                             " fails");
                const Called bad = call(variant, *sample, step, nth);
                failures_++;
                if (bad.error.empty() && step == Step::allocation) {  // it freed memory and tried again
                    EXPECT_EQ(difference(bad.output, good.output, {}), "");
                    continue;
                }
                EXPECT_NE(bad.error, "") << "nothing was thrown";
                EXPECT_EQ(bad.fault, step == Step::allocation ? Fault::memory : Fault::device) << bad.error;
                EXPECT_NE(bad.error.find(device_.str()), std::string::npos) << bad.error;
            }
        }
        EXPECT_EQ(difference(call(variant, *sample, Step::none, 0).output, good.output, {}), "")
            << "the next call";
    }
    EXPECT_GT(failures_, 0) << "no variant of it could be made to fail";
}

// What a program does that meets no memory at its first call: it says so, and goes on with the CPU.
TEST_P(FailingDriver, WithoutMemoryTheCpuGoesOn) {
    const auto variants = op().variants("tuned", backend());
    if (variants.empty() || op().variants("tuned", Backend::cpu).empty()) {
        GTEST_SKIP() << "not run here: it has no such variants";
    }
    const Sample sample = small_sample(op(), variants.front()->type, 64, 64);
    std::vector<Array> inputs;
    for (const Array &input : sample.inputs) {
        inputs.push_back(input.clone());
    }
    trim_device_memory();
    Array output;
    requests_->fail(Step::allocation, failing_driver::every);
    const Error error = error_of([&] { op()(inputs, output, sample.settings, {.device = device_}); });
    EXPECT_EQ(error.fault(), Fault::memory) << error.what();
    EXPECT_TRUE(output.empty());
    EXPECT_NO_THROW(op()(inputs, output, sample.settings, {.device = Device{}}));
    requests_->fail(Step::none, 0);
    Array there;
    EXPECT_NO_THROW(op()(inputs, there, sample.settings, {.device = device_}));
}

namespace {

std::vector<std::pair<Backend, const Operator *>> operators_of_gpus() {
    std::vector<std::pair<Backend, const Operator *>> all;
    for (const Backend backend : {Backend::cuda, Backend::opencl}) {
        for (const Operator *op : operators()) {
            const auto &variants = op->variants();
            if (std::any_of(variants.begin(), variants.end(),
                    [&](const Variant &variant) { return variant.backend == backend; })) {
                all.emplace_back(backend, op);
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Operators, FailingDriver, testing::ValuesIn(operators_of_gpus()), [](const auto &info) {
        return info.param.second->name() + (info.param.first == Backend::cuda ? "_cuda" : "_opencl");
    });

}  // namespace

}  // namespace tilewright
