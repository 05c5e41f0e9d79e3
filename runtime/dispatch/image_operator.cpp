#include "runtime/dispatch/image_operator.h"
#include "generators/algorithms/image_configuration.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

namespace {

bool is_aligned(const Array &image, int64_t bytes) {
    return image.offset_bytes() % bytes == 0 &&
           image.strides()[0] * (int64_t)size_of(image.type()) % bytes == 0;
}

}  // namespace

Request ImageOperator::read(std::span<const Array> inputs, const Settings &) const {
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
    Request request;
    request.type = type;
    request.output_type = image.type();
    request.output_shape = image.shape();
    return request;
}

bool ImageOperator::accepts_request(const Row &row, const Request &request, const Array &output) const {
    const int alignment = row.configuration<ImageConfiguration>().alignment;
    return is_aligned(request.inputs[0], alignment) && is_aligned(output, alignment);
}

Plan ImageOperator::plan(const Row &row, Device device, const Request &request, Array &output) const {
    Plan plan;
    const Array &image = request.inputs[0];
    plan.launch(row, device).in("image", image, rows_of(image)).out("output", output, rows_of(output));
    return plan;
}

}  // namespace tilewright
