#include "apps/tilewright/processes/opencl_drivers.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "tilewright/device.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

namespace fs = std::filesystem;

constexpr const char *folder_variable = "OCL_ICD_VENDORS";
constexpr unsigned most_seconds = 30;

// What the new process does: all that the first call of OpenCL does, by the ICD files of one folder.
[[noreturn]] void look_for_devices(const std::string &folder) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    alarm(most_seconds);
    setenv(folder_variable, folder.c_str(), 1);
    devices(Backend::opencl);
    _exit(0);
}

// How the process ended; empty where it found devices, or none.
std::string failure_of(const std::string &folder) {
    const pid_t child = fork();
    if (child == 0) {
        look_for_devices(folder);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        throw Error(
            Fault::failed, fmt::format("the system makes no further process: {}", std::strerror(errno)));
    }
    if (WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGALRM ?
                   fmt::format("does not answer within {} s", most_seconds) :
                   fmt::format("crashes when it is loaded ({})", strsignal(WTERMSIG(status)));
    }
    return WEXITSTATUS(status) == 0 ?
               "" :
               fmt::format("ends the process with code {} when it is loaded", WEXITSTATUS(status));
}

// A folder with links to some ICD files.
class LinkedIcds {
public:
    explicit LinkedIcds(const std::vector<fs::path> &files) {
        for (const fs::path &file : files) {
            fs::create_symlink(fs::absolute(file), folder_.file(file.filename().string()));
        }
    }
    const std::string &path() const {
        return folder_.path();
    }

private:
    TemporaryFolder folder_;
};

// The ICD files that fail alone; where none does, they fail together.
void try_alone(std::vector<Icd> &icds, const std::vector<fs::path> &files, const std::string &together) {
    std::vector<fs::path> sound;
    for (size_t i = 0; i < files.size(); i++) {
        icds[i].failure = failure_of(LinkedIcds({files[i]}).path());
        if (icds[i].failure.empty()) {
            sound.push_back(files[i]);
        }
    }
    if (sound.size() == files.size()) {
        sound.clear();
        for (Icd &icd : icds) {
            icd.failure = "beside the others " + together;
        }
    }
    static const LinkedIcds others(sound);
    setenv(folder_variable, others.path().c_str(), 1);
}

}  // namespace

std::string icd_folder() {
    const char *elsewhere = getenv(folder_variable);
    return elsewhere ? elsewhere : "/etc/OpenCL/vendors";
}

std::vector<Icd> try_icds() {
    std::vector<fs::path> files;
    std::error_code failure;
    for (const auto &file : fs::directory_iterator(icd_folder(), failure)) {
        if (file.path().extension() == ".icd") {
            files.push_back(file.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<Icd> icds;
    for (const fs::path &file : files) {
        Icd icd = {file.filename().string(), "", ""};
        std::ifstream text(file);
        std::getline(text, icd.library);
        icds.push_back(icd);
    }
    const std::string together = files.empty() ? "" : failure_of(icd_folder());
    if (!together.empty()) {
        try_alone(icds, files, together);
    }
    return icds;
}

}  // namespace tilewright::app
