// The program `tilewright`: the commands that everybody uses, and those of the laboratory.
#include "apps/laboratory/commands/laboratory.h"
#include "apps/tilewright/program.h"

int main(int argc, char **argv) {
    return tilewright::app::program(argc, argv, tilewright::app::add_laboratory);
}
