// A driver's library that takes the program along as soon as it is loaded.
#include <cstdio>
#include <cstdlib>

[[gnu::constructor]] static void loaded() {
    fputs("a driver was loaded that nobody asked for\n", stderr);
    abort();
}
