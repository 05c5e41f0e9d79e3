// What an operator declares of an input, in words, and compared with an array.
#include "tilewright/input.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

namespace {

// "u8, u16 or f32"
template<typename Values>
std::string one_of(const Values &values) {
    const std::string all = fmt::format("{}", fmt::join(values, ", "));
    const size_t last = all.rfind(", ");
    return last == all.npos ? all : all.substr(0, last) + " or " + all.substr(last + 2);
}

// "1 to 4", "1, 3 or 4"
std::string numbers_of(const std::vector<int64_t> &numbers) {
    const bool is_range =
        numbers.size() > 2 && numbers.back() - numbers.front() + 1 == (int64_t)numbers.size();
    return is_range ? fmt::format("{} to {}", numbers.front(), numbers.back()) : one_of(numbers);
}

bool is_one_of(const std::vector<int64_t> &numbers, int64_t number) {
    return numbers.empty() || std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

bool takes_channels(const Input &input, Type type, std::span<const int64_t> shape) {
    const int64_t channels = shape.size() == 3 ? shape[2] : 1;
    return (shape.size() < 3 || is_one_of(input.channels, channels)) &&
           is_one_of(input.pixel_bytes, channels * (int64_t)size_of(type));
}

std::string range_of(const Sides &sides) {
    const bool is_open = sides.most == std::numeric_limits<int64_t>::max();
    return fmt::format("from {}{}", sides.least, is_open ? " on" : fmt::format(" to {}", sides.most));
}

// What to make of an array of a type that the input does not take.
std::string conversion(const Input &input, Type from) {
    const Type to = is_complex(from) ? Type::c64 : Type::f32;
    if (input.takes(to)) {
        return fmt::format("convert it to {} first", name_of(to));
    }
    return is_complex(from) ? "give it the real part, the imaginary part or the magnitude" :
                              "convert it first";
}

std::string why_not_sides(const Sides &declared, std::span<const int64_t> shape, bool pads) {
    if (declared.are_equal && shape[0] != shape[1]) {
        return "takes a square; crop or enlarge it to as many rows as columns";
    }
    const Sides sides = pads ? declared.padded() : declared;
    for (const auto &[name, n] : {std::pair("height", shape[0]), {"width", shape[1]}}) {
        if (n >= sides.least && n <= sides.most) {
            continue;
        }
        if (pads && declared.padded_by > 0) {
            return fmt::format("its {} is {}, and with --pad a side has at most {}; work on parts of it",
                name, n, sides.most);
        }
        return fmt::format("its {} is {}, which is not {}; {}", name, n, range_of(sides),
            n > sides.most ? "work on parts of it" : "enlarge it");
    }
    return "";
}

}  // namespace

Sides Sides::padded() const {
    return padded_by > 0 ? Sides{.most = most / padded_by, .are_equal = are_equal} : *this;
}

int64_t Sides::up_to(int64_t n) const {
    return std::min(n, most);
}

bool Input::takes(Type type) const {
    return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

std::string Input::says() const {
    std::vector<std::string> names;
    for (const Type type : types) {
        names.emplace_back(name_of(type));
    }
    std::string words = fmt::format("{} of shape {}", types.empty() ? "any type" : one_of(names),
        axes == Axes::vector ? "(n)" :
        sides.are_equal      ? "(n, n)" :
                               "(h, w)");
    if (axes == Axes::image_or_channels) {
        words += " or (h, w, c)";
    }
    if (!channels.empty()) {
        words += fmt::format(" with {} channels", numbers_of(channels));
    }
    if (!pixel_bytes.empty()) {
        words += fmt::format(", with pixels of {} bytes, channels included", numbers_of(pixel_bytes));
    }
    if (axes != Axes::vector && range_of(sides) != range_of({})) {
        words += fmt::format(", sides {}", range_of(sides));
    }
    return words;
}

std::string Input::why_not(Type type, std::span<const int64_t> shape, bool pads) const {
    const size_t dims = shape.size();
    const bool has_axes = axes == Axes::vector ? dims == 1 : dims == 2 || (dims == 3 && axes != Axes::image);
    if (has_axes && takes(type) && takes_channels(*this, type, shape)) {
        return axes == Axes::vector ? "" : why_not_sides(sides, shape, pads);
    }
    const std::string advice =
        has_axes && !takes(type) ? conversion(*this, type) :
        has_axes ? "give it one channel at a time, or say by the layout, chw, where channels are" :
        axes == Axes::vector ? "give it one line of numbers" :
        dims == 1            ? "give a vector the shape (1, n) or (n, 1)" :
        dims > 3             ? "say by the layout, nhwc or nchw, which axes are those of images" :
                               "make colours grey, or say by the layout, nhw, that these are many images";
    return fmt::format("takes {}; {}", says(), advice);
}

void Operator::check_number(size_t given) const {
    const std::optional<Input> &more = optional_input();
    const size_t wanted = inputs().size();
    if (given != wanted && !(more && given == wanted + 1)) {
        refuse(Fault::usage,
            fmt::format("takes {} input{}{}", wanted, wanted == 1 ? "" : "s",
                more ? " and, if wanted, " + more->name : ""),
            "inputs", std::to_string(given));
    }
}

void Operator::check_declared(std::span<const Array> inputs, const Settings &settings) const {
    for (size_t i = 0; i < inputs.size(); i++) {
        const Array &input = inputs[i];
        if (input.empty()) {
            refuse(Fault::input, "an input is empty", "input", "");
        }
        const Input &declared = i < this->inputs().size() ? this->inputs()[i] : *optional_input();
        const bool pads = declared.sides.padded_by > 0 && settings.text("pad", "no") == "yes";
        const std::string why_not = declared.why_not(input.type(), input.shape(), pads);
        if (!why_not.empty()) {
            refuse(Fault::input, why_not, declared.name, input.describe());
        }
    }
}

}  // namespace tilewright
