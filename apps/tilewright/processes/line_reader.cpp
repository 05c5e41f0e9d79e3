#include "apps/tilewright/processes/line_reader.h"
#include <array>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <unistd.h>

namespace tilewright::app {

LineReader::Came LineReader::next(
    int file, std::string &line, const std::atomic<bool> &interrupted, double limit_s) {
    const auto begin = std::chrono::steady_clock::now();
    const auto is_late = [&] {
        return std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(limit_s);
    };
    bool ended = false;
    size_t end = 0;
    for (std::array<char, 65536> piece; !ended && (end = read_.find('\n')) == std::string::npos;) {
        constexpr int look_ms = 50;
        pollfd there = {file, POLLIN, 0};
        if (interrupted) {
            return Came::interrupted;
        }
        if (poll(&there, 1, look_ms) > 0) {
            const ssize_t size = read(file, piece.data(), piece.size());
            ended = size == 0 || (size < 0 && errno != EINTR);
            read_.append(piece.data(), size > 0 ? (size_t)size : 0);
        } else if (is_late()) {
            return Came::late;
        }
    }
    if (ended && read_.empty()) {
        return Came::end;
    }
    line = read_.substr(0, end);
    read_.erase(0, ended ? std::string::npos : end + 1);
    return Came::line;
}

}  // namespace tilewright::app
