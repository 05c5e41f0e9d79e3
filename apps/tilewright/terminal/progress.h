#pragma once
// The progress of long commands.
#include <chrono>
#include <string>

namespace tilewright::app {

// A bar on standard error for work of many steps. It is drawn only on a terminal, and only after the work has
// taken a second.
class Progress {
public:
    Progress(std::string what, size_t steps);
    ~Progress();
    Progress(const Progress &) = delete;

    // To be called at the beginning of each step; `now` names it. The bar also says how much time is left, if
    // the other steps take as long as those before.
    void step(const std::string &now);

    // The same for work that is measured otherwise: `done` of the steps are done.
    void show(size_t done, const std::string &now);

    // Removes the bar until the next step, so that other lines can be printed.
    static void hide() noexcept;

private:
    const std::string what_;
    const size_t steps_;
    size_t begun_ = 0;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright::app
