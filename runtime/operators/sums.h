#pragma once
// What the fronts of column_sum and row_sum share. Not installed.
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"

namespace tilewright {

// How an image is placed in the words of its storage, in bytes.
struct Placement {
    int32_t offset, stride, width, height;
    int32_t element;  // bytes of one

    explicit Placement(const Array &image)
        : offset((int32_t)image.offset_bytes()),
          stride((int32_t)(image.strides()[0] * (int64_t)size_of(image.type()))),
          width((int32_t)image.shape()[1]), height((int32_t)image.shape()[0]),
          element((int32_t)size_of(image.type())) {}
};

// The bytes of an image's element, of the row's type: "u8", "u16f32".
inline int element_bytes(const Row &row) {
    return row.type.starts_with("u8") ? 1 : row.type.starts_with("u16") ? 2 : 4;
}

struct SumRequest : Request {
    const Array &image() const {
        return inputs[0];
    }
};

class SumOperator : public OperatorOf<SumRequest> {
public:
    // `kept_axis` of (h, w): the one that the sums run over is the other.
    SumOperator(std::string name, std::string summary, const std::vector<Row> &rows, size_t kept_axis)
        : OperatorOf({.name = std::move(name),
                         .summary = std::move(summary),
                         .options = {{.name = "output-type",
                             .help = "Type of the sums: u32 or f32 for integer images (u32 is the default), "
                                     "f32 for f32 images",
                             .choices = {"u32", "f32"}}}},
              rows),
          kept_axis_(kept_axis) {}

    // The public functions.
    void call(const Array &image, Array &sums, const Call &how) const {
        Settings settings;
        if (!sums.empty()) {
            settings.set("output-type", std::string(name_of(sums.type())));
        }
        (*this)(std::span(&image, 1), sums, settings, how);
    }
    Array call(const Array &image, Type output, const Call &how) const {
        Array sums;
        (*this)(std::span(&image, 1), sums, {{"output-type", std::string(name_of(output))}}, how);
        return sums;
    }

protected:
    SumRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        if (image.dimensions() != 2) {
            refuse(Fault::input,
                image.dimensions() == 3 ?
                    "takes an image of shape (h, w); add up or pick a channel first" :
                    "takes an image of shape (h, w); give a vector the shape (1, n) or (n, 1)",
                "input", image.describe());
        }
        if (image.type() != Type::u8 && image.type() != Type::u16 && image.type() != Type::f32) {
            refuse(Fault::input, "takes u8, u16 or f32; convert it first", "input", image.describe());
        }
        const std::string element = name_of(image.type()), output = settings.text("output-type", "");
        if (image.type() == Type::f32 && output == "u32") {
            refuse(Fault::usage, "sums of an f32 image are f32; leave it out", "output-type", output);
        }
        const bool is_float = image.type() == Type::f32 || output == "f32";
        SumRequest request;
        request.type = is_float && image.type() != Type::f32 ? element + "f32" : element;
        request.output_type = is_float ? Type::f32 : Type::u32;
        request.output_shape = {image.shape()[kept_axis_]};
        return request;
    }

    // Rows that an autoscheduler made move their last vector or block of sums inwards: there must be that
    // many.
    bool enough_for_autoscheduler(const Row &row, const SumRequest &request) const {
        constexpr int64_t widest_block = 64;
        return row.autoscheduler.empty() || request.image().shape()[kept_axis_] >= widest_block;
    }

private:
    size_t kept_axis_;
};

}  // namespace tilewright
