#pragma once
namespace tilewright::app {

class CommandLine;

// Adds the commands of the laboratory to the program. Each one is in the file of its name.
[[gnu::visibility("default")]] void add_laboratory(CommandLine &line);

void add_bench(CommandLine &line);
void add_compare(CommandLine &line);
void add_report(CommandLine &line);
void add_explore(CommandLine &line);

}  // namespace tilewright::app
