#include "apps/tilewright/pictures/fitting.h"
#include "apps/tilewright/pictures/conversions.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace tilewright::app {

namespace {

using Extents = std::pair<int64_t, int64_t>;  // height and width

// How the arrays of a call are changed, besides their types. `channel`: one of the constants, or the number
// of a channel.
struct Conversion {
    static constexpr int all = -1, grey = -2;
    int channel = all;
    std::optional<Extents> cut = {}, surround = {};
};

int asked_channel(const FitOptions &options) {
    return options.grey ? Conversion::grey : options.channel >= 0 ? options.channel : Conversion::all;
}

bool is_text(const Picture &picture) {
    return picture.kind == FileKind::csv || picture.kind == FileKind::txt;
}

int64_t channels_of(const Array &array) {
    return array.dimensions() == 3 ? array.shape()[2] : 1;
}

// What the receiver declares of picture number i. A picture too many is refused when the call is read.
const Input &input_for(const Receiver &to, size_t i) {
    return to.inputs[std::min(i, to.inputs.size() - 1)];
}

// Text that is a vector becomes a matrix of one row or one column where no vectors are taken.
std::vector<Picture> with_matrices(const Receiver &to, std::vector<Picture> pictures) {
    for (size_t i = 0; i < pictures.size(); i++) {
        Picture &picture = pictures[i];
        if (is_text(picture) && picture.array.dimensions() == 1 && input_for(to, i).axes != Axes::vector) {
            picture.array = matrix_of(picture.array, picture.is_one_line);
        }
    }
    return pictures;
}

// Which channels are given of arrays that have some.
int channel_for(const Receiver &to, const std::vector<Picture> &pictures, const FitOptions &options) {
    const int asked = asked_channel(options);
    const bool has_picture = std::any_of(
        pictures.begin(), pictures.end(), [](const Picture &picture) { return is_picture(picture.kind); });
    const bool takes_grey_alone = to.inputs.front().axes == Axes::image || to.makes == Makes::vector;
    const bool must_be_asked_for = to.makes == Makes::image;
    return asked == Conversion::all && has_picture && takes_grey_alone && !must_be_asked_for ?
               Conversion::grey :
               asked;
}

// The type that picture number i becomes: its own, where that is taken or no other one would be.
Type type_for(const Receiver &to, const std::vector<Picture> &pictures, size_t i) {
    const Input &input = input_for(to, i);
    const Type own = pictures[i].array.type();
    if (is_text(pictures[i])) {
        for (const Picture &other : pictures) {
            const Type type = other.array.type();
            const bool is_number = type == Type::f32 || type == Type::f64 || type == Type::i32;
            if (!is_text(other) && is_number && input.takes(type)) {
                return type;
            }
        }
    } else if (!is_picture(pictures[i].kind)) {
        return own;
    }
    return !input.takes(own) && input.takes(Type::f32) ? Type::f32 : own;
}

// The largest middle part of an image whose sides are taken; nothing where there is none.
std::optional<Extents> largest_part(const Sides &sides, const Array &image) {
    if (image.dimensions() < 2) {
        return std::nullopt;
    }
    int64_t h = sides.up_to(image.shape()[0]), w = sides.up_to(image.shape()[1]);
    if (sides.are_equal) {
        h = w = std::min(h, w);
    }
    return std::min(h, w) >= sides.least ? std::optional(Extents(h, w)) : std::nullopt;
}

// Errors: input, for a number that the type does not have.
Array converted_picture(const Receiver &to, const Picture &picture, const Conversion &conversion, Type type) {
    Array array = picture.array;
    if (conversion.cut && array.dimensions() >= 2) {
        const auto [h, w] = *conversion.cut;
        array = middle_of(array, std::min(h, array.shape()[0]), std::min(w, array.shape()[1]));
    }
    if (conversion.channel == Conversion::grey && array.dimensions() == 3) {
        array = grey_values(array, picture.has_alpha);
    } else if (conversion.channel >= 0 && array.dimensions() == 3) {
        array = channel_of(array, conversion.channel);
    }
    if (type != array.type()) {
        try {
            array = converted(array, type);
        } catch (const Error &error) {
            throw Error(error.fault(), fmt::format("cannot take '{}': {}", picture.path, error.what()),
                {.operation = to.name});
        }
    }
    if (conversion.surround && array.dimensions() == 2) {
        array = surrounded(array, conversion.surround->first, conversion.surround->second);
    }
    return array;
}

std::vector<Array> converted_pictures(
    const Receiver &to, const std::vector<Picture> &pictures, const Conversion &conversion) {
    std::vector<Array> arrays;
    for (size_t i = 0; i < pictures.size(); i++) {
        arrays.push_back(converted_picture(to, pictures[i], conversion, type_for(to, pictures, i)));
    }
    return arrays;
}

Conversion conversion_for(
    const Receiver &to, const std::vector<Picture> &pictures, const FitOptions &options) {
    const Array &first = pictures.front().array;
    const Sides &sides = to.inputs.front().sides;
    Conversion conversion = {.channel = channel_for(to, pictures, options)};
    if (options.crop) {
        conversion.cut = largest_part(sides, first);
    } else if (to.pads && sides.are_equal && is_picture(pictures.front().kind) &&
               first.shape()[0] != first.shape()[1]) {
        const int64_t side = std::max(first.shape()[0], first.shape()[1]);
        conversion.surround = {side, side};
    }
    return conversion;
}

std::vector<std::string> words_for(
    const Picture &picture, const Conversion &conversion, const Array &array, bool is_separate) {
    std::vector<std::string> words;
    const Array &before = picture.array;
    if (picture.orientation != 1) {
        words.push_back(
            fmt::format("turned upright (it was stored with orientation {})", picture.orientation));
    }
    const auto size = [](int64_t h, int64_t w) { return fmt::format("{} x {}", w, h); };
    if (conversion.cut && *conversion.cut != Extents(before.shape()[0], before.shape()[1])) {
        words.push_back(fmt::format("the middle {} of {}",
            size(conversion.cut->first, conversion.cut->second), size(before.shape()[0], before.shape()[1])));
    }
    if (is_separate) {
        words.push_back(fmt::format("one call per channel, {} in all", channels_of(before)));
    } else if (before.dimensions() == 3 && conversion.channel == Conversion::grey) {
        words.emplace_back("grey values of its channels");
    } else if (before.dimensions() == 3 && conversion.channel >= 0) {
        words.push_back(fmt::format("channel {} of {}", conversion.channel, channels_of(before)));
    }
    if (array.type() != before.type()) {
        words.push_back(fmt::format("{} as {}", name_of(before.type()), name_of(array.type())));
    }
    if (conversion.surround) {
        words.push_back(fmt::format(
            "zeros around it up to {}", size(conversion.surround->first, conversion.surround->second)));
    }
    return words;
}

// What the words could ask for so that the first picture is taken: "; --crop takes its middle 64 x 32".
std::string hint_for(const Receiver &to, const std::vector<Picture> &pictures, const FitOptions &options) {
    const Input &input = to.inputs.front();
    const Array &first = pictures.front().array;
    const std::optional<Extents> part = largest_part(input.sides, first);
    if (!part) {
        return "";
    }
    const auto [h, w] = *part;
    const Type type = type_for(to, pictures, 0);
    const auto is_taken = [&](const std::vector<int64_t> &shape) {
        return input.why_not(type, shape).empty();
    };
    const bool has_channels =
        first.dimensions() == 3 && channel_for(to, pictures, options) == Conversion::all;
    std::vector<int64_t> cut = {h, w};
    if (has_channels) {
        cut.push_back(first.shape()[2]);
    }
    if (has_channels && !is_taken(cut) && is_taken({h, w})) {
        return "; --grey takes its grey values, and --channel N one of its channels";
    }
    // Of an image that is too large a middle part is no answer, as it is of one whose sides do not fit.
    constexpr int64_t least_part = 64;
    const bool is_cut = *part != Extents(first.shape()[0], first.shape()[1]);
    return is_cut && !options.crop && is_taken(cut) && h * w >= first.size() / least_part ?
               fmt::format("; --crop takes its middle {} x {}", w, h) :
               "";
}

void check_channel(const std::vector<Picture> &pictures, const FitOptions &options) {
    for (const Picture &picture : pictures) {
        const int64_t channels = channels_of(picture.array);
        if (options.channel >= channels) {
            throw Error(Fault::usage,
                channels == 1 ?
                    fmt::format("{} has 1 channel, number 0", picture.path) :
                    fmt::format("{} has {} channels, numbers 0 to {}", picture.path, channels, channels - 1),
                {.argument = "--channel", .value = fmt::format("{}", options.channel)});
        }
    }
}

}  // namespace

Receiver receiver_of(const Operator &op, const Settings &settings) {
    Receiver to = {.name = op.name(),
        .inputs = op.inputs(),
        .makes = op.makes(),
        .pads = settings.text("pad", "no") == "yes",
        .op = &op};
    if (op.optional_input()) {
        to.inputs.push_back(*op.optional_input());
    }
    if (to.pads) {
        to.inputs.front().sides = to.inputs.front().sides.padded();
    }
    return to;
}

Error with_files(
    const Error &error, const Receiver &to, const std::vector<Picture> &pictures, const FitOptions &options) {
    if (error.fault() != Fault::input) {
        return error;
    }
    std::vector<std::string> files;
    for (const Picture &picture : pictures) {
        files.push_back(picture.describe());
    }
    return {Fault::input, fmt::format("{}{} ({})", error.what(),
                              hint_for(to, with_matrices(to, pictures), options), fmt::join(files, ", "))};
}

Fitted fitted(const Receiver &to, const std::vector<Picture> &given, const FitOptions &options) {
    check_channel(given, options);
    const std::vector<Picture> pictures = with_matrices(to, given);
    const Picture &first = pictures.front();
    const Conversion conversion = conversion_for(to, pictures, options);
    const bool is_separate = to.makes == Makes::vector && first.array.dimensions() == 3 && !options.grey &&
                             conversion.channel == Conversion::grey;
    std::vector<Array> arrays = converted_pictures(to, pictures, conversion);
    Fitted fitted;
    for (size_t i = 0; i < pictures.size(); i++) {
        for (const std::string &said : words_for(pictures[i], conversion, arrays[i], is_separate)) {
            fitted.conversions.push_back(
                pictures.size() == 1 ? said : fmt::format("{}: {}", pictures[i].path, said));
        }
    }
    fitted.has_alpha = first.has_alpha && conversion.channel == Conversion::all;
    if (fitted.has_alpha && to.op) {
        const Type before = arrays.front().type();
        arrays.front() = to.op->premultiplied(arrays.front());
        if (arrays.front().type() != before) {
            fitted.conversions.push_back(fmt::format(
                "colours times alpha, {} as {}", name_of(before), name_of(arrays.front().type())));
        }
    }
    if (!is_separate) {
        fitted.calls.push_back(std::move(arrays));
        return fitted;
    }
    for (int c = 0; c < channels_of(first.array); c++) {
        Conversion one = conversion;
        one.channel = c;
        fitted.calls.push_back(converted_pictures(to, pictures, one));
    }
    return fitted;
}

void put_result(Array column, Array &all, int64_t index, int64_t count) {
    if (count == 1) {
        all = std::move(column);
        return;
    }
    const int64_t n = column.shape()[0];
    if (all.empty()) {
        all = Array(column.type(), {n, count}, 0);
    }
    const size_t element = size_of(column.type());
    const auto *from = static_cast<const std::byte *>(column.data());
    auto *to = static_cast<std::byte *>(all.data());
    for (int64_t i = 0; i < n; i++) {
        std::copy_n(from + (size_t)i * element, element, to + (size_t)(i * count + index) * element);
    }
}

std::vector<int64_t> shape_of_results(std::vector<int64_t> one, size_t count) {
    if (count > 1) {
        one.push_back((int64_t)count);
    }
    return one;
}

}  // namespace tilewright::app
