// Every function of a driver that we or Halide's runtime call fails once, at its first call and at its last
// one: each use of the library is then right or an Error of one line, nothing is left behind on the device,
// and the same uses are right after it. Each failure has a process of its own, because a driver starts once.
#include "runtime/arrays/copy.h"
#include "runtime/devices/memory/memory_pool.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/failing_driver.h"
#include "tests/support/arrays.h"
#include "tests/support/process.h"
#include "tilewright/launches.h"
#include "tilewright/prepared.h"
#include "tilewright/stream.h"
#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

using Counts = std::map<std::string, long>;

const failing_driver::Requests &requests_of(Backend backend) {
    void *loaded = dlopen(backend == Backend::cuda ? "libcuda.so.1" : "libOpenCL.so.1", RTLD_NOW);
    auto ask = loaded ? reinterpret_cast<const failing_driver::Requests *(*)()>(
                            dlsym(loaded, "failing_driver_requests")) :
                        nullptr;
    if (!ask) {
        throw std::runtime_error("the driver is not the failing one; ctest sets LD_LIBRARY_PATH");
    }
    return *ask();
}

// How often each function was called that was called at all.
Counts counts_of(const failing_driver::Requests &requests) {
    Counts counts;
    long calls = 0;
    for (size_t i = 0; const char *name = requests.function(i, &calls); i++) {
        if (calls > 0) {
            counts[name] = calls;
        }
    }
    return counts;
}

// What the library uses a device for. Each makes the same result.
struct Use {
    const char *name;
    Array (*make)(const AnyOperator &any, Device device);
};

const Use uses[] = {
    {"a call", [](const AnyOperator &any, Device device) { return any.run(device); }},
    {"a recorded call",
        [](const AnyOperator &any, Device device) {
            LaunchRecording recording;
            return any.run(device);
        }},
    {"a prepared call",
        [](const AnyOperator &any, Device device) {
            Array output;
            Prepared prepared =
                any.op->prepare(any.sample.inputs, output, any.sample.settings, {.device = device});
            prepared();
            prepared();
            return output;
        }},
    {"a prepared call of many images",
        [](const AnyOperator &any, Device device) {
            std::vector<Array> inputs;
            for (const Array &input : any.sample.inputs) {
                std::vector<int64_t> shape = input.shape();
                shape.insert(shape.begin(), 3);
                const Array &all = inputs.emplace_back(input.type(), shape);
                for (int64_t i = 0; i < 3; i++) {
                    Array image = all.slice({i});
                    copy(input, image);
                }
            }
            Array output;
            Prepared prepared = any.op->prepare(inputs, output, any.sample.settings,
                {.device = device, .layout = inputs[0].dimensions() == 4 ? "nhwc" : "nhw"});
            prepared();
            return output.slice({2}).clone();
        }},
    {"a stream",
        [](const AnyOperator &any, Device device) {
            Stream stream(device, 2);
            std::future<Array> first = stream.start(*any.op, any.sample.inputs, any.sample.settings),
                               second = stream.start(*any.op, any.sample.inputs, any.sample.settings);
            first.get();
            return second.get();
        }},
    {"page-locked memory",
        [](const AnyOperator &any, Device device) {
            Array output;
            (*any.op)(any.sample.inputs, output, any.sample.settings, {.device = device, .pinned = true});
            trim_host_memory();
            return output;
        }},
    {"calls like earlier ones",
        [](const AnyOperator &any, Device device) {
            for (int i = 0; i < 3; i++) {
                any.run(device);
            }
            return any.run(device);
        }},
    {"a call like earlier ones after the device's memory went back",
        [](const AnyOperator &any, Device device) {
            any.run(device);
            driver::cuda_memory().free_all();
            driver::opencl_memory().free_all();
            return any.run(device);
        }},
};

// What is wrong with the uses, one line per use; "refused" where the device is not usable, in words.
std::string wrong_in_uses(Backend backend, const AnyOperator &any, const Array *expected, bool may_fail) {
    std::ostringstream wrong;
    const DeviceInfo &info = devices(backend).front();
    if (!info.usable) {
        return info.why_not.empty() || info.why_not.find('\n') != std::string::npos ?
                   "the device is refused without one line: " + info.why_not + "\n" :
                   "refused";
    }
    for (const Use &use : uses) {
        try {
            Array output = use.make(any, info.device);
            output.sync();
            synchronize(info.device);
            if (expected && !same_bytes(output, *expected)) {
                wrong << use.name << ": another result\n";
            }
        } catch (const Error &error) {
            const std::string text = error.what();
            if (!may_fail || text.empty() || text.find('\n') != std::string::npos) {
                wrong << use.name << ": " << text << "\n";
            }
        } catch (const std::exception &error) {
            wrong << use.name << ": no Error of the library: " << error.what() << "\n";
        }
    }
    return wrong.str();
}

// Objects of the driver that are left, by what makes and what frees them.
long left_of(const Counts &counts, const std::vector<const char *> &made, const char *freed) {
    const auto calls = [&](const char *name) { return counts.contains(name) ? counts.at(name) : 0; };
    long left = -calls(freed);
    for (const char *name : made) {
        left += calls(name);
    }
    return left;
}

std::string left_over(const Counts &now, const Counts &good, const std::string &failed) {
    const std::pair<std::vector<const char *>, const char *> objects[] = {{{"cuMemAlloc_v2"}, "cuMemFree_v2"},
        {{"cuEventCreate"}, "cuEventDestroy_v2"}, {{"cuMemHostRegister_v2"}, "cuMemHostUnregister"},
        {{"cuGraphCreate"}, "cuGraphDestroy"}, {{"cuGraphInstantiateWithFlags"}, "cuGraphExecDestroy"},
        {{"clCreateBuffer", "clRetainMemObject"}, "clReleaseMemObject"},
        {{"clCreateKernel"}, "clReleaseKernel"}, {{"cuCtxPushCurrent_v2"}, "cuCtxPopCurrent_v2"}};
    std::string text;
    for (const auto &[made, freed] : objects) {
        long allowed = left_of(good, made, freed);
        for (const char *name : made) {
            allowed += name == failed;  // the call that failed made nothing
        }
        // Halide gives up to free what it could not reach or describe; so does the library.
        allowed += freed == failed || failed == "clGetMemObjectInfo" || failed == "cuCtxPushCurrent_v2";
        if (const long left = left_of(now, made, freed); left > allowed) {
            text +=
                std::string(freed) + ": " + std::to_string(left - allowed) + " fewer calls than objects\n";
        }
    }
    return text;
}

const char *const not_reached = "the call was not reached";

// Fails the nth call of a function (none where `name` is empty) in this process, and writes what is wrong,
// and how often which function was called, into a file.
void fail_once(Backend backend, const std::string &name, long nth, const Counts &good, const char *report) {
    std::ofstream file(report);
    const AnyOperator any(backend, 160, 3000);  // so high that column_sum has memory between two kernels
    const Array expected = any.run(Device{});
    const failing_driver::Requests &requests = requests_of(backend);
    const bool is_real = !getenv("FAILING_DRIVER_NO_KERNELS");
    requests.fail_function(name.c_str(), nth);
    std::string wrong = wrong_in_uses(backend, any, is_real ? &expected : nullptr, !name.empty());
    Counts first = counts_of(requests);
    if (!name.empty() && first[name] < nth) {  // the threads of the stream have met otherwise
        file << "\n" << not_reached;
        file.close();
        _exit(0);
    }
    if (wrong != "refused") {
        const std::string after = wrong_in_uses(backend, any, is_real ? &expected : nullptr, false);
        wrong += after.empty() ? "" : "after it: " + after;
        trim_device_memory();
        const Counts counts = counts_of(requests);
        wrong += good.empty() ? "" : left_over(counts, good, name);
        for (const auto &[function, calls] : counts) {
            file << function << " " << first[function] << " " << calls << "\n";
        }
    }
    file << "\n" << wrong;
    file.close();
    _exit(0);  // the end of a process that lost its device is tested elsewhere
}

struct Report {
    Counts first;  // calls until the uses were made once
    Counts counts;
    std::string wrong;
};

Report report_of(Backend backend, const std::string &name, long nth, const Counts &good) {
    const std::string path =
        testing::TempDir() + "/failing_" + std::to_string(getpid()) + name + std::to_string(nth);
    const int status = in_child([&] { fail_once(backend, name, nth, good, path.c_str()); });
    std::ifstream file(path);
    Report report;
    for (std::string line; std::getline(file, line) && !line.empty();) {
        std::istringstream words(line);
        std::string function;
        words >> function;
        words >> report.first[function] >> report.counts[function];
    }
    report.wrong.assign(std::istreambuf_iterator<char>(file), {});
    unlink(path.c_str());
    if (status != 0) {
        report.wrong += "the process ended with status " + std::to_string(status);
    }
    return report;
}

// Of so many calls of a function, which fail in turn: the first and the last one, or with
// TILEWRIGHT_FAILURES=all each of them. None where the function only frees what the uses have left. A
// function that is asked for another number of the device by each call fails at each.
std::set<long> calls_that_fail(const std::string &name, long calls) {
    std::set<long> all;
    const bool is_each =
        getenv("TILEWRIGHT_FAILURES") || name == "cuDeviceGetAttribute" || name == "clGetDeviceInfo";
    const long step = is_each ? 1 : std::max(calls - 1, 1L);
    for (long nth = 1; nth <= calls; nth += step) {
        all.insert(nth);
    }
    return all;
}

// The reports of these failures, up to 16 at a time: each is a process that holds a context of the device.
std::vector<Report> reports_of(
    Backend backend, const std::vector<std::pair<std::string, long>> &failures, const Counts &good) {
    std::vector<Report> reports(failures.size());
    std::atomic<size_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < std::clamp(std::thread::hardware_concurrency(), 1U, 16U); t++) {
        threads.emplace_back([&] {
            for (size_t i = next++; i < failures.size(); i = next++) {
                reports[i] = report_of(backend, failures[i].first, failures[i].second, good);
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    return reports;
}

class FailingFunctions : public testing::TestWithParam<Backend> {};

}  // namespace

TEST_P(FailingFunctions, EachFailsOnceAndTheNextUseIsRight) {
    const Report good = report_of(GetParam(), "", 0, {});
    if (good.wrong == "refused") {
        GTEST_SKIP() << "not run here: no such device";
    }
    ASSERT_EQ(good.wrong, "") << "without a failure";
    ASSERT_GT(good.counts.size(), 12U);
    std::vector<std::pair<std::string, long>> failures;
    for (const auto &[name, calls] : good.first) {
        for (const long nth : calls_that_fail(name, calls)) {
            failures.emplace_back(name, nth);
        }
    }
    const std::vector<Report> reports = reports_of(GetParam(), failures, good.counts);
    size_t missed = 0;
    for (size_t i = 0; i < failures.size(); i++) {
        const auto &[name, nth] = failures[i];
        const std::string &wrong = reports[i].wrong;
        missed += wrong == not_reached;
        EXPECT_TRUE(wrong == not_reached || wrong.empty() || wrong == "refused")
            << name << ", call " << nth << " of " << good.first.at(name) << ":\n"
            << wrong;
    }
    printf("%zu failures of %zu functions; %zu of them were not reached\n", failures.size(),
        good.counts.size(), missed);
    EXPECT_LT(missed, failures.size() / 4);
}

// The list is made from the archive of the runtime: it has what the sources name.
TEST_P(FailingFunctions, TheListHasWhatTheSourcesName) {
    const failing_driver::Requests &requests = requests_of(GetParam());
    std::string all = " ";
    long calls = 0;
    for (size_t i = 0; const char *name = requests.function(i, &calls); i++) {
        all += std::string(name) + " ";
    }
    std::istringstream named(
        GetParam() == Backend::cuda ? TILEWRIGHT_TESTS_CUDA_FUNCTIONS : TILEWRIGHT_TESTS_OPENCL_FUNCTIONS);
    int count = 0;
    for (std::string name; named >> name; count++) {
        EXPECT_NE(all.find(" " + name + " "), std::string::npos) << name;
    }
    EXPECT_GT(count, 20);
}

INSTANTIATE_TEST_SUITE_P(, FailingFunctions, testing::Values(Backend::cuda, Backend::opencl),
    [](const auto &info) { return std::string(name_of(info.param)); });

}  // namespace tilewright
