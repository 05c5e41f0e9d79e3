#pragma once
// What the test program's own system calls refuse when a test asks for it: they stand before those of the C
// library (refusing_system.cpp).
#include <cstdint>
#include <sys/types.h>

namespace refusing_system {

extern bool has_unnamed_files;  // whether openat() takes O_TMPFILE, which not every file system knows
extern mode_t created_mode;     // the permissions with which a file was last created

extern int64_t reads_until_failure;  // of fread(); the one at 0 fails, as all after it, below 0 none does

// A sanitizer's malloc must not be replaced.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_refuse_memory = false;
#else
constexpr bool can_refuse_memory = true;
#endif
// of this thread; the one at 0 fails, below 0 none does
extern thread_local constinit int64_t mallocs_until_refusal;
extern thread_local constinit bool was_refused;  // whether one of them did, or a read

}  // namespace refusing_system
