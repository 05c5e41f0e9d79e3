#include "runtime/files/output/pending_outputs.h"
#include "tilewright/files.h"
#include <cerrno>
#include <unistd.h>

namespace tilewright {

std::atomic<PendingOutput *> PendingOutput::first = nullptr;
static_assert(std::atomic<PendingOutput *>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
    "remove_pending_outputs() may not take locks");

PendingOutput *PendingOutput::take() {
    for (PendingOutput *record = first; record != nullptr; record = record->next_) {
        State expected = unused;
        if (record->state_.compare_exchange_strong(expected, taken)) {
            return record;
        }
    }
    auto *record = new PendingOutput;  // never deleted: a handler may be reading it
    record->next_ = first;
    while (!first.compare_exchange_weak(record->next_, record)) {
    }
    return record;
}

void PendingOutput::note(int folder, const std::string &name) {
    folder_ = folder;
    name_.at(name.copy(name_.data(), name_.size())) = 0;
    state_ = noted;
}

void PendingOutput::forget() noexcept {
    state_ = taken;
}

void PendingOutput::give_back() noexcept {
    state_ = unused;
}

void remove_pending_outputs() noexcept {
    const int before = errno;
    for (PendingOutput *record = PendingOutput::first; record != nullptr; record = record->next_) {
        if (record->state_ == PendingOutput::noted) {
            unlinkat(record->folder_, record->name_.data(), 0);
        }
    }
    errno = before;
}

}  // namespace tilewright
