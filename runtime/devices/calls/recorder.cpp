#include "runtime/devices/calls/recorder.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/thread_context.h"
#include <stdexcept>
#include <utility>

namespace tilewright {

namespace {

// The text of one kernel in a module's PTX, from its entry to the brace that closes it.
std::string entry_of(const std::string &ptx, const std::string &kernel) {
    const size_t begin = ptx.find(".entry " + kernel + "(");
    const size_t end = begin == std::string::npos ? begin : ptx.find("\n}", begin);
    return end == std::string::npos ? "" : ptx.substr(begin, end + 2 - begin);
}

}  // namespace

LibraryRun &Recorder::run() {
    if (runs.empty()) {
        runs.emplace_back();
    }
    return runs.back();
}

void Recorder::begin(LibraryRun run) {
    runs.push_back(std::move(run));
    inside_ = true;
    start_ = std::chrono::steady_clock::now();
}

void Recorder::end() {
    runs.back().ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    inside_ = false;
}

void Recorder::allocated(uint64_t bytes) {
    if (inside_) {
        runs.back().scratch_bytes += bytes;
    }
}

void Recorder::add_module(const void *module, const char *ptx) {
    modules_[module] = ptx;
}

void Recorder::add_function(const void *function, const char *name, const void *module) {
    functions_[function] = {name, module};
}

KernelLaunch Recorder::launch_of(const void *function) const {
    KernelLaunch launch;
    if (const auto known = functions_.find(function); known != functions_.end()) {
        launch.name = known->second.name;
        if (const auto module = modules_.find(known->second.module); module != modules_.end()) {
            launch.ptx = entry_of(module->second, launch.name);
        }
    }
    return launch;
}

std::optional<double> KernelLaunch::occupancy() const {
    if (!blocks_per_unit || !most_threads_of_unit || *most_threads_of_unit <= 0) {
        return {};
    }
    return (double)*blocks_per_unit * (double)threads_of_block() / (double)*most_threads_of_unit;
}

LaunchRecording::LaunchRecording() {
    if (driver::this_thread.recorder) {
        throw std::logic_error("a LaunchRecording lives on this thread already");
    }
    driver::link_hooks();
    recorder_ = new Recorder;
    driver::this_thread.recorder = recorder_;
}

LaunchRecording::~LaunchRecording() {
    driver::this_thread.recorder = nullptr;
    delete recorder_;
}

std::vector<LibraryRun> LaunchRecording::take() {
    return std::exchange(recorder_->runs, {});
}

}  // namespace tilewright
