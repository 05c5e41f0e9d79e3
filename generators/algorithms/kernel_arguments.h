#pragma once
// How a GPU library describes the arguments of a kernel to the runtime: a text with a character per argument.
namespace tilewright {

// What is added to the bytes of an argument that is the address of an array.
constexpr unsigned char argument_is_array = 128;

// A kernel with more arguments is described as Halide does it. Drivers take at most 4 KB of arguments.
constexpr int most_described_arguments = 1024;

}  // namespace tilewright
