#include "subprocess.h"
#include "tilewright/error.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::app {

static std::string contents(const std::string &path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

ScratchFolder::ScratchFolder() {
    std::error_code none;
    const auto place = std::filesystem::temp_directory_path(none);
    path_ = ((none ? std::filesystem::path("/tmp") : place) / "tilewright-XXXXXX").string();
    if (!mkdtemp(path_.data())) {
        throw Error(Fault::failed, fmt::format("no folder can be made for temporary files ({}); set TMPDIR to one with room", strerror(errno)),
                    {.argument = path_});
    }
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Finished run_program(const std::string &program, const std::vector<std::string> &arguments) {
    const ScratchFolder folder;
    const std::string out = folder.file("out"), err = folder.file("err");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    pid_t id = 0;
    const int fault = posix_spawn(&id, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (fault) {
        throw Error(Fault::failed, fmt::format("it cannot be started: {}", strerror(fault)), {.argument = program});
    }
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

}  // namespace tilewright::app
