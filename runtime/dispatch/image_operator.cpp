#include "runtime/dispatch/image_operator.h"
#include "generators/algorithms/image_configuration.h"
#include "runtime/arrays/channels.h"
#include "tilewright/alpha.h"
#include <algorithm>

namespace tilewright {

namespace {

// Of the table's types those that arrays have, each once.
std::vector<Type> types_of(const std::vector<Variant> &variants) {
    std::vector<Type> types;
    for (const Type type : all_types) {
        if (std::any_of(variants.begin(), variants.end(),
                [&](const Variant &variant) { return variant.type == name_of(type); })) {
            types.push_back(type);
        }
    }
    return types;
}

bool is_aligned(const Array &image, int64_t bytes) {
    return image.offset_bytes() % bytes == 0 &&
           image.strides()[0] * (int64_t)size_of(image.type()) % bytes == 0;
}

bool are_split(const OperatorOf<ImageRequest> &op, const Array &image) {
    return op.has_separate_channels() && image.dimensions() == 3;
}

// The same for a channel of the image.
ImageRequest with_input(ImageRequest request, const Array &channel) {
    request.inputs = {channel};
    request.output_shape = channel.shape();
    return request;
}

}  // namespace

// Alignment is no range of a number of the call, so that it is no condition of the variant.
bool ImageForm::serves(const Variant &variant, const ImageRequest &request, const Array &output) const {
    const int alignment = variant.configuration<ImageConfiguration>().alignment;
    return is_aligned(request.inputs[0], alignment) && is_aligned(output, alignment);
}

void ImageForm::bind(Launch &launch, const Variant &, const ImageRequest &request, Array &output) const {
    const Array &image = request.inputs[0];
    launch.in("image", image, rows_of(image)).out("output", output, rows_of(output));
}

Plan ImageForm::plan(const OperatorOf<ImageRequest> &op, const Variant &variant, Device device,
    const ImageRequest &request, Array &output) const {
    const Array &image = request.inputs[0];
    if (!are_split(op, image)) {
        return FormOf::plan(op, variant, device, request, output);
    }
    // Libraries take images whose neighbours along x are neighbours in memory (Halide's stride of 1).
    std::vector<Array> channels = empty_channels_of(image), outputs = empty_channels_of(image);
    Plan plan;
    plan.host([image, channels]() mutable { split_channels(image, channels); });
    for (size_t c = 0; c < channels.size(); c++) {
        plan.append(FormOf::plan(op, variant, device, with_input(request, channels[c]), outputs[c]));
    }
    plan.host([outputs, output]() mutable { join_channels(outputs, output); });
    return plan;
}

ImageOperator::ImageOperator(std::string name, std::string summary, const std::vector<Variant> &variants,
    std::vector<const Form *> forms, Kind kind)
    : OperatorOf({.name = std::move(name),
                     .summary = std::move(summary),
                     .inputs = {{.types = types_of(variants)}},
                     .has_separate_channels = kind != Kind::pointwise},
          variants, std::move(forms)),
      kind_(kind == Kind::average && inputs()[0].takes(Type::u8) && !inputs()[0].takes(Type::u16) ?
                Kind::window :
                kind) {}

Array ImageOperator::premultiplied(const Array &image) const {
    return kind_ == Kind::average ? premultiply(image) : image;
}

Array ImageOperator::unpremultiplied(const Array &image, Type type) const {
    return kind_ == Kind::average ? unpremultiply(image, type) : image;
}

bool ImageOperator::form_serves(
    const Variant &variant, const ImageRequest &request, const Array &output) const {
    const Array &image = request.inputs[0];
    if (!are_split(*this, image)) {
        return OperatorOf::form_serves(variant, request, output);
    }
    const Array channel = Array::uninitialized(image.type(), {image.shape()[0], image.shape()[1]});
    return OperatorOf::form_serves(variant, with_input(request, channel), channel);
}

ImageRequest ImageOperator::read(std::span<const Array> inputs, const Settings &) const {
    ImageRequest request;
    request.type = name_of(inputs[0].type());
    request.output_type = inputs[0].type();
    request.output_shape = inputs[0].shape();
    return request;
}

}  // namespace tilewright
