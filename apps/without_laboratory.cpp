// In place of the commands of the laboratory, where TILEWRIGHT_LABORATORY of CMake is off.
#include "apps/laboratory/commands/laboratory.h"

namespace tilewright::app {

void add_laboratory(CommandLine &) {}

}  // namespace tilewright::app
