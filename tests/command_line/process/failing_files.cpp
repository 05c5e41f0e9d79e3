// Loaded before the C library by tests of files: the TILEWRIGHT_TEST_NTH-th call of the function that
// TILEWRIGHT_TEST_FAILS names fails once, and the file TILEWRIGHT_TEST_REACHED is made. Every argument and
// every result of these functions is an integer or a pointer.
#include "tests/command_line/process/file_functions.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using Function = long (*)(long, long, long, long, long, long);

bool failed = false;  // one of them did; then streams say so too

bool fails(const char *name) {
    static const char *const asked = getenv("TILEWRIGHT_TEST_FAILS");
    static const char *const nth = getenv("TILEWRIGHT_TEST_NTH");
    static const char *const reached = getenv("TILEWRIGHT_TEST_REACHED");
    static long calls = 0;
    if (!asked || !nth || !reached || strcmp(asked, name) != 0 || ++calls != strtol(nth, nullptr, 10)) {
        return false;
    }
    const long file = syscall(SYS_openat, AT_FDCWD, reached, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    syscall(SYS_close, file);
    failed = true;
    return true;
}

}  // namespace

#define FILE_FUNCTION(name, failure)                                                                         \
    extern "C" long failing_##name(long a, long b, long c, long d, long e, long f) __asm__(#name);           \
    long failing_##name(long a, long b, long c, long d, long e, long f) {                                    \
        static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, #name));                        \
        const bool closes = strcmp(#name, "close") == 0 || strcmp(#name, "fclose") == 0;                     \
        if (!fails(#name)) {                                                                                 \
            const long result = real(a, b, c, d, e, f);                                                      \
            return strcmp(#name, "ferror") == 0 && failed ? 1 : result;                                      \
        }                                                                                                    \
        if (closes) { /* what could not be written is lost, and the descriptor is free */                    \
            real(a, b, c, d, e, f);                                                                          \
        }                                                                                                    \
        errno = EIO;                                                                                         \
        return failure;                                                                                      \
    }
FILE_FUNCTIONS(FILE_FUNCTION)
