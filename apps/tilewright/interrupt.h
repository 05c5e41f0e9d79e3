#pragma once

namespace tilewright::app {

// From here on SIGINT and SIGTERM end the program in an orderly way: output files that are not complete are removed, and
// the exit code is 130 or 143. To be called before any thread starts.
void handle_interrupts();

}  // namespace tilewright::app
