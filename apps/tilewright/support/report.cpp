// Words and numbers as the commands print them.
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/progress.h"
#include "apps/tilewright/support/streams.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace tilewright::app {

std::string one_line(const std::string &text) {
    std::string line;
    put_in_one_line(text, [&](char c) { line += c; });
    return line;
}

std::string table(const std::vector<std::vector<std::string>> &lines) {
    std::vector<size_t> widths;
    for (const auto &line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (size_t i = 0; i < line.size(); i++) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string text;
    for (const auto &line : lines) {
        for (size_t i = 0; i < line.size(); i++) {
            const bool last = i + 1 == line.size();
            text += last ? line[i] : fmt::format("{:<{}}  ", line[i], widths[i]);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

std::string bytes(double count) {
    constexpr std::array units = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (count >= 1000 && unit + 1 < units.size()) {
        count /= 1000;
        unit++;
    }
    return fmt::format("{:.3g} {}", count, units[unit]);
}

std::string joined(const std::vector<std::string> &words, const std::string &between) {
    return fmt::format("{}", fmt::join(words, between));
}

std::string name_of(Backend backend) {
    switch (backend) {
    case Backend::cpu: return "cpu";
    case Backend::cuda: return "cuda";
    case Backend::opencl: return "opencl";
    }
    return "";
}

void print(const std::string &text) {
    Progress::hide();
    if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
        if (errno == EPIPE) {  // the reader has closed the pipe (`tilewright list | head -3`): end without a
                               // message, as filters do
            remove_pending_outputs();
            _exit(128 + SIGPIPE);
        }
        throw Error(
            Fault::failed, fmt::format("standard output cannot be written: {}; send it to a place with room",
                               strerror(errno)));
    }
}

std::string other_libraries(const Row &row, const std::vector<const Row *> &ran) {
    std::vector<std::string> names;
    for (const Row *library : ran) {
        if (names.empty() || names.back() != library->name()) {
            names.push_back(library->name());
        }
    }
    return names.empty() || (names.size() == 1 && names.front() == row.name()) ? "" : joined(names, " + ");
}

}  // namespace tilewright::app
