// Loaded before the C library by tests of signals: sends this process a signal at a chosen call, so that a
// test need not hit the moment.
//   TILEWRIGHT_TEST_CALL     fwrite (to a file, not to a standard stream), linkat, renameat or mkdir (of a
//                            temporary folder; the signal comes when it is there)
//   TILEWRIGHT_TEST_GROUP    when set, the whole group of processes gets the signal
//   TILEWRIGHT_TEST_NTH      which of these calls it is; without it the first one
//   TILEWRIGHT_TEST_SIGNAL   the signal's number
//   TILEWRIGHT_TEST_NAMED    when set, no file can be made without a name, as where O_TMPFILE is missing
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

void at(const char *call) {
    static int calls = 0;
    const char *asked = getenv("TILEWRIGHT_TEST_CALL"), *number = getenv("TILEWRIGHT_TEST_SIGNAL"),
               *nth = getenv("TILEWRIGHT_TEST_NTH");
    if (asked != nullptr && number != nullptr && strcmp(asked, call) == 0 &&
        ++calls >= (nth != nullptr ? strtol(nth, nullptr, 10) : 1)) {
        kill(getenv("TILEWRIGHT_TEST_GROUP") != nullptr ? 0 : getpid(), (int)strtol(number, nullptr, 10));
    }
}

}  // namespace

extern "C" {

size_t fwrite(const void *from, size_t size, size_t count, FILE *to) {
    static const auto real = reinterpret_cast<decltype(&fwrite)>(dlsym(RTLD_NEXT, "fwrite"));
    if (fileno(to) > 2) {
        at("fwrite");
    }
    return real(from, size, count, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) noexcept {
    const auto done = static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
    at("linkat");
    return done;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) noexcept {
    at("renameat");
    return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

int mkdir(const char *path, mode_t mode) noexcept {
    const auto done = static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
    if (strstr(path, "/tilewright-") != nullptr) {
        at("mkdir");
    }
    return done;
}

int openat(int folder, const char *path, int flags, ...) {
    const bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || is_unnamed) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (is_unnamed && getenv("TILEWRIGHT_TEST_NAMED") != nullptr) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

}  // extern "C"
