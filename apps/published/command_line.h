#pragma once
// What the command lines of published_kernels and cuda_peers share.
#include "apps/published/measure.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace published {

// Adds --device, --batch, --repeats and --limit. `of`: what is timed, "a kernel".
void add_timing(CLI::App &line, int &device, Plan &plan, const std::string &of);

// Parses the words, and then does the work. Returns the exit code; an error is one line on standard error,
// which begins with the program's name.
int run_program(
    const std::string &name, CLI::App &line, int argc, char **argv, const std::function<void()> &work);

// The time now, in UTC: "2026-11-22T12:34:56Z".
std::string date();

}  // namespace published
