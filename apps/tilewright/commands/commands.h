#pragma once
#include <CLI/CLI.hpp>
#include <string>

// The subcommands. Each lives in the file that is named after it, and adds itself with its options, help and examples.
namespace tilewright::app {

void add_devices(CLI::App &app);
void add_list(CLI::App &app);
void add_doctor(CLI::App &app);
void add_operators(CLI::App &app);  // one for each operator of the registry
void add_pipeline(CLI::App &app);
void add_show(CLI::App &app);
void add_verify(CLI::App &app);
void add_bench(CLI::App &app);

}  // namespace tilewright::app
