// Handlers of signals that end the program.
#include "apps/tilewright/support/interrupt.h"
#include "tilewright/files.h"
#include <csignal>
#include <unistd.h>

namespace tilewright::app {

// Makes only async-signal-safe calls: this thread may be in the middle of a kernel or of a write.
static void leave(int signal) {
    remove_pending_outputs();
    _exit(128 + signal);
}

// Sets the handler of a signal that has the default one. A signal that is ignored, or that a tool such as a
// profiler handles, stays so.
static void replace_default(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        action = {};
        action.sa_handler = handler;
        sigfillset(&action.sa_mask);
        sigaction(signal, &action, nullptr);
    }
}

// The signal that was kept, while one is.
static volatile std::sig_atomic_t kept = 0;

static void keep(int signal) {
    if (kept != 0) {
        leave(signal);
    }
    kept = signal;
}

// Replaces one of our handlers by another one.
static void exchange(int signal, void (*before)(int), void (*after)(int)) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == before) {
        action.sa_handler = after;
        sigaction(signal, &action, nullptr);
    }
}

KeepInterrupts::KeepInterrupts() {
    exchange(SIGINT, leave, keep);
    exchange(SIGTERM, leave, keep);
}

KeepInterrupts::~KeepInterrupts() {
    exchange(SIGINT, keep, leave);
    exchange(SIGTERM, keep, leave);
    if (kept != 0) {
        raise(kept);
    }
}

int interrupting_signal() {
    return kept;
}

void handle_interrupts() {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
        replace_default(signal, leave);
    }
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
        replace_default(signal, SIG_IGN);
    }
}

}  // namespace tilewright::app
