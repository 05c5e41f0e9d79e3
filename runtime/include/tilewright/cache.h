#pragma once
#include <cstdint>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

// Binaries of OpenCL programs that drivers compiled, kept on disk: a later process loads them where the first
// one had to compile. CUDA's driver keeps what it compiled itself (CUDA_CACHE_PATH), and so does PoCL
// (POCL_CACHE_DIR), whose programs are here only where POCL_KERNEL_CACHE is 0. A file is used only for the
// same source on the same device with the same driver, and only if its checksum is right. That protects from
// accidents. Because the files are code, folder and files must belong to the user that the process runs as,
// nobody else may write them, and neither is a link; a folder that is otherwise is not used, which one line
// on standard error says. At most 256 MiB are kept; the files that were not used for the longest time go
// first. Processes of the user may share the folder.
namespace tilewright {

// A program in the folder.
struct CachedProgram {
    std::string file;    // its path
    std::string device;  // the name of the device that it is for
    uint64_t bytes;      // its size on disk
    int64_t last_used;   // seconds since 1970
};

// The folder: the environment's TILEWRIGHT_CACHE, else XDG_CACHE_HOME/tilewright, else ~/.cache/tilewright;
// a relative path in XDG_CACHE_HOME or HOME is passed over. Empty, and nothing is kept, where
// TILEWRIGHT_CACHE is "off" or none of them is set.
std::string cache_folder();

// The programs in the folder, the last used one first. Files that are none are left out.
std::vector<CachedProgram> cached_programs();

// Removes the programs from the folder, and says how many they were. Other files stay. Errors: failed, with
// the path, when one cannot be removed.
size_t clear_cache();

}  // namespace tilewright
#pragma GCC visibility pop
