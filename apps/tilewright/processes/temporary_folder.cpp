// Starts the shell that removes a folder, and makes the folder.
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/processes/children.h"
#include "runtime/process/environment.h"
#include "tilewright/error.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <spawn.h>
#include <sys/stat.h>

namespace tilewright::app {

namespace {

// Reads until this process has ended; then removes the folder. A generator that is still being stopped may
// write a last file meanwhile, so the shell tries again.
constexpr const char *remover = "trap '' HUP INT QUIT TERM; read -r _; for _ in 1 2 3 4 5 6 7 8 9; do "
                                "rm -rf -- \"$1\" 2>/dev/null && exit; sleep 1; done";

[[noreturn]] void refuse_folder(const std::string &path, int fault) {
    throw Error(Fault::failed,
        std::string("a temporary folder cannot be made there: ") + strerror(fault) +
            "; set TMPDIR to a folder that can be written",
        {.argument = "TMPDIR", .value = path});
}

// Starts the shell with `end` as its standard input. It has a session of its own, so that Ctrl-C on the
// terminal does not reach it, and neither does what ends this program's group of processes: posix_spawn()
// returns when the shell is in its session. Returns -1 where there is no shell.
pid_t start_remover(int end, const std::string &path) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_t session;
    posix_spawnattr_init(&session);
    posix_spawnattr_setflags(&session, POSIX_SPAWN_SETSID);
    const std::array<const char *, 6> words = {"sh", "-c", remover, "sh", path.c_str(), nullptr};
    pid_t shell = -1;
    if (posix_spawn(&shell, "/bin/sh", &files, &session, const_cast<char **>(words.data()), environ) != 0) {
        shell = -1;
    }
    posix_spawnattr_destroy(&session);
    posix_spawn_file_actions_destroy(&files);
    return shell;
}

}  // namespace

// The shell is started first: a process that is killed between the two leaves no folder behind. The name is
// random, so that the folder is new; where it is not, the shell must not see the end of this process.
TemporaryFolder::TemporaryFolder() {
    const std::string named = environment_value("TMPDIR"), parent = named.empty() ? "/tmp" : named;
    std::random_device random;
    path_ = fmt::format("{}/tilewright-{:08x}{:08x}", parent, random(), random());
    Pipe pipe;
    if (!pipe.writer) {
        refuse_folder(parent, errno);
    }
    alive_ = std::move(pipe.writer);
    shell_ = start_remover(*pipe.reader, path_);  // without a shell, the destructor alone removes it
    if (mkdir(path_.c_str(), S_IRWXU) != 0) {
        const int fault = errno;
        if (shell_ > 0) {
            kill(shell_, SIGKILL);
        }
        end_shell();
        refuse_folder(parent, fault);
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
    end_shell();
}

void TemporaryFolder::end_shell() {
    alive_.close();
    if (shell_ > 0) {
        status_of(shell_);
    }
}

}  // namespace tilewright::app
