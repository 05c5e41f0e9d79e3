#pragma once
// What peers on CUDA share. Calls start in the null stream of the context that they find.
#include "apps/laboratory/peer_libraries/peer_library.h"
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <type_traits>

namespace peers {

// Throws where a function of CUDA, cuBLAS, cuFFT or NPP did not succeed, which is 0 in all of them.
template<class Status>
void check(Status status, const char *what) {
    if ((int)status != 0) {
        std::string words = std::string(what) + ": ";
        if constexpr (std::is_same_v<Status, cudaError_t>) {
            words += cudaGetErrorString(status);
        } else {
            words += "status " + std::to_string((int)status);
        }
        throw std::runtime_error(words);
    }
}

// Memory of the device for a call's own use. Calls run one after another, so all of a file have the same.
// Other files, and so other shared objects, have theirs: of a function that is inline alone, all objects that
// are open share one, and cuBLAS's ones would be overwritten by another library's call.
static inline void *scratch(int64_t bytes) {
    static void *memory = nullptr;
    static int64_t has = 0;
    if (bytes > has) {
        cudaFree(memory);
        has = 0;
        check(cudaMalloc(&memory, (size_t)bytes), "device memory");
        has = bytes;
    }
    return memory;
}

// The elements, one row right after the other. Errors: std::invalid_argument, where they are of another size
// or rows have gaps between them.
template<class T>
T *elements(const PeerArray &array) {
    if (array.pitch != array.width * array.channels * (int64_t)sizeof(T)) {
        throw std::invalid_argument("it takes elements of " + std::to_string(sizeof(T)) +
                                    " bytes and rows without gaps (--row-pitch 0)");
    }
    return (T *)array.data;
}

// Errors: std::invalid_argument, where the array has more than 2^bits elements.
inline void check_most(const PeerArray &array, int bits) {
    if (array.width * array.height > 1LL << bits) {
        throw std::invalid_argument("it takes up to 2^" + std::to_string(bits) + " elements");
    }
}

}  // namespace peers
