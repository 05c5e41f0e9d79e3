#pragma once
#include "tilewright/operator.h"
#include <memory>
#include <span>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

// For the functions that tilewright_add_pipeline makes: they hand their arrays over here. Programs call those
// functions.
namespace tilewright {

// Runs a library whose arguments are its inputs and then its output, images and vectors all of them. (h, w,
// c) goes as x, y, c, or where the library takes two dimensions as rows of w * c elements. Device work may
// still be under way afterwards. Errors: input, for arrays of other types or dimensions than the library's;
// memory, device or failed, with Halide's message.
void run_generated(const Variant &variant, Device device, std::span<const Array> inputs, Array &output);

// A library of a pipeline that was made ahead of time. `conditions`: the sizes of images that it serves.
Variant generated_variant(const std::string &name, const std::string &schedule, const std::string &type,
    Backend backend, int (*entry)(void **), const halide_filter_metadata_t *(*metadata)(),
    Variant::Needs needs = {}, std::vector<Variant::Condition> conditions = {});

// A pipeline: what it takes and gives, and its libraries. The first that serves an image is taken.
struct GeneratedPipeline {
    std::string name, stages, type;  // of the function; and as the project wrote them
    Type input;                      // of the image, and of the result
    int64_t channels;                // of the image
    Type output;                     // of the result
    bool is_vector, transposed;      // transposed: the output's rows, or a vector's elements, stand for the
                                     // other axis of the input
    std::vector<Variant> libraries;
};

// The pipeline as an operator, with all that calls of operators have. Errors of a call: those of every
// operator; input, for integers whose sums could pass 2^32 - 1.
std::unique_ptr<const Operator> generated_operator(GeneratedPipeline pipeline);

}  // namespace tilewright
#pragma GCC visibility pop
