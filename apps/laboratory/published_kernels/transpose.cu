// Transposes of bytes and of f32: straight from memory to memory, and through shared memory.
#include "apps/laboratory/published_kernels/problem.h"
#include "apps/laboratory/published_kernels/transpose_kernels.h"

namespace published {

namespace {

template<class T>
using Transpose = void(const T *in, T *out, int width, int height);

template<class T>
Kernel kernel(const char *step, const char *type, Transpose<T> *transpose, bool mirrored = false) {
    const auto prepare = [=](Size size) -> std::unique_ptr<Problem> {
        const int width = (int)size.width, height = (int)size.height;
        Arrays<T, T> arrays;
        arrays.inputs = {random_values<T>((size_t)width * height, 0, 255, 1)};  // 255 itself is in no input
        arrays.outputs = (size_t)width * height;
        arrays.before = (T)255;
        arrays.operations = 1;
        arrays.start = [=](const std::vector<const T *> &in, T *out, T *) {
            const unsigned across = blocks_for(width, side), down = blocks_for(height, side);
            const dim3 grid = mirrored ? dim3(down, across) : dim3(across, down);
            transpose<<<grid, dim3(side, side)>>>(in[0], out, width, height);
        };
        arrays.expected = [=](const std::vector<std::vector<T>> &in, size_t i) {
            const size_t x = i / height, y = i % height;
            return Expected{(double)in[0][y * width + x], 0};
        };
        return std::make_unique<ArrayProblem<T, T>>(std::move(arrays));
    };
    // The second axis of a grid has at most 65535 blocks.
    return {"transpose", step, type, {{8192, 8192}}, "sides up to 1048560",
        [](Size size) { return size.width <= 65535 * side && size.height <= 65535 * side; },
        [type = std::string(type)](Size size) { return type + " " + text_of(size); }, prepare};
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
