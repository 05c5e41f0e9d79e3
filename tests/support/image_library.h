#pragma once
// What Halide says of a library from one u8 image to another, for libraries that tests write by hand.
#include <HalideRuntime.h>

namespace tilewright {

inline const halide_filter_metadata_t *image_to_image() {
    static const halide_filter_argument_t arguments[] = {
        {"image", halide_argument_kind_input_buffer, 2, halide_type_t(halide_type_uint, 8), nullptr, nullptr,
            nullptr, nullptr, nullptr},
        {"output", halide_argument_kind_output_buffer, 2, halide_type_t(halide_type_uint, 8), nullptr,
            nullptr, nullptr, nullptr, nullptr},
    };
    static const halide_filter_metadata_t metadata = {
        halide_filter_metadata_t::VERSION, 2, arguments, "", "by hand"};
    return &metadata;
}

}  // namespace tilewright
