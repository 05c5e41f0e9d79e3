#pragma once
// The sizes of images that the window forms of gaussian_blur serve, as host and generators need them. Plain
// C++ without Halide.h.
#include <cstdint>

namespace tilewright {

// The numbers of a window row's tile, as its tunables have them: see WindowTile.
struct WindowLimits {
    int radius, columns, rows, groups;

    // The least size of an image that is larger than a tile with its halo (BorderMap::large). The halo is a
    // radius on each side, rounded up to four elements.
    int64_t least_width() const {
        return columns + 2 * radius + 8;
    }
    int64_t least_height() const {
        return rows * groups + radius;
    }
    // A grid has at most 65535 thread blocks along its second dimension.
    int64_t most_height() const {
        return 65535ll * rows * groups;
    }
};

}  // namespace tilewright
