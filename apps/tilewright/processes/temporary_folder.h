#pragma once
// A private folder for files that exist only while this program works on them.
#include "runtime/process/descriptor.h"
#include <string>
#include <sys/types.h>

namespace tilewright::app {

// A new folder in TMPDIR, or in /tmp, which only this user can enter. It is removed with all its files by the
// destructor, and also where this process ends in any other way, SIGKILL included: a shell waits for that.
class TemporaryFolder {
public:
    // Errors: failed, when the folder cannot be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    const std::string &path() const {
        return path_;
    }
    std::string file(const std::string &name) const {
        return path_ + "/" + name;
    }

private:
    void end_shell();  // lets it see the end, and waits for it

    std::string path_;
    Descriptor alive_;  // the shell reads the other end, and so notices the end of this process
    pid_t shell_ = -1;
};

}  // namespace tilewright::app
