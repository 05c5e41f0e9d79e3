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

void handle_interrupts() {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
        replace_default(signal, leave);
    }
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
        replace_default(signal, SIG_IGN);
    }
}

}  // namespace tilewright::app
