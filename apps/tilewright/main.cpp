// The entry point of the program `tilewright`.
#include "apps/tilewright/program.h"

int main(int argc, char **argv) {
    return tilewright::app::program(argc, argv);
}
