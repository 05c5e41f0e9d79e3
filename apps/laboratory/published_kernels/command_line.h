#pragma once
// What the command lines of published_kernels and cuda_peers share.
#include "apps/laboratory/published_kernels/measure.h"
#include "apps/laboratory/published_kernels/problem.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace published {

// Adds --device, --batch, --repeats and --limit. `of`: what is timed, "a kernel".
void add_timing(CLI::App &line, int &device, Plan &plan, const std::string &of);

// "640x480". Throws Failure where a side is not from 1 to 1048576.
Size size_of(const std::string &text);

// Parses the words, and then does the work. Returns the exit code; a wrong word is one line on standard
// error.
int parse_and_run(CLI::App &line, int argc, char **argv, const std::function<void()> &work);

// Runs a program whose errors are one line on standard error, which begins with the program's name. Returns
// the exit code.
int run_program(const char *name, int (*program)(int, char **), int argc, char **argv) noexcept;

// The time now, in UTC: "2026-11-22T12:34:56Z".
std::string date();

}  // namespace published
