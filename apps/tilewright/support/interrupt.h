#pragma once

namespace tilewright::app {

// From here on a signal that asks the program to end (HUP, INT, QUIT, TERM, ALRM, USR1, USR2, XCPU) ends it in an orderly way: output
// files that are not complete are removed, and the exit code is 128 + the signal's number: 130 for INT, 143 for TERM. A pipe
// without a reader and a file over its size limit are errors of writing, reported like others. What was ignored before stays
// ignored (nohup ignores HUP). To be called before any thread starts.
void handle_interrupts();

}  // namespace tilewright::app
