#pragma once

namespace tilewright::app {

// All of the command line: reads it, does what it says, and returns the exit code. Which operators there are it knows from
// tilewright::operators() alone.
int program(int argc, char **argv);

}  // namespace tilewright::app
