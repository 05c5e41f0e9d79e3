#include "runtime/dispatch/parts.h"
#include "generators/algorithms/integers.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <utility>

namespace tilewright {

int64_t pitch_in_bytes(Type type, const std::vector<int64_t> &shape) {
    if (shape.size() == 1) {
        return (int64_t)size_of(type);
    }
    const int64_t channels = shape.size() == 3 ? shape[2] : 1;
    return (int64_t)padded_bytes(size_of(type) * (size_t)(channels * shape[1]));
}

alignas(64) static constexpr std::byte nowhere[64] = {};

Array without_memory(Type type, const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides;
    if (shape.size() > 1) {
        strides = {pitch_in_bytes(type, shape) / (int64_t)size_of(type)};
        if (shape.size() == 3) {
            strides.push_back(shape[2]);
        }
        strides.push_back(1);
    }
    return Array::view(type, static_cast<const void *>(nowhere), shape, std::move(strides));
}

Array rows_as_image(const Array &image) {
    const std::vector<int64_t> &shape = image.shape();
    return Array::view(image.type(), static_cast<const void *>(nowhere), {shape[0], shape[1] * shape[2]},
        {image.strides()[0], 1})
        .moved_to(image, image.offset_bytes());
}

int64_t rows_addressed(const Request &request) {
    const Array &image = request.inputs[0];
    const std::vector<int64_t> &made = request.output_shape;
    const int64_t row = image.dimensions() > 1 && image.shape()[0] > 1 ?
                            image.strides()[0] * (int64_t)size_of(image.type()) :
                            1,
                  of_output = made.size() > 1 ? pitch_in_bytes(request.output_type, made) : 1;
    return most_bytes / std::max(row, of_output);
}

Array in_own_storage(const Array &part, Device device) {
    const int64_t row = part.size() / part.shape()[0];
    if (device.backend == Backend::cuda && part.newest_on() == device) {
        return Array::wrap(
            part.type(), device, part.device_memory(), part.shape(), part.strides(), part.storage());
    }
    if (part.shape()[0] > 1 && part.strides()[0] > 2 * row + 64) {
        return part.clone();
    }
    std::vector<int64_t> strides = part.strides();
    if (part.shape()[0] == 1) {  // a single row need not be as far from the next one
        strides[0] = std::min<int64_t>(strides[0], round_up(row, 64));
    }
    return Array::view(part.type(), part.data(), part.shape(), std::move(strides));
}

Array part_of(const Array &array, int64_t first, int64_t n) {
    if (array.dimensions() > 1) {
        return array.crop(first, 0, n, array.shape()[1]);
    }
    const auto bytes = (int64_t)size_of(array.type());
    return without_memory(array.type(), {n}).moved_to(array, array.offset_bytes() + first * bytes);
}

std::optional<Request::Parts> Operator::parts_of(const Request &request, int64_t most) const {
    if (request.inputs.size() > 1 || (bands() != Bands::rows && bands() != Bands::halo)) {
        return {};
    }
    const double error = error_of_parts(request.inputs[0]);
    const std::optional<int64_t> halo = bands() == Bands::rows ? 0 : halo_of(request.settings, error);
    if (!halo || most <= 2 * *halo) {
        return {};
    }
    const int64_t h = request.inputs[0].shape()[0], parts = ceil_div(h, most - 2 * *halo);
    return Request::Parts{ceil_div(h, parts), *halo};
}

// A variant is asked with a part that is as large as any: one in the middle has a halo on both sides.
bool Operator::serves_parts(const Variant &variant, const Request &request) const {
    const Array &image = request.inputs[0];
    const int64_t h = std::min(image.shape()[0], request.parts->rows + 2 * request.parts->halo);
    const Array part = image.crop(0, 0, h, image.shape()[1]);
    const auto of_part = parse({&part, 1}, request.settings);
    return serves(variant, *of_part, without_memory(of_part->output_type, of_part->output_shape));
}

Plan Operator::plan_of_part(const Variant &variant, Device device, std::vector<Array> inputs,
    const Settings &settings, int64_t first, Array to) const {
    for (Array &input : inputs) {
        input = in_own_storage(input, device);
    }
    const auto request = parse(inputs, settings);
    Array result = Array::uninitialized(request->output_type, request->output_shape);
    const Variant &served =
        serves(variant, *request, result) ? variant : choose(*request, result, "tuned", device);
    Plan plan = this->plan(served, device, *request, result);
    Array rows = part_of(result, first, to.shape()[0]);
    plan.host([rows = std::move(rows), to = std::move(to), device]() mutable {
        if (to.is_wrapped() && device.backend == Backend::cuda) {
            to = in_own_storage(to, device);
        }
        copy(rows, to);
    });
    return plan;
}

Plan Operator::plan_of_parts(const Variant &variant, Device device, const Request &request,
    const Request::Parts &parts, Array &output) const {
    const Array &image = request.inputs[0];
    Plan plan;
    for (int64_t h = image.shape()[0], y = 0; y < h; y += parts.rows) {
        const int64_t n = std::min(parts.rows, h - y), begin = std::max<int64_t>(0, y - parts.halo),
                      end = std::min(h, y + n + parts.halo);
        plan.then([=, this, &variant, settings = request.settings, part = part_of(image, begin, end - begin),
                      to = part_of(output, y,
                          n)] { return plan_of_part(variant, device, {part}, settings, y - begin, to); },
            {&variant});
    }
    return plan;
}

}  // namespace tilewright
