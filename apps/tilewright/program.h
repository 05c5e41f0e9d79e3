#pragma once
// The program `tilewright` as a function. Programs with operators or variants of their own link it too.

namespace tilewright::app {

class CommandLine;

// Reads the command line, runs the command, and returns the exit code. It knows the operators from
// tilewright::operators() alone. `add_more` adds commands to those of this folder.
[[gnu::visibility("default")]] int program(int argc, char **argv, void (*add_more)(CommandLine &));

}  // namespace tilewright::app
