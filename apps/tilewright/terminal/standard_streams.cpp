// Writes to standard error without memory, and opens standard streams that are closed.
#include "apps/tilewright/terminal/standard_streams.h"
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
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

void write_error(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t written = write(STDERR_FILENO, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix((size_t)written);
        } else if (written == 0 || errno != EINTR) {
            return;
        }
    }
}

namespace {

// Collects characters, and writes many at a time.
class Collected {
public:
    ~Collected() {
        write_error({text_, size_});
    }
    void operator()(char c) {
        text_[size_++] = c;
        if (size_ == sizeof text_) {
            write_error({text_, size_});
            size_ = 0;
        }
    }

private:
    char text_[4096];
    size_t size_ = 0;
};

}  // namespace

void print_error(std::string_view text) noexcept {
    Collected collected;
    put_plain(text, [&](char c) { collected(c); });
}

static bool quiet = false;

bool obeys_codes(int stream) noexcept {
    const char *const terminal = getenv("TERM");
    return isatty(stream) && (terminal == nullptr || strcmp(terminal, "dumb") != 0);
}

void be_quiet() noexcept {
    quiet = true;
}

bool is_quiet() noexcept {
    return quiet;
}

void print_remark(std::string_view text) noexcept {
    if (!quiet) {
        print_error(text);
    }
}

void print_error_line(std::string_view before, std::string_view message) noexcept {
    Collected line;
    for (const char c : before) {
        line(c);
    }
    put_in_one_line(message, [&](char c) { line(c); });
    line('\n');
}

}  // namespace tilewright::app
