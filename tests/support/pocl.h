#pragma once

namespace tilewright {

// Tells PoCL's compiler, where PoCL is loaded, to leave out what only makes kernels faster: it unrolls and
// vectorizes nothing, simplifies once, and orders no instructions. Most of the time that tests take on PoCL
// is spent on compiling kernels that run for milliseconds.
void compile_quickly_on_pocl();

}  // namespace tilewright
