// Opens shared libraries.
#include "apps/laboratory/cuda_peers/library.h"
#include "apps/laboratory/published_kernels/device.h"
#include <dlfcn.h>

namespace peers {

Library::Library(const std::string &name) : name_(name) {
    for (const char *folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/",
             "/usr/local/cuda-13.0/lib64/", "/usr/local/cuda-13.0/targets/x86_64-linux/lib/"}) {
        handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_) {
            return;
        }
        if (why_not_.empty()) {
            why_not_ = dlerror();
        }
    }
}

void *Library::address(const char *name) const {
    void *found = dlsym(handle_, name);
    if (!found) {
        throw published::Failure(published::Fault::failed, name_ + " has no function " + name);
    }
    return found;
}

}  // namespace peers
