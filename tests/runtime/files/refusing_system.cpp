// openat(), malloc() and fread() of the test program: those of the system, but for what a test asks them to
// refuse.
#include "tests/runtime/files/refusing_system.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace refusing_system {

bool has_unnamed_files = true;
mode_t created_mode = 0;
int64_t reads_until_failure = -1;
thread_local constinit int64_t mallocs_until_refusal = -1;
thread_local constinit bool was_refused = false;

}  // namespace refusing_system

using namespace refusing_system;

extern "C" {

int openat(int folder, const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        created_mode = mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (!has_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

size_t fread(void *to, size_t size, size_t count, FILE *file) {
    if (reads_until_failure == 0) {
        was_refused = true;
        errno = EIO;
        return 0;
    }
    reads_until_failure -= reads_until_failure > 0 ? 1 : 0;
    return fread_unlocked(to, size, count, file);
}

int ferror(FILE *file) {
    return (reads_until_failure == 0 && was_refused) || ferror_unlocked(file) != 0 ? 1 : 0;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t bytes);  // NOLINT(bugprone-reserved-identifier): the C library's own name

void *malloc(size_t bytes) {
    if (mallocs_until_refusal >= 0 && mallocs_until_refusal-- == 0) {
        was_refused = true;
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_malloc(bytes);
}
#endif

}  // extern "C"
