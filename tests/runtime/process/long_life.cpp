// Many calls of every operator on one device: plain ones, prepared ones and those of a stream, then the same
// of all operators by several threads at once. Each result is compared with the first one. The memory of host
// and device is written down when each call was made in each way and a tenth of the calls is done, and at the
// end; by threads after every tenth. Exit code 1 where a result differs, or where memory grew by more than 1
// %, or by more than `growth` MiB where that is given.
//     long_life [device=cpu] [calls=10000] [seconds=60] [threads=8] [growth=MIB] [operator=NAME]
#include "tests/support/arrays.h"
#include "tests/support/operators.h"
#include "tilewright/prepared.h"
#include "tilewright/stream.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <dlfcn.h>
#include <exception>
#include <fstream>
#include <malloc.h>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <unistd.h>

namespace tilewright {
namespace {

double resident_mib() {
    malloc_trim(0);
    std::ifstream file("/proc/self/statm");
    double pages = 0;
    file >> pages >> pages;
    return pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

// Of the memory of all GPUs, what the driver's library for management (NVML) says that this process has;
// nothing where it does not know this process.
std::optional<double> own_device_mib() {
    struct Process {
        unsigned pid;
        unsigned long long bytes;
        unsigned gpu_instance, compute_instance;
    };
    static void *const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    const auto function = [](const char *name) { return nvml ? dlsym(nvml, name) : nullptr; };
    static const auto init = reinterpret_cast<int (*)()>(function("nvmlInit_v2"));
    static const auto handle_of =
        reinterpret_cast<int (*)(unsigned, void **)>(function("nvmlDeviceGetHandleByIndex_v2"));
    static const auto processes_of = reinterpret_cast<int (*)(void *, unsigned *, Process *)>(
        function("nvmlDeviceGetComputeRunningProcesses_v3"));
    static const bool ready = init && handle_of && processes_of && init() == 0;
    std::optional<double> mib;
    void *gpu = nullptr;
    for (unsigned i = 0; ready && handle_of(i, &gpu) == 0; i++) {
        std::array<Process, 256> processes{};
        unsigned count = processes.size();
        if (processes_of(gpu, &count, processes.data()) != 0) {
            continue;
        }
        for (const Process &process : std::span(processes).first(count)) {
            if (process.pid == (unsigned)getpid()) {
                mib = mib.value_or(0) + (double)process.bytes / (1 << 20);
            }
        }
    }
    return mib;
}

// What of the first GPU's memory is in use: by this process, or by all where that is not known; 0 without the
// CUDA driver.
double device_mib() {
    if (const std::optional<double> own = own_device_mib()) {
        return *own;
    }
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver) {
        return 0;
    }
    const auto retain = reinterpret_cast<int (*)(void **, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
    const auto push = reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuCtxPushCurrent_v2"));
    const auto pop = reinterpret_cast<int (*)(void **)>(dlsym(driver, "cuCtxPopCurrent_v2"));
    const auto info = reinterpret_cast<int (*)(size_t *, size_t *)>(dlsym(driver, "cuMemGetInfo_v2"));
    static void *context = nullptr;
    size_t available = 0, all = 0;
    if (!info || (!context && retain(&context, 0) != 0) || push(context) != 0) {
        return 0;
    }
    info(&available, &all);
    void *popped = nullptr;
    pop(&popped);
    return (double)(all - available) / (1 << 20);
}

struct Memory {
    double host = 0, device = 0;

    // The device's first, because the first reading loads NVML, which takes 15 MiB of the host.
    static Memory now(Device at) {
        synchronize(at);
        const double device = device_mib();
        return {resident_mib(), device};
    }
    // By more than so many MiB; by default by more than 1 %, and by more than the pages that any two readings
    // differ by.
    bool grew_since(const Memory &before, std::optional<long> growth) const {
        const auto most = [&](double mib) { return growth ? mib + (double)*growth : 1.01 * mib + .5; };
        return host > most(before.host) || device > most(before.device);
    }
};

// Calls of one operator, in three ways by turns; counts the results that differ.
class Calls {
public:
    Calls(std::vector<KnownCall> known, Device device)
        : known_(std::move(known)), device_(device), stream_(device) {}

    void make(long calls) {
        for (long i = 0; i < calls; i++) {
            call(i);
        }
        finish();
    }

    // Every call once in each of the three ways: what is kept of them is there then.
    void make_each() {
        make(8 * (long)known_.size());
    }

    void make_until(std::chrono::steady_clock::time_point end) {
        for (; std::chrono::steady_clock::now() < end; next_++) {
            call(next_);
        }
        finish();
    }

    long wrong = 0, made = 0;

private:
    void call(long i) {
        const KnownCall &known = known_[(size_t)(i / 8) % known_.size()];
        switch (i % 8) {
        case 6: prepared(known); break;
        case 7: in_stream(known); break;
        default: compare(known, result_of(*known.op, known.sample.inputs, known.sample.settings, device_));
        }
    }

    void finish() {
        while (!started_.empty()) {
            take_first();
        }
        stream_.wait();
    }

    void compare(const KnownCall &known, const Array &result) {
        result.sync();
        wrong += same_bytes(result, known.result) ? 0 : 1;
        made++;
    }

    // A new one now and then, so that making them is part of it.
    void prepared(const KnownCall &known) {
        auto &[uses, kept] = prepared_[&known];
        if (!kept || ++uses % 50 == 0) {
            kept.reset();
            Array output;
            kept = std::make_unique<Prepared>(
                known.op->prepare(known.sample.inputs, output, known.sample.settings, {.device = device_}));
        }
        Array output;
        (*kept)(known.sample.inputs, output);
        compare(known, output);
    }

    void in_stream(const KnownCall &known) {
        started_.emplace_back(&known, stream_.start(*known.op, known.sample.inputs, known.sample.settings));
        if (started_.size() > 3) {
            take_first();
        }
    }

    void take_first() {
        compare(*started_.front().first, started_.front().second.get());
        started_.pop_front();
    }

    const std::vector<KnownCall> known_;
    const Device device_;
    long next_ = 0;
    Stream stream_;
    std::map<const KnownCall *, std::pair<long, std::unique_ptr<Prepared>>> prepared_;
    std::deque<std::pair<const KnownCall *, std::future<Array>>> started_;
};

struct Asked {
    Device device;
    long calls = 10000, seconds = 60, threads = 8;
    std::optional<long> growth;
    std::string op;
};

// Prints a line, and returns whether all is well.
bool report(const std::string &what, long calls, long wrong, const Memory &before, const Asked &asked) {
    const Memory after = Memory::now(asked.device);
    const bool grew = after.grew_since(before, asked.growth);
    printf("%-22s %9ld calls, %ld wrong, host %.1f -> %.1f MiB, device %.1f -> %.1f MiB%s\n", what.c_str(),
        calls, wrong, before.host, after.host, before.device, after.device, grew ? ", GREW" : "");
    fflush(stdout);
    return wrong == 0 && !grew;
}

bool call_one_after_another(const Operator &op, const Asked &asked) {
    Calls calls(known_calls(op, asked.device, 64, 32), asked.device);
    calls.make_each();
    calls.make(asked.calls / 10);
    const Memory before = Memory::now(asked.device);
    calls.make(asked.calls - asked.calls / 10);
    return report(op.name(), calls.made, calls.wrong, before, asked);
}

// Each thread has its own order of the calls, its own prepared calls and its own stream.
bool call_from_threads(std::vector<KnownCall> all, const Asked &asked) {
    std::minstd_rand random;
    std::deque<Calls> calls;
    for (long t = 0; t < asked.threads; t++) {
        std::shuffle(all.begin(), all.end(), random);
        calls.emplace_back(all, asked.device);
    }
    const auto from_threads = [&](const auto &work) {
        std::vector<std::thread> threads;
        for (Calls &own : calls) {
            threads.emplace_back([&] { work(own); });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
    };
    const auto call_for = [&](double seconds) {
        const auto end = std::chrono::steady_clock::now() +
                         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                             std::chrono::duration<double>(seconds));
        from_threads([end](Calls &own) { own.make_until(end); });
    };
    const auto sum = [&](long Calls::*count) {
        long all_of_them = 0;
        for (const Calls &own : calls) {
            all_of_them += own.*count;
        }
        return all_of_them;
    };
    from_threads([](Calls &own) { own.make_each(); });
    call_for((double)asked.seconds / 10);
    const Memory before = Memory::now(asked.device);
    bool well = true;
    for (int tenth = 2; tenth <= 10; tenth++) {
        call_for((double)asked.seconds / 10);
        well = report(std::to_string(asked.threads) + " threads, " +
                          std::to_string(asked.seconds * tenth / 10) + " s",
                   sum(&Calls::made), sum(&Calls::wrong), before, asked) &&
               well;
    }
    return well;
}

bool run(const Asked &asked) {
    if (asked.device.backend == Backend::opencl) {
        compile_quickly_on_pocl();
    }
    bool well = true;
    std::vector<KnownCall> all;
    for (const Operator *op : operators()) {
        if (op->variants("tuned", asked.device.backend).empty() ||
            (!asked.op.empty() && op->name() != asked.op)) {
            continue;
        }
        well = call_one_after_another(*op, asked) && well;
        for (KnownCall &known : known_calls(*op, asked.device, 64, 32)) {
            all.push_back(std::move(known));
        }
    }
    if (all.empty()) {
        fprintf(stderr, "long_life: there is no such operator for %s\n", asked.device.str().c_str());
        return false;
    }
    return (asked.seconds == 0 || call_from_threads(std::move(all), asked)) && well;
}

}  // namespace
}  // namespace tilewright

int main(int count, char **words) {
    try {
        tilewright::Asked asked;
        for (int i = 1; i < count; i++) {
            const std::string word = words[i], value = word.substr(std::min(word.size(), word.find('=') + 1));
            if (word.starts_with("device=")) {
                asked.device = tilewright::Device::parse(value);
            } else if (word.starts_with("calls=")) {
                asked.calls = std::stol(value);
            } else if (word.starts_with("seconds=")) {
                asked.seconds = std::stol(value);
            } else if (word.starts_with("threads=")) {
                asked.threads = std::stol(value);
            } else if (word.starts_with("growth=")) {
                asked.growth = std::stol(value);
            } else if (word.starts_with("operator=")) {
                asked.op = value;
            } else {
                fprintf(stderr,
                    "long_life: '%s' is none of device=, calls=, seconds=, threads=, growth=, "
                    "operator=\n",
                    word.c_str());
                return 2;
            }
        }
        return tilewright::run(asked) ? 0 : 1;
    } catch (const std::exception &error) {
        fprintf(stderr, "long_life: %s\n", error.what());
        return 1;
    }
}
