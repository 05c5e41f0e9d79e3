// Draws the bar of progress.
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/errors/plain_text.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

std::mutex mutex;  // of the bar
bool shown = false;

size_t terminal_width() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string in_words(double seconds) {
    constexpr double long_time = 90, minute = 60;
    return seconds < long_time ? fmt::format("{:.0f} s", seconds) :
                                 fmt::format("{:.0f} min", seconds / minute);
}

}  // namespace

Progress::Progress(std::string what, size_t steps) : what_(std::move(what)), steps_(steps) {}

Progress::~Progress() {
    hide();
}

void Progress::step(const std::string &now) {
    const size_t done = begun_++;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (done == 0 || done >= steps_) {
        show(done, now);
        return;
    }
    const double left = spent.count() / (double)done * (double)(steps_ - done);
    show(done, fmt::format("about {} left, {}", in_words(left), now));
}

void Progress::show(size_t done, const std::string &now) {
    if (std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1) || is_quiet() ||
        !obeys_codes(STDERR_FILENO)) {
        return;
    }
    constexpr size_t width = 24;
    const size_t full = steps_ == 0 ? 0 : std::min(width, done * width / steps_);
    std::string line = fmt::format("{} [{}{}] {}/{} {}", what_, std::string(full, '#'),
        std::string(width - full, '-'), done, steps_, plain_text(now, '?'));
    line.resize(std::min(line.size(), terminal_width() - 1));
    const std::scoped_lock lock(mutex);
    write_error("\r\033[K" + line);
    shown = true;
}

void Progress::hide() noexcept {
    const std::scoped_lock lock(mutex);
    if (shown) {
        write_error("\r\033[K");
        shown = false;
    }
}

}  // namespace tilewright::app
