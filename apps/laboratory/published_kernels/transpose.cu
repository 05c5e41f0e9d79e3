// Transposes of bytes and of f32: straight from memory to memory, and through shared memory.
#include "apps/laboratory/published_kernels/problem.h"
#include "apps/laboratory/published_kernels/transpose_kernels.h"

namespace published {

namespace {

template<class T>
using Transpose = void(const T *in, T *out, int width, int height);

template<class T>
Kernel kernel(const char *step, const char *type, Transpose<T> *transpose, bool mirrored = false) {
    return kernel_of({"transpose", step, type, {{8192, 8192}}, most_sides, serves_sides}, [=](Size size) {
        auto arrays = transposed<T>(size);
        arrays.start = [=](const std::vector<const T *> &in, T *out, T *) {
            const unsigned across = blocks_for(size.width, side), down = blocks_for(size.height, side);
            const dim3 grid = mirrored ? dim3(down, across) : dim3(across, down);
            transpose<<<grid, dim3(side, side)>>>(in[0], out, (int)size.width, (int)size.height);
        };
        return arrays;
    });
}

template<class T>
void add(std::vector<Kernel> &all, const char *type) {
    all.push_back(kernel<T>("direct", type, direct<T>));
    all.push_back(kernel<T>("direct_mirrored", type, direct_mirrored<T>, true));
    all.push_back(kernel<T>("shared", type, through_shared<T, 0, false>));
    all.push_back(kernel<T>("padded", type, through_shared<T, 4, false>));
    all.push_back(kernel<T>("diagonal_unpadded", type, through_shared<T, 0, true>));
    all.push_back(kernel<T>("diagonal", type, through_shared<T, 4, true>));
}

}  // namespace

std::vector<Kernel> transpose_kernels() {
    std::vector<Kernel> all;
    add<uint8_t>(all, "u8");
    add<float>(all, "f32");
    return all;
}

}  // namespace published
