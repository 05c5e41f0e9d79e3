#include "apps/tilewright/support/interrupt.h"
#include "tilewright/files.h"
#include <csignal>
#include <unistd.h>

namespace tilewright::app {

// Only async-signal-safe calls: a kernel or a write may be under way in this very thread.
static void leave(int signal) {
    remove_pending_outputs();
    _exit(128 + signal);
}

// Signals that are ignored, or that a tool (a profiler, for example) handles, are left to whoever set that.
static void replace_default(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        action = {};
        action.sa_handler = handler;
        sigfillset(&action.sa_mask);
        sigaction(signal, &action, nullptr);
    }
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
