#pragma once
// What a call of fresnel asks for: shared by its front and its workload. Not installed.
#include "runtime/operators/fields.h"
#include "runtime/operators/fresnel/optics.h"
#include <optional>

namespace tilewright {

struct FresnelRequest : FieldRequest {
    int64_t side = 0;  // of the inputs and the output, without zeros around them
    Propagation propagation = {};
    FresnelSampling sampling = {};
    // The intensity that becomes the largest integer of an image; unset: the largest one of the output.
    std::optional<double> full_scale = {};
};

}  // namespace tilewright
