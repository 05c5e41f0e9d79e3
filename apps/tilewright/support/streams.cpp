// Writes to standard error without memory, and opens standard streams that are closed.
#include "apps/tilewright/support/streams.h"
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace tilewright::app {

void open_closed_streams() noexcept {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
            // open() takes the lowest free descriptor, which is this one. It is opened for the wrong
            // direction, so that reading and writing fail.
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

void print_error(std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix((size_t)written);
        } else if (written == 0 || errno != EINTR) {
            return;
        }
    }
}

void print_error_line(std::string_view before, std::string_view message) noexcept {
    char line[4096];
    size_t size = 0;
    const auto put = [&](char c) {
        line[size++] = c;
        if (size == sizeof line) {
            print_error({line, size});
            size = 0;
        }
    };
    for (const char c : before) {
        put(c);
    }
    put_in_one_line(message, put);
    put('\n');
    print_error({line, size});
}

}  // namespace tilewright::app
