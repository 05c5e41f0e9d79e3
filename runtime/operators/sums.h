#pragma once
// What the fronts of column_sum and row_sum share. Not installed.
#include "generators/algorithms/integers.h"
#include "generators/algorithms/sums/most_terms.h"
#include "runtime/arrays/channels.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/operator_of.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

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

// The types of the tables: of an image's elements, and of its sums.
struct SumTypes {
    std::string_view name;
    Type element, sums;
};
constexpr SumTypes sum_types[] = {{"u8", Type::u8, Type::u32}, {"u16", Type::u16, Type::u32},
    {"f32", Type::f32, Type::f32}, {"u8f32", Type::u8, Type::f32}, {"u16f32", Type::u16, Type::f32},
    {"f64", Type::f64, Type::f64}, {"f16", Type::f16, Type::f32}, {"bf16", Type::bf16, Type::f32}};

// The bytes of an element of the images that a variant takes.
inline int element_bytes(const Variant &variant) {
    return (int)size_of(std::ranges::find(sum_types, variant.type, &SumTypes::name)->element);
}

struct SumRequest : Request {
    // Empty where a variant's library makes the output. Otherwise the image, cut so that u32 holds the sums
    // of each part (of integers), and a library addresses it: the host adds these and converts them.
    std::vector<SumRequest> summands;

    const Array &image() const {
        return inputs[0];
    }
};

// Of integers a library makes sums in words of 32 bits, and is told whether these are floats.
inline void bind_sums(Launch &launch, const SumRequest &request, Array &sums) {
    View view = image(sums);
    if (const Type element = request.image().type(); element == Type::u8 || element == Type::u16) {
        launch.value("as_floats", (int32_t)(sums.type() == Type::f32));
        view.type = halide_type(Type::u32);
    }
    launch.out("sums", sums, std::move(view));
}

using SumForm = FormOf<SumRequest>;

// Binds the arguments of libraries that take `image` as it is.
inline void bind_image_and_sums(Launch &launch, const Variant &, const SumRequest &request, Array &sums) {
    bind_sums(launch.in("image", request.image()), request, sums);
}

// Whether there is a group of `lanes` elements of a row.
inline bool has_group(const Variant &variant, const SumRequest &request, const Array &) {
    return Placement(request.image()).width >= variant.tunable("lanes");
}

class SumOperator : public OperatorOf<SumRequest> {
public:
    // `kept_axis` of (h, w): the one that the sums run over is the other.
    SumOperator(std::string name, std::string summary, const std::vector<Variant> &variants,
        std::vector<const Form *> forms, size_t kept_axis)
        : OperatorOf(
              {.name = std::move(name),
                  .summary = std::move(summary),
                  .inputs = {{.types = {Type::u8, Type::u16, Type::f32, Type::f64, Type::f16, Type::bf16},
                      .axes = Axes::image_or_channels}},
                  .makes = Makes::vector,
                  .options = {{.name = "output-type",
                      .help = "Type of the sums of an integer image: u32 (the default), which is "
                              "refused where a sum could pass 2^32 - 1; u64 and f64, which hold every "
                              "sum; f32, the exact sum rounded. Those of floats are f32, and of f64 "
                              "they are f64",
                      .choices = {"u32", "u64", "f32", "f64"}}},
                  .bands = kept_axis == 0 ? Bands::rows : Bands::sums},
              variants, std::move(forms)),
          kept_axis_(kept_axis) {}

    Plan plan(const Variant &variant, Device device, const SumRequest &request, Array &sums) const final {
        if (request.image().dimensions() == 3) {
            return are_together(request.image()) ? plan_of_elements(variant, device, request, sums) :
                                                   plan_of_channels(variant, device, request, sums);
        }
        if (request.summands.empty()) {
            return plan_of_library(variant, device, request, sums);
        }
        Plan plan;
        std::vector<Array> of_parts;
        for (const SumRequest &part : request.summands) {
            of_parts.push_back(Array::uninitialized(part.output_type, part.output_shape));
            plan.append(plan_of_library(variant, device, part, of_parts.back()));
        }
        plan.host([of_parts, sums]() mutable { add_parts(of_parts, sums); });
        return plan;
    }

    // Of the image a row's bytes, and how many of its chunks of 16 bytes each of `lanes` threads adds.
    double measure(std::string_view name, const Variant &variant, const Measures &measures) const final {
        if (name != "row_bytes" && name != "iterations") {
            return OperatorOf::measure(name, variant, measures);
        }
        const int element = element_bytes(variant);
        const double bytes = measures.numbers[1] * element;
        // A row touches so many chunks, wherever it begins.
        const double chunks = std::ceil((bytes + 16 - element) / 16);
        return name == "row_bytes" ? bytes : std::ceil(chunks / variant.tunable("lanes"));
    }

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
    Measures measures(const SumRequest &request) const override {
        Measures measures = OperatorOf::measures(request);
        if (request.image().dimensions() == 3 && are_together(request.image())) {  // what libraries sum
            measures.numbers[1] *= std::exchange(measures.numbers[2], 1);
        }
        return measures;
    }

    SumRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        const Array &image = inputs[0];
        if (image.dimensions() == 3) {
            return request_of_channels(image, settings);
        }
        const std::string element = name_of(image.type()), output = settings.text("output-type", "");
        SumRequest request;
        request.output_shape = {image.shape()[kept_axis_]};
        request.type = element;
        // A single row of more bytes than a library addresses is not cut.
        const int64_t extent = image.shape()[1 - kept_axis_],
                      addressed = std::min(ceil_div(span(image), most_bytes), extent);
        if (image.type() != Type::u8 && image.type() != Type::u16) {
            const Type type = std::ranges::find(sum_types, image.type(), &SumTypes::element)->sums;
            if (!output.empty() && output != name_of(type)) {
                refuse(Fault::usage,
                    fmt::format("sums of an {} image are {}; leave it out", element, name_of(type)),
                    "output-type", output);
            }
            request.output_type = type;
            if (addressed > 1) {
                request.summands = cut(image, addressed, request, type);
            }
            return request;
        }
        const int64_t most = most_terms((int64_t)size_of(image.type())),
                      parts = std::max(addressed, ceil_div(extent, most));
        if (extent > most && (output.empty() || output == "u32")) {
            refuse(Fault::input,
                fmt::format(
                    "sums of {} {} numbers can pass 2^32 - 1 (of up to {} they cannot); take u64 or f64, "
                    "which hold them, or f32, the exact sum rounded",
                    extent, element, most),
                "output-type", "u32");
        }
        const Type type = type_of_output(output);
        if (type == Type::f32 && parts == 1) {
            request.type = element + "f32";
        } else if (type != Type::u32 || parts > 1) {
            request.summands = cut(image, parts, request, Type::u32);
        }
        request.output_type = type;
        return request;
    }

    bool form_serves(const Variant &variant, const SumRequest &request, const Array &output) const final {
        if (request.image().dimensions() == 3) {
            const Array &image = request.image();
            const SumRequest one = request_of(
                request, are_together(image) ? rows_as_image(image) : channel_without_memory(image));
            return form_serves(variant, one, without_memory(one.output_type, one.output_shape));
        }
        const auto serves = [&](const SumRequest &one) {
            return form_of(variant).serves(variant, one, output);
        };
        return request.summands.empty() ? serves(request) : std::ranges::all_of(request.summands, serves);
    }

private:
    static Type type_of_output(const std::string &word) {
        return word == "u64" ? Type::u64 : word == "f64" ? Type::f64 : word == "f32" ? Type::f32 : Type::u32;
    }

    // Colours: sums of columns are those of all elements of a row, where libraries address it. Otherwise each
    // channel is summed as an image by itself. The sums of a place are side by side.
    bool are_together(const Array &image) const {
        const int64_t bytes = image.size() / image.shape()[0] * (int64_t)size_of(image.type());
        return kept_axis_ == 1 && bytes <= most_bytes;
    }
    static Array channel_without_memory(const Array &image) {
        return without_memory(image.type(), {image.shape()[0], image.shape()[1]});
    }
    SumRequest request_of_channels(const Array &image, const Settings &settings) const {
        const Array channel = channel_without_memory(image);
        SumRequest request = read({&channel, 1}, settings);
        request.summands.clear();
        request.output_shape.push_back(image.shape()[2]);
        return request;
    }
    // Of an image without colours that has some of the elements.
    SumRequest request_of(const SumRequest &request, const Array &image) const {
        SumRequest one = read({&image, 1}, {{"output-type", std::string(name_of(request.output_type))}});
        one.inputs = {image};
        return one;
    }
    Plan plan_of_elements(
        const Variant &variant, Device device, const SumRequest &request, Array &sums) const {
        const SumRequest one = request_of(request, rows_as_image(request.image()));
        const bool is_dense = sums.strides()[0] == sums.shape()[1];
        Array made =
            is_dense ? without_memory(one.output_type, one.output_shape).moved_to(sums, sums.offset_bytes()) :
                       Array::uninitialized(one.output_type, one.output_shape);
        Plan plan = this->plan(variant, device, one, made);
        if (!is_dense) {
            plan.host([made, sums]() mutable {
                copy(Array::view(made.type(), std::as_const(made).data(), sums.shape()), sums);
            });
        }
        return plan;
    }
    Plan plan_of_channels(
        const Variant &variant, Device device, const SumRequest &request, Array &sums) const {
        const Array &image = request.image();
        std::vector<Array> channels = empty_channels_of(image), made;
        Plan plan;
        plan.host([image, channels]() mutable { split_channels(image, channels); });
        for (const Array &channel : channels) {
            const SumRequest one = request_of(request, channel);
            made.push_back(Array::uninitialized(one.output_type, {1, one.output_shape[0]}));
            Array line = made.back().slice({0});
            plan.append(this->plan(variant, device, one, line));
        }
        plan.host([made, sums]() mutable {
            Array joined = Array::uninitialized(sums.type(), {1, sums.shape()[0], sums.shape()[1]});
            join_channels(made, joined);
            copy(joined.slice({0}), sums);
        });
        return plan;
    }

    // The bytes from the first element to the last one that are added to one sum.
    int64_t span(const Array &image) const {
        const int64_t pitch = image.strides()[0] * (int64_t)size_of(image.type());
        return kept_axis_ == 1 ? image.shape()[0] * pitch : image.shape()[1] * (int64_t)size_of(image.type());
    }

    // Parts of rows that are too long to be addressed are taken of one row at a time.
    int64_t most_rows(const SumRequest &request) const final {
        return std::max<int64_t>(OperatorOf::most_rows(request), 1);
    }

    // A library that reads the storage of an image gets one that it can address.
    Plan plan_of_library(
        const Variant &variant, Device device, const SumRequest &request, Array &sums) const {
        if ((int64_t)request.image().storage()->bytes() <= most_bytes) {
            return form_of(variant).plan(*this, variant, device, request, sums);
        }
        SumRequest moved = request;
        moved.inputs = {in_own_storage(request.image(), device)};
        Plan plan = form_of(variant).plan(*this, variant, device, moved, sums);
        plan.host([image = request.image()] {});  // held as long as its memory is read
        return plan;
    }

    // Requests for sums of that type of so many parts of an image.
    std::vector<SumRequest> cut(
        const Array &image, int64_t parts, const SumRequest &request, Type type) const {
        const int64_t h = image.shape()[0], w = image.shape()[1], all = image.shape()[1 - kept_axis_];
        std::vector<SumRequest> made;
        for (int64_t i = 0; i < parts; i++) {
            const int64_t begin = all * i / parts, extent = all * (i + 1) / parts - begin;
            SumRequest &part = made.emplace_back(request);
            part.output_type = type;
            part.inputs = {
                kept_axis_ == 1 ? image.crop(begin, 0, extent, w) : image.crop(0, begin, h, extent)};
        }
        return made;
    }

    // Adds the sums of the parts, integers in u64 and floats in f64, and rounds them once.
    static void add_parts(const std::vector<Array> &parts, Array &sums) {
        Array made = sums.is_wrapped() ? Array::uninitialized(sums.type(), sums.shape()) : sums;
        switch (sums.type()) {
        case Type::u32: add_parts<uint32_t, uint64_t>(parts, made.as<uint32_t>()); break;
        case Type::u64: add_parts<uint32_t, uint64_t>(parts, made.as<uint64_t>()); break;
        case Type::f64:
            parts.front().type() == Type::u32 ? add_parts<uint32_t, uint64_t>(parts, made.as<double>()) :
                                                add_parts<double, double>(parts, made.as<double>());
            break;
        default:
            parts.front().type() == Type::u32 ? add_parts<uint32_t, uint64_t>(parts, made.as<float>()) :
                                                add_parts<float, double>(parts, made.as<float>());
        }
        if (sums.is_wrapped()) {
            copy(made, sums);
        }
    }

    template<typename From, typename Sum, typename T>
    static void add_parts(const std::vector<Array> &parts, T *sums) {
        std::vector<const From *> of_parts;
        for (const Array &part : parts) {
            of_parts.push_back(part.as<From>());
        }
        for (int64_t i = 0; i < parts.front().size(); i++) {
            Sum sum = 0;
            for (const From *of_part : of_parts) {
                sum += of_part[i];
            }
            sums[i] = (T)sum;
        }
    }

    size_t kept_axis_;
};

}  // namespace tilewright
