#pragma once
// The program `tilewright` as a function. Programs with operators or rows of their own link it too.

namespace tilewright::app {

// Reads the command line, runs the command, and returns the exit code. It knows the operators from
// tilewright::operators() alone.
int program(int argc, char **argv);

}  // namespace tilewright::app
