#pragma once
// How the arguments of a library of Halide become arrays and settings, by its metadata.
#include "runtime/dispatch/steps/views.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright::app {

// The setting that says the extents of the output: "4096x2048x3", the innermost one first.
constexpr const char *output_size = "output-size";

// "u16", "i16", "bool": a type of Halide.
std::string type_name(halide_type_t type);

// The type of the arrays that hold a buffer: integers that Type does not have are held as unsigned ones of
// their size. Errors: usage, for a type that arrays cannot hold.
Type array_type(const halide_filter_argument_t &argument);

// The only output. Errors: usage, where there are several.
const halide_filter_argument_t &only_output(const halide_filter_metadata_t &metadata);

// Buffers are inputs; numbers are options, with the ranges of the metadata, and with the values that
// `settings` give them ("strength=2"), or else those that the metadata has. Errors: usage, for arguments that
// are not taken here, and settings that the library does not have.
Description description_of(const std::string &name, const halide_filter_metadata_t &metadata,
    const std::vector<std::string> &settings);

// The bytes of a number of that type, in the first ones of the result.
uint64_t bytes_of(halide_type_t type, double number);

// The extents in "4096x2048x3"; those that it does not name are 1.
std::vector<int64_t> extents_of(const std::string &size, size_t dimensions);

// An array has the buffer's dimensions in the order of their strides, the outermost one first; from the third
// one on, the outer ones are one axis.
std::vector<int64_t> shape_of(const std::vector<View::Dim> &dims);
View view_of(const Array &array, halide_type_t type, const std::vector<View::Dim> &dims);

// An input with random elements. Those of f32 are from 0 to 1, as in pictures: generators divide by them.
Array random_input(
    const halide_filter_argument_t &argument, const std::vector<int64_t> &shape, uint64_t seed);

// The extents of a picture (h, w, c) as those of x, y, c.
std::vector<int64_t> picture_extents(const Array &picture, size_t dimensions);

// A picture (h, w, c) as an array for a buffer with these dimensions.
Array in_order_of(std::vector<View::Dim> dims, const Array &picture);

}  // namespace tilewright::app
