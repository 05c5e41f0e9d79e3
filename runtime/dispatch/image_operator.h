#pragma once
// A front for operators from one image to another of the same type and shape. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright {

struct ImageRequest : Request {};

// The form of an operator from one image to another: libraries whose arguments are `image` and `output`, rows
// of elements.
class ImageForm : public FormOf<ImageRequest> {
public:
    using FormOf::FormOf;

protected:
    void bind(Launch &launch, const Row &row, const ImageRequest &request, Array &output) const override;
};

// As it is: one row of the table per element type ("u8", "f32" ...), of one form. An operator that differs
// derives from it and overrides what differs, or derives from OperatorOf.
class ImageOperator : public OperatorOf<ImageRequest> {
public:
    // What an output element depends on. Of a colour image a library sees rows of w * c elements, in which
    // the neighbours of an element are other channels. So only a `pointwise` operator, whose output element
    // depends on the input element at the same place alone, takes (h, w, c). `window` is any other operator:
    // it takes (h, w) and refuses colour.
    enum class Kind { window, pointwise };

    ImageOperator(std::string name, std::string summary, const std::vector<Row> &rows,
        std::vector<const Form *> forms, Kind kind = Kind::window)
        : OperatorOf({.name = std::move(name), .summary = std::move(summary)}, rows, std::move(forms)),
          kind_(kind) {}

    bool treats_alpha_as_colour() const override {
        return kind_ == Kind::pointwise;
    }

protected:
    ImageRequest read(std::span<const Array> inputs, const Settings &settings) const override;

private:
    std::optional<int64_t> halo_of(const Settings &, double) const override {
        return kind_ == Kind::pointwise ? std::optional<int64_t>(0) : std::nullopt;
    }

    Kind kind_;
};

}  // namespace tilewright
