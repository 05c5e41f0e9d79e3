#pragma once
// What signals do to the program.
#include "runtime/process/descriptor.h"
#include <functional>
#include <thread>

namespace tilewright::app {

// After this call, a signal that asks the program to end (HUP, INT, QUIT, TERM, ALRM, USR1, USR2, XCPU) ends
// it in an orderly way: output files that are not complete are removed, and the exit code is 128 + the
// signal's number: 130 for INT, 143 for TERM. A pipe without a reader and a file over its size limit become
// errors of writing, which are reported like others. A signal that was ignored before stays ignored (nohup
// ignores HUP). To be called before any thread starts.
void handle_interrupts();

// While it lives, such a signal first calls `save`, on a thread of its own: a kernel that runs for seconds
// does not delay it. The program then ends as it does without. A second signal ends it at once. `save` must
// not throw. One at a time.
class SaveOnInterrupt {
public:
    explicit SaveOnInterrupt(std::function<void()> save);
    ~SaveOnInterrupt();
    SaveOnInterrupt(const SaveOnInterrupt &) = delete;

private:
    std::thread thread_;
    Descriptor writer_;
};

}  // namespace tilewright::app
