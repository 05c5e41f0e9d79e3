#pragma once
// Work that a call has threads of Halide's pool do. Not installed.

namespace tilewright {

// Lives while a thread of the pool works for a call, which is inside the library: the thread comes in as a
// part of it (Inside), also where a fork waits for the call.
class InsideTask {
public:
    InsideTask() noexcept;
    ~InsideTask();
    InsideTask(const InsideTask &) = delete;
};

}  // namespace tilewright
