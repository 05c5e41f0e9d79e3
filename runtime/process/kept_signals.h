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
    static constexpr std::array signals = {
        SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};

    std::array<struct sigaction, signals.size()> before_ = {};
};

}  // namespace tilewright
