#pragma once
// The commands of the laboratory, which apps/main.cpp adds to the program. Each one is in the file of its
// name.
namespace tilewright::app {

class CommandLine;

void add_bench(CommandLine &line);
void add_compare(CommandLine &line);
void add_report(CommandLine &line);
void add_explore(CommandLine &line);

inline void add_laboratory(CommandLine &line) {
    add_bench(line);
    add_compare(line);
    add_report(line);
    add_explore(line);
}

}  // namespace tilewright::app
