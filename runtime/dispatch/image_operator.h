#pragma once
// A front for operators from one image to another of the same type and shape. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright {

// As it is: rows of the table per element type ("u8", "f32" ...), libraries whose arguments are `image` and
// `output`, rows of elements. A row may ask for an alignment of both (ImageConfiguration). An operator that
// differs derives from it and overrides what differs, or derives from OperatorOf.
class ImageOperator : public OperatorOf<Request> {
public:
    // What an output element depends on. Of a colour image a library sees rows of w * c elements, in which
    // the neighbours of an element are other channels. So only a `pointwise` operator, whose output element
    // depends on the input element at the same place alone, takes (h, w, c). `window` is any other operator:
    // it takes (h, w) and refuses colour.
    enum class Kind { window, pointwise };

    ImageOperator(
        std::string name, std::string summary, const std::vector<Row> &rows, Kind kind = Kind::window)
        : OperatorOf({.name = std::move(name), .summary = std::move(summary)}, rows), kind_(kind) {}

    bool treats_alpha_as_colour() const override {
        return kind_ == Kind::pointwise;
    }

protected:
    Request read(std::span<const Array> inputs, const Settings &settings) const override;
    bool accepts_request(const Row &row, const Request &request, const Array &output) const override;
    Plan plan(const Row &row, Device device, const Request &request, Array &output) const override;

private:
    std::optional<int64_t> halo_of(const Settings &, double) const override {
        return kind_ == Kind::pointwise ? std::optional<int64_t>(0) : std::nullopt;
    }

    Kind kind_;
};

}  // namespace tilewright
