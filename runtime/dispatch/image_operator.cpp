#include "runtime/dispatch/image_operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

ImageRequest ImageOperator::read(std::span<const Array> inputs, const Settings &) const {
    const Array &image = inputs[0];
    const std::string type = name_of(image.type());
    const bool known =
        std::any_of(rows().begin(), rows().end(), [&](const Row &row) { return row.type == type; });
    const bool pointwise = kind_ == Kind::pointwise;
    if (!known || image.dimensions() < 2 || (!pointwise && image.dimensions() != 2)) {
        std::vector<std::string> types;
        for (const Row &row : rows()) {
            if (std::find(types.begin(), types.end(), row.type) == types.end()) {
                types.push_back(row.type);
            }
        }
        refuse(Fault::input,
            fmt::format("takes an image {} of {}{}",
                pointwise ? "(h, w) or (h, w, c)" : "of one channel, (h, w),", fmt::join(types, ", "),
                pointwise ? "" : "; of a colour image, give it each channel alone"),
            "image", image.describe());
    }
    ImageRequest request;
    request.type = type;
    request.output_type = image.type();
    request.output_shape = image.shape();
    return request;
}

void ImageForm::bind(Launch &launch, const Row &, const ImageRequest &request, Array &output) const {
    const Array &image = request.inputs[0];
    launch.in("image", image, rows_of(image)).out("output", output, rows_of(output));
}

}  // namespace tilewright
