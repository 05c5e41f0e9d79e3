// Writes the runs of cuda_peers, also where a signal ends it.
#include "apps/laboratory/cuda_peers/results.h"
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace peers {

namespace {

constexpr int no_more = SIGUSR1;  // tells the thread that no signal is waited for any more

// Without those that the caller has this program ignore, as `nohup` does.
sigset_t awaited_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, no_more);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction now{};
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaddset(&signals, signal);
        }
    }
    return signals;
}

std::string text_of(const Json &json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Whether the file is there, and its last line has no end.
bool is_cut_off(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    return file && file.tellg() > 0 && file.seekg(-1, std::ios::end) && file.get() != '\n';
}

}  // namespace

Results::Results(std::string json, const std::string &lines, Json about)
    : json_(std::move(json)), path_of_lines_(lines), about_(std::move(about)) {
    if (!lines.empty()) {
        open_lines(lines);
    }
    take_signals();
    thread_ = std::thread([this] { wait_for_signals(); });
}

Results::~Results() {
    pthread_kill(thread_.native_handle(), no_more);
    thread_.join();
    if (!written_) {
        write_what_there_is();
    }
}

void Results::take_signals() {
    const sigset_t signals = awaited_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void Results::open_lines(const std::string &path) {
    if (is_cut_off(path)) {
        throw std::runtime_error(
            "--results " + path + ": its last line was cut off; remove that line, or take another file");
    }
    lines_.open(path, std::ios::app);
    if (!lines_) {
        throw std::runtime_error("--results " + path + ": cannot be written");
    }
}

void Results::wait_for_signals() {
    const sigset_t signals = awaited_signals();
    int signal = 0;
    if (sigwait(&signals, &signal) != 0 || signal == no_more) {
        return;
    }
    const std::lock_guard<std::mutex> lock(writing_);
    if (!written_) {
        write_what_there_is();
    }
    _exit(128 + signal);
}

void Results::write_what_there_is() noexcept {
    try {
        write(false);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "cuda_peers: error: %s\n", error.what());
    }
}

void Results::add(const Json &run) {
    const std::lock_guard<std::mutex> lock(writing_);
    runs_.push_back(run);
    if (path_of_lines_.empty()) {
        return;
    }
    Json line = about_;
    line.update(run);
    lines_ << text_of(line, -1) << std::flush;
    if (!lines_) {
        throw std::runtime_error(
            "--results " + path_of_lines_ + ": cannot be written; the runs before this one are in it");
    }
}

void Results::end() {
    const std::lock_guard<std::mutex> lock(writing_);
    written_ = true;  // where this fails, to try again helps nobody
    write(true);
}

void Results::write(bool complete) {
    if (json_.empty()) {
        return;
    }
    Json all = about_;
    all["complete"] = complete;
    all["runs"] = runs_;
    const std::string text = text_of(all, 2);
    if (json_ == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
        return;
    }
    std::ofstream file(json_);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error("--json " + json_ + ": cannot be written");
    }
}

}  // namespace peers
