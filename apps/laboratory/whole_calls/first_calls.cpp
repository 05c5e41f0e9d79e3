#include "apps/laboratory/whole_calls/benchmarks.h"
#include "tilewright/operator.h"
#include "tilewright/statistics.h"
#include "tilewright/workload.h"
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>

namespace tilewright::benchmarks {

namespace {

// A folder that its end removes.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::filesystem::filesystem_error(
                "cannot make a folder", name, std::error_code(errno, std::generic_category()));
        }
        path = name;
    }
    ~Folder() {
        std::error_code none;
        std::filesystem::remove_all(path, none);
    }
};

// What a process of its own prints; "failed" when it prints nothing.
std::string printed_by(const std::string &command) {
    struct Close {
        void operator()(FILE *file) const {
            pclose(file);
        }
    };
    // NOLINTNEXTLINE(bugprone-command-processor): the words are ours
    const std::unique_ptr<FILE, Close> output(popen(command.c_str(), "r"));
    std::string text;
    for (std::array<char, 256> part{}; output && fgets(part.data(), part.size(), output.get());) {
        text += part.data();
    }
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text.empty() ? "failed" : text;
}

}  // namespace

void first_calls(Device device, const std::string &program) {
    fmt::print("First calls on {} ({}), ms: start of the driver, first call, second call, modules\n",
        device.str(), device_info(device).name);
    const std::string no_driver_cache = "CUDA_CACHE_DISABLE=1 POCL_KERNEL_CACHE=0";
    for (const Operator *op : operators()) {
        if (op->rows("tuned", device.backend).empty()) {
            continue;
        }
        const Folder ours, drivers;
        const auto run = [&](const char *what, const std::string &environment) {
            fmt::print("{:<22} {:<22} {}\n", op->name(), what,
                printed_by(
                    fmt::format("{} '{}' first_call {} {}", environment, program, device.str(), op->name())));
            fflush(stdout);
        };
        const std::string driver_cache =
            fmt::format("CUDA_CACHE_PATH='{0}' POCL_CACHE_DIR='{0}'", drivers.path.string());
        const std::string our_cache = fmt::format("TILEWRIGHT_CACHE='{}'", ours.path.string());
        run("no cache", no_driver_cache + " TILEWRIGHT_CACHE=off");
        run("ours, empty", no_driver_cache + " " + our_cache);
        run("ours, full", no_driver_cache + " " + our_cache);
        run("the driver's, empty", driver_cache + " TILEWRIGHT_CACHE=off");
        run("the driver's, full", driver_cache + " TILEWRIGHT_CACHE=off");
    }
}

void one_first_call(Device device, const std::string &name) {
    const Operator &op = find_operator(name);
    const std::string type = op.rows("tuned", device.backend).front()->type;
    const Sample sample = workload_of(op).benchmark_sample(type, {512, 512}, {});
    const double start = ms_of([&] { synchronize(device); });  // makes the context
    const auto call = [&] {
        Array output;
        op(sample.inputs, output, sample.settings, {.device = device});
        output.sync();
    };
    const double first = ms_of(call), second = ms_of(call);
    const Counters counted = counters();
    fmt::print("{:8.1f} {:8.1f} {:8.2f}   {} in {:.1f} ms\n", start, first, second, counted.modules,
        counted.module_ms);
}

}  // namespace tilewright::benchmarks
