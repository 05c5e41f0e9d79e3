#pragma once
// What kernels need whose matrices the tensor memory accelerator copies and stores
// (generators/algorithms/tensor_bulk.h). Not installed.
#include "runtime/devices/cuda/cuda.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilewright::driver {

// The matrices that the tensor memory accelerator copies or stores in a kernel, by the numbers of the
// parameters that are their addresses. Behind all other parameters, the kernel has a map (TensorMap) of each
// of them.
struct TensorMaps {
    size_t parameters = 0;  // without the maps
    std::vector<size_t> matrices;
};

// By name, the kernels of a module's text that have maps. A search takes no memory: launches make it. Errors:
// std::runtime_error, where a parameter looks like a map and names no other parameter.
using MapsOfKernels = std::map<std::string, TensorMaps, std::less<>>;
MapsOfKernels tensor_maps_of(const std::string &ptx);

// The value of a parameter that is a map: the driver's description of the matrix, which begins with the
// address of the matrix, and the number of boxes that are side by side in it.
struct alignas(64) TensorMap {
    std::array<uint64_t, 16> description;
    uint32_t boxes;
};

// The arguments of a launch of a kernel that has maps.
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
    std::array<TensorMap, 3> maps_;
    std::array<void *, 64> all_;
};

}  // namespace tilewright::driver
