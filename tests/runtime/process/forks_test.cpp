// A process that forks while its threads compute (tilewright/forks.h).
#include "tilewright/forks.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include <HalideRuntime.h>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tilewright {
namespace {

const Array &image() {
    static const Array made = random_array(Type::u8, {301, 403});
    return made;
}

Array inverted(const Call &call) {
    Array output;
    find_operator("invert")({&image(), 1}, output, {}, call);
    output.sync();
    return output;
}

// What `work` returns in a forked process; -1 where a signal ended it, as the alarm does when it hangs.
int answer_of_child(const std::function<int()> &work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The fault of a call in a forked process; 0 where its result is right, and 100 where it is wrong.
int fault_in_child(const Call &call, const Array &expected) {
    return answer_of_child([&] {
        try {
            return same_bytes(inverted(call), expected) ? 0 : 100;
        } catch (const Error &error) {
            return (int)error.fault();
        }
    });
}

// Does something again and again in a thread of its own.
class Meanwhile {
public:
    explicit Meanwhile(std::function<void()> work)
        : thread_([this, work = std::move(work)] {
              while (!ends_) {
                  work();
              }
          }) {}
    ~Meanwhile() {
        ends_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> ends_ = false;
    std::thread thread_;
};

TEST(Forks, AChildComputesWhateverOtherThreadsDid) {
    const Call call = {.device = Device{}};
    const Array expected = inverted(call);
    const Meanwhile first([&] { inverted(call); }), second([&] { random_array(Type::u8, {64, 64}).clone(); });
    for (int i = 0; i < 200; i++) {
        ASSERT_EQ(fault_in_child(call, expected), 0) << "fork " << i;
    }
}

TEST(Forks, LoopsOfLibrariesThatNoCallRunsGoOn) {
    const Call call = {.device = Device{}};
    const Array expected = inverted(call);
    std::atomic<int> done{0};
    const auto task = [](void *, int, uint8_t *counter) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        return ++*reinterpret_cast<std::atomic<int> *>(counter), 0;
    };
    int loops = 0;
    {
        const Meanwhile own([&] {
            loops += halide_do_par_for(nullptr, task, 0, 16, reinterpret_cast<uint8_t *>(&done)) == 0;
        });
        for (int i = 0; i < 50; i++) {
            ASSERT_EQ(fault_in_child(call, expected), 0) << "fork " << i;
        }
    }
    EXPECT_EQ(done, 16 * loops);
}

TEST(Forks, DoNotWaitForFunctionsOfTheProgram) {
    const Array expected = inverted({.device = Device{}});
    std::mutex mutex;
    std::atomic<bool> waits = false;
    std::unique_lock lock(mutex);
    std::thread calls([&] {
        inverted({.device = Device{}, .progress = [&](double) {
                      waits = true;
                      return std::lock_guard(mutex), true;
                  }});
    });
    while (!waits) {
        std::this_thread::yield();
    }
    EXPECT_EQ(fault_in_child({.device = Device{}}, expected), (int)Fault::failed);
    lock.unlock();
    calls.join();
    EXPECT_EQ(fault_in_child({.device = Device{}}, expected), 0);  // no longer
}

TEST(Forks, OfAChildWaitForNoLoopOfThreadsThatItHasNot) {
    struct Loop {
        std::mutex mutex;
        std::atomic<bool> waits = false;
    } loop;
    const auto task = [](void *, int, uint8_t *closure) {
        const OutsideOfCalls outside;
        auto &loop = *reinterpret_cast<Loop *>(closure);
        loop.waits = true;
        return std::lock_guard(loop.mutex), 0;
    };
    std::unique_lock lock(loop.mutex);
    std::thread own([&] { halide_do_par_for(nullptr, task, 0, 2, reinterpret_cast<uint8_t *>(&loop)); });
    while (!loop.waits) {
        std::this_thread::yield();
    }
    EXPECT_EQ(answer_of_child([] { return answer_of_child([] { return 0; }); }), 0);
    lock.unlock();
    own.join();
}

TEST(Forks, InAFunctionOfACallThatCallGoesOn) {
    const Array expected = inverted({.device = Device{}});
    int fault = -1;
    const Array output = inverted({.device = Device{}, .progress = [&](double) {
                                       if (fault < 0) {
                                           fault = fault_in_child({.device = Device{}}, expected);
                                       }
                                       return true;
                                   }});
    EXPECT_EQ(fault, (int)Fault::failed);
    EXPECT_TRUE(same_bytes(output, expected));
}

TEST(Forks, AGpuIsRefusedInAChild) {
    for (const Device &device : usable_devices()) {
        if (device.backend == Backend::cpu) {
            continue;
        }
        const Array expected = inverted({.device = device});
        EXPECT_EQ(fault_in_child({.device = device}, expected), (int)Fault::device) << device.str();
        EXPECT_EQ(fault_in_child({.device = Device{}}, expected), 0);
        // What is on the device is lost with it, and the end of the process destroys it.
        EXPECT_EQ(answer_of_child([&] {
            std::exit(fault_in_child({.device = device}, expected));
            return -1;
        }),
            (int)Fault::device);
        EXPECT_TRUE(same_bytes(inverted({.device = device}), expected));
    }
}

}  // namespace
}  // namespace tilewright
