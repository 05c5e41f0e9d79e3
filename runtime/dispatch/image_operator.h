#pragma once
// A front for operators from one image to another of the same type and shape. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright {

struct ImageRequest : Request {};

// The form of an operator from one image to another: libraries whose arguments are `image` and `output`, rows
// of elements. Where the operator has separate channels, the library runs once per channel. A variant may ask
// for an alignment of both images (ImageConfiguration).
class ImageForm : public FormOf<ImageRequest> {
public:
    using FormOf::FormOf;

    bool serves(const Variant &variant, const ImageRequest &request, const Array &output) const override;
    Plan plan(const OperatorOf<ImageRequest> &op, const Variant &variant, Device device,
        const ImageRequest &request, Array &output) const override;

protected:
    void bind(
        Launch &launch, const Variant &variant, const ImageRequest &request, Array &output) const override;
};

// As it is: one variant of the table per element type ("u8", "f32" ...), of one form. An operator that
// differs derives from it and overrides what differs, or derives from OperatorOf.
class ImageOperator : public OperatorOf<ImageRequest> {
public:
    // What an output element depends on. `pointwise`: on the input element at the same place alone; then a
    // library sees a colour image as rows of w * c elements. `window`: on others too; then each channel
    // of a colour image is an image (h, w) for the library. Its colours are computed as they are, and the
    // result has the alpha of the image. `average`: a window whose weights have the sum 1, as those of a
    // blur; then alpha is computed as colours are, and these are multiplied by alpha before, and divided by
    // it after the call. Of u8 that takes variants of u16 too, which then compute it; without them it is as
    // `window`.
    enum class Kind { window, pointwise, average };

    ImageOperator(std::string name, std::string summary, const std::vector<Variant> &variants,
        std::vector<const Form *> forms, Kind kind = Kind::window);

    bool treats_alpha_as_colour() const override {
        return kind_ != Kind::average;
    }
    Array premultiplied(const Array &image) const override;
    Array unpremultiplied(const Array &image, Type type) const override;

protected:
    ImageRequest read(std::span<const Array> inputs, const Settings &settings) const override;
    // Of an image with separate channels, the form is asked with the array of a channel.
    bool form_serves(const Variant &variant, const ImageRequest &request, const Array &output) const override;

private:
    std::optional<int64_t> halo_of(const Settings &, double) const override {
        return kind_ == Kind::pointwise ? std::optional<int64_t>(0) : std::nullopt;
    }

    Kind kind_;
};

}  // namespace tilewright
