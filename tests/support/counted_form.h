#pragma once
#include "runtime/dispatch/image_operator.h"

namespace tilewright {

// A form whose plans are counted.
struct CountedForm final : ImageForm {
    using ImageForm::ImageForm;
    static inline int planned = 0;

    void bind(
        Launch &launch, const Variant &variant, const ImageRequest &request, Array &output) const override {
        planned++;
        ImageForm::bind(launch, variant, request, output);
    }
};

}  // namespace tilewright
