#pragma once
// The commands. Each one is in the file of its name, and adds itself with what it takes, its help and its
// examples.
namespace tilewright::app {

class CommandLine;

void add_devices(CommandLine &line);
void add_help(CommandLine &line);
void add_list(CommandLine &line);
void add_calibrate(CommandLine &line);
void add_doctor(CommandLine &line);
void add_operators(CommandLine &line);  // one command for each operator of the registry: operate.cpp
void add_pipeline(CommandLine &line);
void add_show(CommandLine &line);
void add_explain(CommandLine &line);
void add_verify(CommandLine &line);

}  // namespace tilewright::app
