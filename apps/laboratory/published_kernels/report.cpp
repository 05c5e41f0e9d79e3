// The lines of the table, and one JSON object per kernel and size.
#include "apps/laboratory/published_kernels/report.h"
#include "apps/laboratory/published_kernels/command_line.h"
#include <cstdio>

namespace published {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Report::Report(const std::string &json, const DeviceNames &device, const Plan &plan)
    : path_(json), device_(device) {
    if (!path_.empty()) {
        file_.open(path_);
        if (!file_) {
            throw Failure(Fault::failed, "--json " + path_ + ": cannot be written");
        }
    }
    std::printf("# %s, %s; toolkit %s; tilewright %s\n", device.name.c_str(), device.driver.c_str(),
        device.toolkit.c_str(), PUBLISHED_COMMIT);
    std::printf(
        "# ms: a call in a batch of %d back to back, median of %d with p10 and p90; fewer of each where "
        "that would take more than %g s\n",
        plan.batch, plan.repeats, plan.limit_s);
    std::printf("%-34s %-38s %10s %10s %10s  verified\n", "kernel", "data", "ms", "p10", "p90");
}

void Report::add(const Kernel &kernel, Size size, const Times &times, const std::string &wrong) {
    const std::string data = kernel.data(size);
    std::printf("%-34s %-38s %10.4f %10.4f %10.4f  %s\n", kernel.name().c_str(), data.c_str(), times.median,
        times.p10, times.p90, wrong.empty() ? "yes" : ("WRONG: " + wrong).c_str());
    std::fflush(stdout);
    runs_.push_back({{"operator", kernel.op}, {"step", kernel.step}, {"type", kernel.type},
        {"size", text_of(size)}, {"data", data}, {"median_ms", times.median}, {"p10_ms", times.p10},
        {"p90_ms", times.p90}, {"batch", times.batch}, {"repeats", times.repeats},
        {"verified", wrong.empty()}, {"wrong", wrong}, {"device", device_.name}, {"driver", device_.driver}});
    wrong_ += !wrong.empty();
}

void Report::end() {
    if (!path_.empty()) {
        const Json context = {{"date", date()}, {"commit", PUBLISHED_COMMIT}, {"toolkit", device_.toolkit},
            {"device", device_.name}, {"driver", device_.driver}};
        const Json all = {
            {"version", 1}, {"program", "published_kernels"}, {"context", context}, {"runs", runs_}};
        file_ << all.dump(2) << '\n';
        file_.close();
        if (!file_) {
            throw Failure(Fault::failed, "--json " + path_ + ": cannot be written");
        }
    }
    if (wrong_ > 0) {
        throw Failure(Fault::mismatch,
            std::to_string(wrong_) + " of " + std::to_string(runs_.size()) + " runs gave a wrong result");
    }
}

}  // namespace published
