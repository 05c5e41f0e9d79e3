#pragma once
// What the fronts of column_sum and row_sum share. Not installed.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/most_terms.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"
#include <fmt/format.h>

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
    size_t summed_axis = 0;
    int64_t parts = 1;             // into which the image is cut, so that u32 holds the sums of each
    bool is_made_on_host = false;  // the rows' sums are u32; the host adds those of the parts, and converts

    const Array &image() const {
        return inputs[0];
    }
    Array part(int64_t i) const {
        if (parts == 1) {
            return image();
        }
        const int64_t h = image().shape()[0], w = image().shape()[1], all = image().shape()[summed_axis],
                      begin = all * i / parts, extent = all * (i + 1) / parts - begin;
        return summed_axis == 0 ? image().crop(begin, 0, extent, w) : image().crop(0, begin, h, extent);
    }
};

class SumOperator : public OperatorOf<SumRequest> {
public:
    // `kept_axis` of (h, w): the one that the sums run over is the other.
    SumOperator(std::string name, std::string summary, const std::vector<Row> &rows, size_t kept_axis)
        : OperatorOf({.name = std::move(name),
                         .summary = std::move(summary),
                         .inputs = {{.types = {Type::u8, Type::u16, Type::f32}, .axes = Axes::image}},
                         .makes = Makes::vector,
                         .options = {{.name = "output-type",
                             .help = "Type of the sums of an integer image: u32 (the default), which is "
                                     "refused where a sum could pass 2^32 - 1; u64 and f64, which hold every "
                                     "sum; f32, the exact sum rounded. Those of an f32 image are f32",
                             .choices = {"u32", "u64", "f32", "f64"}}}},
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
        const std::string element = name_of(image.type()), output = settings.text("output-type", "");
        SumRequest request;
        request.summed_axis = 1 - kept_axis_;
        request.output_shape = {image.shape()[kept_axis_]};
        if (image.type() == Type::f32) {
            if (!output.empty() && output != "f32") {
                refuse(Fault::usage, "sums of an f32 image are f32; leave it out", "output-type", output);
            }
            request.type = element;
            request.output_type = Type::f32;
            return request;
        }
        const int64_t extent = image.shape()[request.summed_axis],
                      most = most_terms((int64_t)size_of(image.type()));
        request.parts = ceil_div(extent, most);
        if (request.parts > 1 && (output.empty() || output == "u32")) {
            refuse(Fault::input,
                fmt::format(
                    "sums of {} {} numbers can pass 2^32 - 1 (of up to {} they cannot); take u64 or f64, "
                    "which hold them, or f32, the exact sum rounded",
                    extent, element, most),
                "output-type", "u32");
        }
        request.output_type = type_of_output(output);
        const bool rows_convert = request.output_type == Type::f32 && request.parts == 1;
        request.type = rows_convert ? element + "f32" : element;
        request.is_made_on_host = request.output_type != Type::u32 && !rows_convert;
        return request;
    }

    bool accepts_request(const Row &row, const SumRequest &request, const Array &) const final {
        for (int64_t i = 0; i < request.parts; i++) {
            if (!accepts_image(row, request.part(i))) {
                return false;
            }
        }
        // Rows that an autoscheduler made move their last vector or block of sums inwards: there must be that
        // many.
        constexpr int64_t widest_block = 64;
        return row.autoscheduler.empty() || request.image().shape()[kept_axis_] >= widest_block;
    }

    Plan plan(const Row &row, Device device, const SumRequest &request, Array &sums) const final {
        Plan plan;
        if (!request.is_made_on_host) {
            bind(plan.launch(row, device), row, request.image()).out("sums", sums);
            return plan;
        }
        std::vector<Array> of_parts;
        for (int64_t i = 0; i < request.parts; i++) {
            of_parts.push_back(Array::uninitialized(Type::u32, request.output_shape));
            bind(plan.launch(row, device), row, request.part(i)).out("sums", of_parts.back());
        }
        plan.host([of_parts, sums]() mutable { add_parts(of_parts, sums); });
        return plan;
    }

    // Whether a row of the image's type can run on an image, and its inputs there.
    virtual bool accepts_image(const Row &row, const Array &image) const = 0;
    virtual Launch &bind(Launch &launch, const Row &row, const Array &image) const = 0;

private:
    static Type type_of_output(const std::string &word) {
        return word == "u64" ? Type::u64 : word == "f64" ? Type::f64 : word == "f32" ? Type::f32 : Type::u32;
    }

    // Adds the sums of the parts in u64, which holds them, and rounds them once.
    static void add_parts(const std::vector<Array> &parts, Array &sums) {
        Array made = sums.is_wrapped() ? Array::uninitialized(sums.type(), sums.shape()) : sums;
        switch (sums.type()) {
        case Type::u64: add_parts(parts, made.as<uint64_t>()); break;
        case Type::f64: add_parts(parts, made.as<double>()); break;
        default: add_parts(parts, made.as<float>());
        }
        if (sums.is_wrapped()) {
            copy(made, sums);
        }
    }

    template<typename T>
    static void add_parts(const std::vector<Array> &parts, T *sums) {
        std::vector<const uint32_t *> of_parts;
        for (const Array &part : parts) {
            of_parts.push_back(part.as<uint32_t>());
        }
        for (int64_t i = 0; i < parts.front().size(); i++) {
            uint64_t sum = 0;
            for (const uint32_t *of_part : of_parts) {
                sum += of_part[i];
            }
            sums[i] = (T)sum;
        }
    }

    size_t kept_axis_;
};

}  // namespace tilewright
