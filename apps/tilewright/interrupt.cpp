#include "interrupt.h"
#include "tilewright/files.h"
#include <csignal>
#include <unistd.h>

namespace tilewright::app {

// Only async-signal-safe calls: a kernel or a write may be under way in this very thread.
static void leave(int signal) {
    remove_pending_outputs();
    _exit(128 + signal);
}

void handle_interrupts() {
    struct sigaction action = {};
    action.sa_handler = leave;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM}) {
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace tilewright::app
