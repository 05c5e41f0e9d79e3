#pragma once
// A front for operators from one image to another of the same type and shape. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright {

// As it is: one row of the table per element type ("u8", "f32" ...), libraries whose arguments are `image`
// and `output`, rows of elements. An operator that differs derives from it and overrides what differs, or
// derives from OperatorOf.
class ImageOperator : public OperatorOf<Request> {
public:
    // What an output element depends on. `pointwise`: on the input element at the same place alone; then a
    // library sees a colour image as rows of w * c elements. `window`: on others too; then each channel of a
    // colour image is an image (h, w) for the library. Its colours are computed as they are, and the result
    // has the alpha of the image. `average`: a window whose weights have the sum 1, as those of a blur; then
    // alpha is computed as colours are, and these are multiplied by alpha before, and divided by it after
    // the call. Of u8 that takes rows of u16 too, which then compute it; without them it is as `window`.
    enum class Kind { window, pointwise, average };

    ImageOperator(
        std::string name, std::string summary, const std::vector<Row> &rows, Kind kind = Kind::window);

    bool treats_alpha_as_colour() const override {
        return kind_ != Kind::average;
    }
    Array premultiplied(const Array &image) const override;
    Array unpremultiplied(const Array &image, Type type) const override;

protected:
    Request read(std::span<const Array> inputs, const Settings &settings) const override;
    Plan plan(const Row &row, Device device, const Request &request, Array &output) const override;

private:
    std::optional<int64_t> halo_of(const Settings &, double) const override {
        return kind_ == Kind::pointwise ? std::optional<int64_t>(0) : std::nullopt;
    }

    Kind kind_;
};

}  // namespace tilewright
