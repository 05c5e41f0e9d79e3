#pragma once
#include <chrono>
#include <string>

namespace tilewright::app {

// A bar on standard error for work of many steps: only on a terminal, and only once the work has taken a second.
class Progress {
public:
    Progress(std::string what, size_t steps);
    ~Progress();
    Progress(const Progress &) = delete;

    // Another step begins; `now` says which.
    void step(const std::string &now);

    // Takes the bar away until the next step, so that other lines can be printed.
    static void hide() noexcept;

private:
    const std::string what_;
    const size_t steps_;
    size_t begun_ = 0;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright::app
