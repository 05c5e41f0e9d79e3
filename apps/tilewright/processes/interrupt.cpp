// Handlers of signals that end the program.
#include "apps/tilewright/processes/interrupt.h"
#include "apps/tilewright/processes/children.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <unistd.h>

namespace tilewright::app {

// The end of a pipe that a handler writes the signal's number to; -1: nothing is saved.
static std::atomic<int> saver = -1;
static_assert(std::atomic<int>::is_always_lock_free, "a handler of signals takes no lock");

// Makes only async-signal-safe calls: this thread may be in the middle of a kernel or of a write.
static void leave(int signal) {
    const int pipe = saver.exchange(-1);
    const auto number = (unsigned char)signal;
    const int number_of_error = errno;  // of the thread that this handler interrupts
    if (pipe >= 0 && write(pipe, &number, 1) == 1) {
        errno = number_of_error;
        return;
    }
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
        action.sa_flags = SA_RESTART;
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

SaveOnInterrupt::SaveOnInterrupt(std::function<void()> save) {
    Pipe pipe;
    if (!pipe.writer) {
        throw Error(Fault::failed, std::string("there is no room for a pipe: ") + strerror(errno));
    }
    auto save_after_signal = [save = std::move(save), reader = std::move(pipe.reader)] {
        unsigned char signal = 0;
        ssize_t count = 0;
        while ((count = read(*reader, &signal, 1)) < 0 && errno == EINTR) {
        }
        if (count == 1 && signal != 0) {
            save();
            remove_pending_outputs();
            _exit(128 + signal);
        }
    };
    try {
        thread_ = std::thread(std::move(save_after_signal));
    } catch (const std::system_error &error) {
        throw Error(Fault::failed, std::string("the system starts no thread: ") +
                                       strerror(error.code().value()) +
                                       "; raise the limit of processes (`ulimit -u`)");
    }
    writer_ = std::move(pipe.writer);
    saver = *writer_;
}

SaveOnInterrupt::~SaveOnInterrupt() {
    if (saver.exchange(-1) >= 0) {
        writer_.close();  // the thread reads the end of the pipe
    }
    thread_.join();  // after a signal it ends the program
}

}  // namespace tilewright::app
