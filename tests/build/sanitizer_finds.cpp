// Does what a sanitizer must find, and says so if nobody stopped it: a build whose sanitizers find nothing
// proves nothing.
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "heap_overflow") == 0) {
        const auto bytes = std::make_unique<char[]>((size_t)argc);
        volatile size_t too_many = (size_t)argc + 1;  // volatile: the compiler must not see it
        memset(bytes.get(), 1, too_many);
        printf("wrote past the end: %d\n", bytes[0]);
    } else if (argc == 2 && strcmp(argv[1], "data_race") == 0) {
        int count = 0;
        const auto add = [&] {
            for (int i = 0; i < 1000; i++) {
                count++;
            }
        };
        std::thread other(add);
        add();
        other.join();
        printf("counted in two threads: %d\n", count);
    } else if (argc == 2) {
        volatile int large = INT_MAX;
        large = large + argc;
        printf("counted past the end: %d\n", large);
    }
    return 0;
}
