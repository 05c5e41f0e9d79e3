// In place of the commands of the laboratory, where TILEWRIGHT_LABORATORY of CMake is off.
#include "apps/laboratory/commands/laboratory.h"
#include "apps/tilewright/command_line/command_line.h"

namespace tilewright::app {

void add_laboratory(CommandLine &line) {
    for (const char *name : {"bench", "compare", "explore", "report"}) {
        line.leave_out(name, "this program was built without it (TILEWRIGHT_LABORATORY=OFF); build it again "
                             "with TILEWRIGHT_LABORATORY=ON, as `./dev build` does");
    }
}

}  // namespace tilewright::app
