#pragma once
#include "tilewright/array.h"
#include "tilewright/error.h"
#include "tilewright/variant.h"
#include <optional>
#include <span>
#include <string>
#include <vector>

// For the functions that tilewright_add_pipeline makes: they hand their arrays over here. Programs call those
// functions.
namespace [[gnu::visibility("default")]] tilewright {

// Runs a library whose arguments are its inputs and then its output, images and vectors all of them. (h, w,
// c) goes as x, y, c, or where the library takes two dimensions as rows of w * c elements. Device work may
// still be under way afterwards. Errors: input, for arrays of other types or dimensions than the library's;
// memory, device or failed, with Halide's message.
void run_generated(const Variant &variant, Device device, std::span<const Array> inputs, Array &output);

// A variant of a pipeline that was made ahead of time.
Variant generated_variant(const std::string &name, const std::string &schedule, const std::string &type,
    Backend backend, int (*entry)(void **), const halide_filter_metadata_t *(*metadata)(),
    Variant::Needs needs = {});

// A pipeline: what it takes and gives, and its libraries, each with the sizes that it serves. The first that
// serves is taken.
struct GeneratedPipeline {
    // A library, and the sizes of images that it serves.
    struct Library {
        Variant variant;                                             // its name, backend and entry
        int64_t least_width, least_height, most_width, most_height;  // in pixels
    };
    std::string name, stages;    // of the function, and as the project wrote them
    Type input;                  // of the image, and of the result
    int channels;                // of the image
    Type output;                 // of the result
    bool is_vector, transposed;  // transposed: the output's rows, or a vector's elements, stand for the other
                                 // axis of the input
    std::vector<Library> libraries;
};

// Checks everything, makes `output` if it is empty, and runs the library. Without a device: the best one that
// it was made for. Errors: input (type, shape, size), usage (output shares memory with the input), device
// (none, or not made for it), memory.
void run_generated(
    const GeneratedPipeline &pipeline, const Array &input, Array &output, std::optional<Device> device);

}  // namespace tilewright
