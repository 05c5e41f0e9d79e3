// The list of the commands of the laboratory.
#include "apps/laboratory/commands/laboratory.h"

namespace tilewright::app {

void add_laboratory(CommandLine &line) {
    add_bench(line);
    add_compare(line);
    add_report(line);
    add_explore(line);
}

}  // namespace tilewright::app
