// A host without memory: each allocation of a call fails in turn, or all of them from one on. What leaves the
// library is an Error.
#include "runtime/arrays/copy.h"
#include "runtime/devices/memory/memory_pool.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tests/runtime/drivers/fakes/load_module.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/device.h"
#include "tilewright/operator.h"
#include "tilewright/pipeline.h"
#include "tilewright/prepared.h"
#include "tilewright/workload.h"
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

// How many allocations from now on succeed; then one fails, or all that follow.
std::atomic<long> left{-1};
std::atomic<bool> all_that_follow{false};

}  // namespace

void *operator new(size_t bytes) {
    if (left >= 0 && left-- == 0) {
        left = all_that_follow ? 0 : -1;
        throw std::bad_alloc();
    }
    if (void *memory = malloc(bytes ? bytes : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}

// Under AddressSanitizer it would be another one, whose memory is not for free().
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
    try {
        return operator new(bytes);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

[[gnu::noinline]] void operator delete(void *memory) noexcept {
    free(memory);
}

[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept {
    free(memory);
}

namespace tilewright {

namespace {

// What a caller allocates is no concern of the library.
template<typename T>
T by_the_caller(T (*make)()) {
    const long kept = left.exchange(-1);
    T made = make();
    left = kept;
    return made;
}

// Lets the nth allocation of `call` fail, for n = 1, 2 ... until none is left to fail.
template<typename Call>
void without_memory(bool all, Call call) {
    int failed = 0;
    for (long n = 0; n < 100000; n++) {
        all_that_follow = all;
        left = n;
        try {
            call();
            const bool reached = left < 0;
            left = -1;
            if (!reached) {
                EXPECT_GT(failed, 0);
                return;
            }
        } catch (const Error &error) {
            left = -1;
            failed++;
            ASSERT_EQ(error.fault(), Fault::memory) << "allocation " << n << ": " << error.what();
        } catch (const std::exception &error) {
            left = -1;
            FAIL() << "allocation " << n << ": " << error.what();
        }
    }
}

// Calls `action(op, sample)` for each operator that the backend has, with a small sample.
template<typename Action>
void with_each_operator(const Action &action, Backend backend = Backend::cpu) {
    for (const Operator *op : operators()) {
        const auto variants = op->variants("tuned", backend);
        if (variants.empty()) {
            continue;
        }
        SCOPED_TRACE(op->name());
        const Sample sample = small_sample(*op, variants.front()->type, 32, 32);
        action(*op, sample);
    }
}

bool has_fake_cuda() {
    const auto gpus = devices(Backend::cuda);
    return !gpus.empty() && gpus.front().name.starts_with("Fake");
}

class NoMemory : public testing::TestWithParam<bool> {};

}  // namespace

TEST_P(NoMemory, EveryOperatorSaysSo) {
    with_each_operator([](const Operator &op, const Sample &sample) {
        Array expected;
        op(sample.inputs, expected, sample.settings, {.device = Device{}});
        without_memory(GetParam(), [&] {
            Array output;
            op(sample.inputs, output, sample.settings, {.device = Device{}});
        });
        Array output;
        op(sample.inputs, output, sample.settings, {.device = Device{}});
        EXPECT_EQ(difference(output, expected, {}), "") << "the next call";
    });
}

// The hooks too (runtime/devices/calls/wrapped_functions.h), through which no exception may pass. The fake
// driver's kernels do nothing.
TEST_P(NoMemory, FakeCudaSaysSo) {
    if (!has_fake_cuda()) {
        GTEST_SKIP() << "not run here: this is not the fake driver of CUDA";
    }
    with_each_operator(
        [](const Operator &op, const Sample &sample) {
            const Call how{.device = Device{Backend::cuda, 0}};
            without_memory(GetParam(), [&] {
                Array output;
                op(sample.inputs, output, sample.settings, how);
            });
        },
        Backend::cuda);
}

// Calls like earlier ones: the third one records its kernels, and the fourth one starts them. A prepared call
// does both sooner. These operators have several kernels, and one of them memory between them.
TEST_P(NoMemory, KernelsThatFakeCudaStartsAgainSaySo) {
    if (!has_fake_cuda()) {
        GTEST_SKIP() << "not run here: this is not the fake driver of CUDA";
    }
    const Call how{.device = Device{Backend::cuda, 0}};
    const size_t launches = fake_cuda::record().graph_launches.size();
    for (const char *name : {"fft2d", "recursive_gaussian"}) {
        const Operator *const op = built_operator(name);
        if (!op) {
            GTEST_SKIP() << "not run here: " << name << " was not built";
        }
        SCOPED_TRACE(name);
        const Sample sample = small_sample(*op, op->variants("tuned", Backend::cuda).front()->type, 128, 128);
        const auto call = [&] {
            Array output;
            (*op)(sample.inputs, output, sample.settings, how);
        };
        without_memory(GetParam(), [&] {
            const long from_now_on = left.exchange(-1);
            call();
            call();
            left = from_now_on;
            call();
            call();
        });
        without_memory(GetParam(), [&] {
            Array output;
            Prepared prepared = op->prepare(sample.inputs, output, sample.settings, how);
            prepared();
        });
    }
    EXPECT_GT(fake_cuda::record().graph_launches.size(), launches);
    trim_device_memory();
    EXPECT_EQ(fake_cuda::record().graphs, 0) << "nothing is left";
}

// Memory of a device that the pool has no memory to remember goes back to the driver.
TEST_P(NoMemory, MemoryOfADeviceIsNotLost) {
    static int made = 0, freed = 0;
    made = freed = 0;
    device_info(Device{});
    driver::MemoryPool pool([](void *, uint64_t) { freed++; });
    bool is_done = false;
    for (long n = 0; !is_done; n++) {
        all_that_follow = GetParam();
        left = n;
        try {
            is_done = pool.take(Device{}, nullptr, nullptr, 256, [] { return (uint64_t)++made; }) != 0;
        } catch (const std::bad_alloc &) {  // NOLINT(bugprone-empty-catch): the next one may succeed
        }
        left = -1;
        ASSERT_EQ(made - freed, is_done ? 1 : 0) << "allocation " << n;
    }
    EXPECT_GT(freed, 0);
}

// A module whose maps cannot be kept is not left behind.
TEST_P(NoMemory, ModulesOfFakeCudaSaySo) {
    if (!has_fake_cuda()) {
        GTEST_SKIP() << "not run here: this is not the fake driver of CUDA";
    }
    const std::string text = ".version 8.0\n.visible .entry kernel_of_two_matrices(\n\t.param .u64 param_0,\n"
                             "\t.param .u64 param_1,\n"
                             "\t.param .align 64 .b8 kernel_of_two_matrices_map_0[192],\n"
                             "\t.param .align 64 .b8 kernel_of_two_matrices_map_1[192]\n)\n{\n\tret;\n}\n";
    constexpr int out_of_memory = 2;
    int code = out_of_memory;
    for (long n = 0; code != 0; n++) {
        ASSERT_LT(n, 1000);
        const int before = fake_cuda::record().modules;
        all_that_follow = GetParam();
        left = n;
        code = fake_cuda::load_module({Backend::cuda, 0}, text);
        left = -1;
        ASSERT_TRUE(code == 0 || code == out_of_memory) << "allocation " << n << ": " << code;
        ASSERT_EQ(fake_cuda::record().modules - before, code == 0 ? 1 : 0) << "allocation " << n;
    }
}

TEST_P(NoMemory, ArraysSaySo) {
    without_memory(GetParam(), [] {
        const auto shape = [] { return std::vector<int64_t>{30, 40}; };
        Array array(Type::u8, by_the_caller<std::vector<int64_t>>(shape));
        array.crop(1, 2, 3, 4).clone();
        uint16_t memory[30 * 40] = {};
        Array::view(Type::u16, memory, by_the_caller<std::vector<int64_t>>(shape));
    });
}

// Without a CUDA device these are ordinary arrays. What is made once per process is made before.
TEST_P(NoMemory, PageLockedArraysSaySo) {
    const auto shape = [] { return std::vector<int64_t>{300, 400}; };
    Array::pinned(Type::u8, shape());
    trim_host_memory();
    without_memory(GetParam(), [&] {
        trim_host_memory();  // so that the driver locks new pages
        Array::pinned(Type::u8, by_the_caller<std::vector<int64_t>>(shape));
    });
    trim_host_memory();
}

TEST_P(NoMemory, PipelinesSaySo) {
    if (!built_operator("invert")) {
        GTEST_SKIP() << "not run here: invert was not built";
    }
    const Array image(Type::u8, {30, 40});
    without_memory(GetParam(), [&] {
        const Pipeline pipeline("invert | invert");
        Array output;
        pipeline.check({&image, 1}, {.device = Device{}});
        pipeline(image, output, {.device = Device{}});
    });
}

TEST_P(NoMemory, PreparedCallsSaySo) {
    with_each_operator([](const Operator &op, const Sample &sample) {
        without_memory(GetParam(), [&] {
            Array output;
            Prepared prepared = op.prepare(sample.inputs, output, sample.settings, {.device = Device{}});
            prepared();
        });
    });
}

// What it ran on before, it runs on again after it failed on other arrays.
TEST_P(NoMemory, PreparedCallsOnOtherArraysSaySo) {
    with_each_operator([](const Operator &op, const Sample &sample) {
        Array expected, output;
        Prepared prepared = op.prepare(sample.inputs, expected, sample.settings, {.device = Device{}});
        std::vector<Array> others[2];
        for (const Array &input : sample.inputs) {
            others[0].push_back(input.clone());
            others[1].push_back(input.clone());
        }
        size_t call = 0;
        without_memory(GetParam(), [&] {
            Array of_others;
            prepared(others[call++ % 2], of_others);
        });
        prepared(sample.inputs, output);
        EXPECT_EQ(difference(output, expected, {}), "") << "the next call";
    });
}

TEST_P(NoMemory, CallsOnManyImagesSaySo) {
    with_each_operator([](const Operator &op, const Sample &sample) {
        if (op.inputs()[0].axes == Axes::vector) {
            return;
        }
        std::vector<Array> inputs;
        for (const Array &input : sample.inputs) {
            std::vector<int64_t> shape = input.shape();
            shape.insert(shape.begin(), 2);
            inputs.emplace_back(input.type(), shape);
            for (int64_t i = 0; i < 2; i++) {
                Array image = inputs.back().slice({i});
                copy(input, image);
            }
        }
        const Call how{.device = Device{}, .layout = inputs[0].dimensions() == 4 ? "nhwc" : "nhw"};
        Array expected, output;
        op(inputs, expected, sample.settings, how);
        without_memory(GetParam(), [&] {
            Array made;
            op(inputs, made, sample.settings, how);
        });
        op(inputs, output, sample.settings, how);
        EXPECT_EQ(difference(output, expected, {}), "") << "the next call";
    });
}

INSTANTIATE_TEST_SUITE_P(
    , NoMemory, testing::Bool(), [](const auto &info) { return info.param ? "AllThatFollow" : "One"; });

}  // namespace tilewright
