// Transposes of bytes and of f32: straight from memory to memory, and through shared memory.
#include "apps/laboratory/published_kernels/published.h"
#include "apps/laboratory/published_kernels/transpose_kernels.h"

namespace peers {

namespace {

template<class T>
using Transpose = void(const T *in, T *out, int width, int height);

template<class T>
void add(std::vector<LibraryPeer> &peers, const char *step, Transpose<T> *transpose, bool mirrored = false) {
    add_kernel(peers, step, [=](const std::vector<PeerArray> &in, const PeerArray &out) {
        const int width = (int)in[0].width, height = (int)in[0].height;
        const unsigned across = blocks_for(width, side), down = blocks_for(height, side);
        const dim3 grid = mirrored ? dim3(down, across) : dim3(across, down);
        transpose<<<grid, dim3(side, side)>>>(elements<const T>(in[0]), elements<T>(out), width, height);
    });
}

template<class T>
void add_all(std::vector<LibraryPeer> &peers) {
    add<T>(peers, "direct", direct<T>);
    add<T>(peers, "direct_mirrored", direct_mirrored<T>, true);
    add<T>(peers, "shared", through_shared<T, 0, false>);
    add<T>(peers, "padded", through_shared<T, 4, false>);
    add<T>(peers, "diagonal_unpadded", through_shared<T, 0, true>);
    add<T>(peers, "diagonal", through_shared<T, 4, true>);
}

}  // namespace

void add_transposes(const PeerProblem &problem, std::vector<LibraryPeer> &peers) {
    if (problem.op == "transpose" && problem.type == "u8") {
        add_all<uint8_t>(peers);
    } else if (problem.op == "transpose" && problem.type == "f32") {
        add_all<float>(peers);
    }
}

}  // namespace peers
