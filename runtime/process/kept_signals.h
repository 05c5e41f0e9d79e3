#pragma once
#include <array>
#include <csignal>

namespace tilewright {

// While this object lives, others may set handlers of signals; when it ends, the program has those again that it had before.
// Drivers of OpenCL on the CPU hold LLVM, which takes over whatever ends a program. Signals of faults are the driver's to keep:
// PoCL goes on after an integer division by zero in a kernel.
class KeptSignals {
public:
    KeptSignals();
    ~KeptSignals();
    KeptSignals(const KeptSignals &) = delete;
    KeptSignals &operator=(const KeptSignals &) = delete;

private:
    static constexpr std::array signals = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};

    std::array<struct sigaction, signals.size()> before_ = {};
};

}  // namespace tilewright
