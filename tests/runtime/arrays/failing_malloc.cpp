// For LD_PRELOAD: from the TILEWRIGHT_TEST_MALLOC_FAILS-th call on there is no memory. The calls are counted
// from the first sigaction() on, which the program calls at its beginning: what runs before main() is not
// meant.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own names
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
// NOLINTEND(bugprone-reserved-identifier)

static long calls_left = -1;  // below 0: no call fails yet

static bool fails() {
    if (calls_left > 0) {
        calls_left--;
    }
    if (calls_left == 0) {
        errno = ENOMEM;
    }
    return calls_left == 0;
}

void *malloc(size_t size) {
    return fails() ? nullptr : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? nullptr : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails() ? nullptr : __libc_realloc(memory, size);
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    using Function = int (*)(int, const struct sigaction *, struct sigaction *);
    static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "sigaction"));
    if (const char *count = getenv("TILEWRIGHT_TEST_MALLOC_FAILS"); count != nullptr && calls_left < 0) {
        calls_left = strtol(count, nullptr, 10);
    }
    return original(signal, action, old);
}

}  // extern "C"
