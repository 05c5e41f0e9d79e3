#include "runtime/process/kept_signals.h"

namespace tilewright {

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
