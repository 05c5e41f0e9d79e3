#pragma once
// Kernels of one image that are launched for many: PTX whose kernels work on image n in the blocks that have
// n along the third axis of the grid. Not installed.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::driver {

// A module's text whose kernels have more parameters, behind those of the kernel: of each address the bytes
// from one image to the next one, and how many blocks an image has along the third axis.
struct ImageKernels {
    std::string text;
    std::map<std::string, std::vector<bool>> addresses;  // of each kernel, which of its parameters are
};

// Nothing where the text is not as Halide 21.0.0 writes it.
std::optional<ImageKernels> kernels_of_images(const std::string &ptx);

// What a thread's launches are for, while one library runs (this_thread.images). None of the functions
// throws, because hooks call them; failed() says that the library cannot run so.
class ImageLaunches {
public:
    explicit ImageLaunches(int64_t count) noexcept : count_(count) {}

    // Memory of which image n has the addresses that are n times `step` bytes further than those of the first
    // image.
    void add_memory(uint64_t begin, uint64_t bytes, int64_t step) noexcept;
    void remove_memory(uint64_t begin) noexcept;

    int64_t count() const noexcept {
        return count_;
    }
    void fail() noexcept {
        failed_ = true;
    }
    bool failed() const noexcept {
        return failed_;
    }

    // Which parameters of the kernel that is launched next are addresses.
    void set_kernel(const std::vector<bool> &addresses) noexcept {
        addresses_ = &addresses;
    }

    // The arguments of that kernel for all images, of those for one and its blocks along the third axis,
    // which become those of all images. They are valid until the next call. Null where it failed.
    void **arguments(void **of_one, unsigned &blocks) noexcept;

private:
    struct Memory {
        uint64_t begin, bytes;
        int64_t step;
    };
    const int64_t count_;
    bool failed_ = false;
    const std::vector<bool> *addresses_ = nullptr;
    std::vector<Memory> memory_;
    std::vector<int64_t> steps_;
    std::vector<void *> arguments_;
    uint32_t depth_ = 1;
};

}  // namespace tilewright::driver
