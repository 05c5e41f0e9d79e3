// Halide's own command line, for generator programs of a project's own.
#include "Halide.h"

int main(int argc, char **argv) {
    return Halide::Internal::generate_filter_main(argc, argv);
}
