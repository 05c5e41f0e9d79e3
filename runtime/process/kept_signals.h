#pragma once
// Signal handlers around calls of drivers. Not installed.
#include <array>
#include <csignal>

namespace tilewright {

// Keeps the program's signal handlers: handlers that are set while this object lives are replaced by the
// earlier ones when it ends. OpenCL drivers for the CPU contain LLVM, which takes over the signals that end a
// program. The signals of faults are left to the driver: PoCL needs SIGFPE to go on after an integer division
// by zero in a kernel.
class KeptSignals {
public:
    KeptSignals();
    ~KeptSignals();
    KeptSignals(const KeptSignals &) = delete;
    KeptSignals &operator=(const KeptSignals &) = delete;

private:
    static constexpr std::array signals = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGTRAP,
        SIGUSR1, SIGUSR2, SIGSYS, SIGXCPU, SIGXFSZ};

    std::array<struct sigaction, signals.size()> before_ = {};
};

// While it lives, a fault of the process is said in one line on standard error before the process ends as it
// would have ended without it. For code of others that is loaded, and that takes the program along where it
// is broken. One at a time.
class FaultNote {
public:
    explicit FaultNote(const char *line);  // ends with a newline, and lives as long as the program
    ~FaultNote();
    FaultNote(const FaultNote &) = delete;
};

}  // namespace tilewright
