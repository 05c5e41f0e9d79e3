#pragma once
// What starting, reading and ending other processes has in common.
#include "runtime/process/descriptor.h"
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::app {

// The two ends of a new pipe, which no other program gets. Where the system makes none, both are closed, and
// errno says why.
struct Pipe {
    Descriptor reader, writer;

    Pipe() {
        if (int ends[2]; pipe2(ends, O_CLOEXEC) == 0) {
            reader = Descriptor(ends[0]);
            writer = Descriptor(ends[1]);
        }
    }
};

// All that is in a file.
inline std::string contents(const Descriptor &file) {
    std::string text;
    std::array<char, 65536> piece;
    for (ssize_t size; (size = pread(*file, piece.data(), piece.size(), (off_t)text.size())) > 0;) {
        text.append(piece.data(), (size_t)size);
    }
    return text;
}

// Waits for the end of a child, whatever signals come meanwhile. Returns its status.
inline int status_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace tilewright::app
