#pragma once
// What a LaunchRecording (tilewright/launches.h) is made of. The hooks and the launches of libraries tell it
// what happens on its thread (thread_context.h). Not installed.
#include "tilewright/launches.h"
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace tilewright {

struct Recorder {
    std::vector<LibraryRun> runs;

    // The run that a kernel belongs to.
    LibraryRun &run();

    // A library begins and ends: what the device is asked for between the two is its own.
    void begin(LibraryRun run);
    void end();
    void allocated(uint64_t bytes);

    // CUDA: modules by their handles, and the names and modules of kernels by theirs.
    void add_module(const void *module, const char *ptx);
    void add_function(const void *function, const char *name, const void *module);
    KernelLaunch launch_of(const void *function) const;

private:
    bool inside_ = false;
    std::chrono::steady_clock::time_point start_;
    struct Function {
        std::string name;
        const void *module;
    };
    std::map<const void *, std::string> modules_;
    std::map<const void *, Function> functions_;
};

}  // namespace tilewright
