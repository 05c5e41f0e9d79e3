#include "runtime/process/kept_signals.h"
#include <atomic>
#include <cstring>
#include <unistd.h>

namespace tilewright {

namespace {

constexpr std::array faults = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
struct sigaction before_faults[faults.size()];
std::atomic<const char *> note{nullptr};

// Gives the signal back to whom it belonged, and to whom it comes again after this handler. A driver may have
// kept this handler as that of before its own, and call it later, when there is nothing to say.
void on_fault(int signal) {
    if (const char *line = note.exchange(nullptr)) {
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, strlen(line));
    }
    for (size_t i = 0; i < faults.size(); i++) {
        if (faults[i] == signal) {
            sigaction(signal, &before_faults[i], nullptr);
        }
    }
    raise(signal);
}

}  // namespace

FaultNote::FaultNote(const char *line) {
    note = line;
    struct sigaction ours = {};
    ours.sa_handler = on_fault;
    for (size_t i = 0; i < faults.size(); i++) {
        sigaction(faults[i], &ours, &before_faults[i]);
    }
}

FaultNote::~FaultNote() {
    note = nullptr;
    for (size_t i = 0; i < faults.size(); i++) {
        struct sigaction now = {};
        sigaction(faults[i], nullptr, &now);
        if (now.sa_handler == on_fault) {  // and no driver's, which PoCL needs
            sigaction(faults[i], &before_faults[i], nullptr);
        }
    }
}

KeptSignals::KeptSignals() {
    for (size_t i = 0; i < signals.size(); i++) {
        sigaction(signals[i], nullptr, &before_[i]);
    }
}

KeptSignals::~KeptSignals() {
    for (size_t i = 0; i < signals.size(); i++) {
        sigaction(signals[i], &before_[i], nullptr);
    }
}

}  // namespace tilewright
