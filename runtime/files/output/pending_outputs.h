#pragma once
// The temporary files of unfinished outputs, as a handler of signals finds them (remove_pending_outputs() of
// files.h). Not installed.
#include <array>
#include <atomic>
#include <string>

namespace tilewright {

// The record of one temporary file. The records form a list that only grows, and records are used again, so
// that a handler can walk the list at any moment without a lock.
class PendingOutput {
public:
    // A record for one output, which gives it back with give_back(). It lives as long as the process.
    static PendingOutput *take();

    // The handler removes this file from now on. Call it before the file exists, so that no signal misses it.
    void note(int folder, const std::string &name);

    // The handler no longer removes the file.
    void forget() noexcept;

    // forget(), and other outputs may use the record.
    void give_back() noexcept;

private:
    friend void remove_pending_outputs() noexcept;

    enum State { unused, taken, noted };

    static std::atomic<PendingOutput *> first;

    std::atomic<State> state_ = taken;
    int folder_ = -1;
    std::array<char, 32> name_ = {};
    PendingOutput *next_ = nullptr;
};

}  // namespace tilewright
