#pragma once
// Host memory beside pages that nothing may touch. A test program that has fenced_memory.cpp uses it in place
// of runtime/devices/memory/host_memory.cpp: for owned arrays, and for the intermediate arrays of CPU
// libraries.
#include <cstddef>

namespace tilewright {

// Where the page without access is: behind the last byte of a block, or in front of the first one.
enum class Fence { behind, in_front };

// Where it is for the blocks that are taken from now on.
void set_fence(Fence fence);

// A block. Behind it there are less than `alignment` bytes before the fence. Its bytes differ from fence to
// fence: a result that is made of bytes that nothing wrote differs, too.
std::byte *take_fenced(size_t bytes, size_t alignment);

// What touches the block from now on is found as well.
void give_back_fenced(void *begin);

}  // namespace tilewright
