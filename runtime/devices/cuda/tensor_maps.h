#pragma once
// What kernels need for copies by the tensor memory accelerator (generators/algorithms/tensor_bulk.h). Not
// installed.
#include "runtime/devices/cuda/cuda.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::driver {

// The matrices of a kernel that it copies from so, by the numbers of their parameters. Behind all of its
// parameters it has one more for each of them.
struct TensorMaps {
    size_t parameters = 0;  // without those
    std::vector<size_t> matrices;
};

// Of each kernel of a module's text that has such parameters.
std::map<std::string, TensorMaps> tensor_maps_of(const std::string &ptx);

// The value of such a parameter: the driver's description of the matrix, which begins with its address, and
// the distance of its rows in units of 16 bytes.
struct alignas(64) TensorMap {
    std::array<uint64_t, 16> description;
    uint32_t pitch;
};

// The arguments of a launch of such a kernel.
class TensorArguments {
public:
    static constexpr unsigned bytes_of_barriers = 128;  // behind a kernel's own shared memory

    // Adds the maps to the arguments. Matrix n is the array of the library's argument n
    // (this_thread.arguments). Returns the driver's code.
    CUresult add(const TensorMaps &maps, void **arguments) noexcept;
    void **all() noexcept {
        return all_.data();
    }

private:
    std::array<TensorMap, 2> maps_;
    std::array<void *, 64> all_;
};

}  // namespace tilewright::driver
