// Types, shapes and numbers of a library's arguments.
#include "apps/tilewright/foreign/foreign_arguments.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/workloads/random.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse(const std::string &why, const std::string &argument) {
    throw Error(Fault::usage, why, {.operation = "--generator", .argument = argument});
}

// Reads the number of a scalar argument.
double number_of(halide_type_t type, const halide_scalar_value_t &value) {
    switch (type.code) {
    case halide_type_float: return type.bits == 64 ? value.u.f64 : value.u.f32;
    case halide_type_int:
        return type.bits == 64 ? (double)value.u.i64 :
               type.bits == 32 ? value.u.i32 :
               type.bits == 16 ? value.u.i16 :
                                 value.u.i8;
    default:
        return type.bits == 64 ? (double)value.u.u64 :
               type.bits == 32 ? value.u.u32 :
               type.bits == 16 ? value.u.u16 :
                                 value.u.u8;
    }
}

Option option_of(const halide_filter_argument_t &argument) {
    const halide_type_t type = argument.type;
    if (type.code == halide_type_handle || (type.code == halide_type_float && type.bits < 32) ||
        type.code == halide_type_bfloat) {
        refuse(fmt::format("the laboratory cannot give a number of type {}", type_name(type)), argument.name);
    }
    Option option{.name = argument.name, .help = "", .is_number = true};
    option.is_whole = type.code != halide_type_float;
    if (argument.scalar_min) {
        option.least = number_of(type, *argument.scalar_min);
    }
    if (argument.scalar_max) {
        option.most = number_of(type, *argument.scalar_max);
    }
    const halide_scalar_value_t *known = argument.scalar_def ? argument.scalar_def : argument.scalar_estimate;
    if (known) {
        option.value = fmt::format("{}", number_of(type, *known));
    }
    option.is_needed = !known;
    return option;
}

// Makes the value of NAME=VALUE the default of that option.
void give(const std::string &word, std::vector<Option> &options) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::vector<std::string> known;
    for (Option &option : options) {
        known.push_back(option.name);
        char *end = nullptr;
        if (option.name == name && equals != std::string::npos) {
            option.value = word.substr(equals + 1);
            option.is_needed = false;
            std::strtod(option.value.c_str(), &end);
            if (option.value.empty() || *end) {
                throw Error(Fault::usage, "takes " + option.range(), {.argument = "--set", .value = word});
            }
            return;
        }
    }
    throw Error(Fault::usage,
        fmt::format("write NAME=VALUE; the library takes {}",
            known.empty() ? "no numbers" : fmt::format("{}", fmt::join(known, ", "))),
        {.argument = "--set", .value = word});
}

// The dimensions in the order of their strides, the outermost one first.
std::vector<size_t> outer_first(const std::vector<View::Dim> &dims) {
    std::vector<size_t> order(dims.size());
    std::iota(order.rbegin(), order.rend(), size_t(0));
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return dims[a].stride > dims[b].stride; });
    return order;
}

}  // namespace

std::string type_name(halide_type_t type) {
    if (type.code == halide_type_uint && type.bits == 1) {
        return "bool";
    }
    const char *const kinds[] = {"i", "u", "f", "handle", "bf"};
    return fmt::format("{}{}", kinds[type.code], type.bits);
}

Type array_type(const halide_filter_argument_t &argument) {
    const halide_type_t type = argument.type;
    for (const Type known : all_types) {
        if (type_name(type) == tilewright::name_of(known)) {
            return known;
        }
    }
    if (type.code == halide_type_int || type.code == halide_type_uint) {
        return type.bytes() == 1 ? Type::u8 :
               type.bytes() == 2 ? Type::u16 :
               type.bytes() == 4 ? Type::u32 :
                                   Type::u64;
    }
    refuse(fmt::format("the laboratory has no arrays of type {}", type_name(type)), argument.name);
}

const halide_filter_argument_t &only_output(const halide_filter_metadata_t &metadata) {
    const halide_filter_argument_t *output = nullptr;
    for (int i = 0; i < metadata.num_arguments; i++) {
        const halide_filter_argument_t &argument = metadata.arguments[i];
        if (argument.kind != halide_argument_kind_output_buffer) {
            continue;
        }
        if (output) {
            refuse(
                "the generator has several outputs; the laboratory takes generators of one", argument.name);
        }
        output = &argument;
    }
    return *output;  // each library has one
}

Description description_of(const std::string &name, const halide_filter_metadata_t &metadata,
    const std::vector<std::string> &settings) {
    Description description{.name = name, .summary = "a generator of Halide", .inputs = {}};
    const auto axes_of = [](int dimensions) {
        return dimensions < 2 ? Axes::vector : dimensions == 2 ? Axes::image : Axes::image_or_channels;
    };
    for (int i = 0; i < metadata.num_arguments; i++) {
        const halide_filter_argument_t &argument = metadata.arguments[i];
        if (argument.kind == halide_argument_kind_input_buffer) {
            description.inputs.push_back({.name = argument.name,
                .types = {array_type(argument)},
                .axes = axes_of(argument.dimensions)});
        } else if (argument.kind == halide_argument_kind_input_scalar) {
            description.options.push_back(option_of(argument));
        }
    }
    for (const std::string &word : settings) {
        give(word, description.options);
    }
    if (description.inputs.empty()) {
        refuse("the generator has no input buffer; the laboratory takes generators of one or more", name);
    }
    description.options.push_back({.name = output_size, .help = "The extents of the output", .value = "1"});
    description.makes = only_output(metadata).dimensions < 2 ? Makes::vector : Makes::matrix;
    return description;
}

uint64_t bytes_of(halide_type_t type, double number) {
    uint64_t bytes = 0;
    if (type.code == halide_type_float && type.bits == 32) {
        const auto value = (float)number;
        memcpy(&bytes, &value, sizeof value);
    } else if (type.code == halide_type_float) {
        memcpy(&bytes, &number, sizeof number);
    } else {
        bytes = number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
    }
    return bytes;
}

std::vector<int64_t> extents_of(const std::string &size, size_t dimensions) {
    std::vector<int64_t> extents;
    for (const std::string &word : parted(size, 'x')) {
        extents.push_back(std::max<int64_t>(1, std::strtoll(word.c_str(), nullptr, 10)));
    }
    extents.resize(dimensions, 1);
    return extents;
}

std::vector<int64_t> shape_of(const std::vector<View::Dim> &dims) {
    constexpr size_t most_axes = 3;
    std::vector<int64_t> shape;
    for (const size_t d : outer_first(dims)) {
        shape.push_back(dims[d].extent);
    }
    for (; shape.size() > most_axes; shape.erase(shape.begin())) {
        shape[1] *= shape[0];
    }
    return shape.empty() ? std::vector<int64_t>{1} : shape;
}

View view_of(const Array &array, halide_type_t type, const std::vector<View::Dim> &dims) {
    View view{type, dims, array.offset_bytes()};
    const std::vector<size_t> order = outer_first(dims);
    int64_t folded = 1;  // of the outermost axis, how many elements one of a dimension is
    for (size_t i = order.size(); i-- > 0;) {
        const size_t inner = order.size() - 1 - i, axes = array.shape().size();
        View::Dim &dim = view.dims[order[i]];
        if (inner + 1 < axes) {
            dim.stride = array.strides()[axes - 1 - inner];
        } else {
            dim.stride = array.strides()[0] * folded;
            folded *= dim.extent;
        }
    }
    return view;
}

Array random_input(
    const halide_filter_argument_t &argument, const std::vector<int64_t> &shape, uint64_t seed) {
    Array dense = random_array(array_type(argument), shape, seed).clone(0);
    for (int64_t i = 0; i < dense.size(); i++) {
        if (argument.type.bits == 1) {
            dense.as<uint8_t>()[i] &= 1;
        } else if (dense.type() == Type::f32) {
            dense.as<float>()[i] = std::abs(dense.as<float>()[i]);
        }
    }
    return dense.clone();
}

std::vector<int64_t> picture_extents(const Array &picture, size_t dimensions) {
    const std::vector<int64_t> &shape = picture.shape();
    std::vector<int64_t> extents =
        shape.size() == 1 ? std::vector<int64_t>{shape[0]} : std::vector<int64_t>{shape[1], shape[0]};
    if (shape.size() > 2) {
        extents.push_back(shape[2]);
    }
    extents.resize(dimensions, 1);
    return extents;
}

Array in_order_of(std::vector<View::Dim> dims, const Array &picture) {
    if (dims.size() != 3) {
        return picture;
    }
    const std::vector<int64_t> extents = picture_extents(picture, dims.size());
    for (size_t d = 0; d < dims.size(); d++) {
        dims[d].extent = extents[d];
    }
    Array array(picture.type(), shape_of(dims));
    const auto size = (int64_t)size_of(picture.type());
    const std::vector<View::Dim> to = view_of(array, {}, dims).dims;
    const auto *source = static_cast<const char *>(picture.data());
    auto *const target = static_cast<char *>(array.data());
    for (int64_t y = 0; y < extents[1]; y++) {
        for (int64_t i = 0; i < extents[0] * extents[2]; i++) {  // colours are beside each other
            const int64_t x = i / extents[2], c = i % extents[2];
            memcpy(target + size * (x * to[0].stride + y * to[1].stride + c * to[2].stride),
                source + size * (y * picture.strides()[0] + i), (size_t)size);
        }
    }
    return array;
}

}  // namespace tilewright::app
