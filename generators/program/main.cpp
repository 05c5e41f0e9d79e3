// The main function of an operator's generator program. It stands alone: the package has the rest compiled.
#include "generators/program/program.h"

int main(int argc, char **argv) {
    return tilewright::generator_program(argc, argv);
}
