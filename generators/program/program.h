#pragma once

namespace tilewright {

// The command line of an operator's generator program; returns its exit code.
int generator_program(int argc, char **argv);

}  // namespace tilewright
