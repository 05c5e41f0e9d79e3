#include "apps/tilewright/pictures/fitting.h"
#include "apps/tilewright/pictures/conversions.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tilewright::app {

namespace {

constexpr int64_t longest_side = 8192;  // that a part is cut to whose sides are powers of two

using Extents = std::pair<int64_t, int64_t>;  // height and width

// How the arrays of a call are changed. `channel`: one of the constants, or the number of a channel.
struct Form {
    static constexpr int all = -1, grey = -2;
    int channel = all;
    std::optional<Type> type = {};
    std::optional<Extents> cut = {}, surround = {};
};

int asked_channel(const FitWords &words) {
    return words.grey ? Form::grey : words.channel >= 0 ? words.channel : Form::all;
}

bool is_text(const Picture &picture) {
    return picture.kind == FileKind::csv || picture.kind == FileKind::txt;
}

int64_t channels_of(const Array &array) {
    return array.dimensions() == 3 ? array.shape()[2] : 1;
}

// Errors: input, for a number that the form's type does not have.
Array in_form(const Receiver &to, const Picture &picture, const Form &form) {
    Array array = picture.array;
    if (form.cut && array.dimensions() >= 2) {
        const auto [h, w] = *form.cut;
        array = middle_of(array, std::min(h, array.shape()[0]), std::min(w, array.shape()[1]));
    }
    if (form.channel == Form::grey && array.dimensions() == 3) {
        array = grey_values(array, picture.has_alpha);
    } else if (form.channel >= 0 && array.dimensions() == 3) {
        array = channel_of(array, form.channel);
    }
    if (form.type && *form.type != array.type()) {
        try {
            array = converted(array, *form.type);
        } catch (const Error &error) {
            throw Error(error.fault(), fmt::format("cannot take '{}': {}", picture.path, error.what()),
                {.operation = to.name});
        }
    }
    if (form.surround && array.dimensions() == 2) {
        array = surrounded(array, form.surround->first, form.surround->second);
    }
    return array;
}

std::vector<Array> in_form(const Receiver &to, const std::vector<Picture> &pictures, const Form &form) {
    std::vector<Array> arrays;
    for (const Picture &picture : pictures) {
        // Types are changed of what has none of its own, and of integers in pictures.
        Form own = form;
        if (!is_picture(picture.kind) && !is_text(picture)) {
            own.type = {};
        }
        arrays.push_back(in_form(to, picture, own));
    }
    return arrays;
}

// The result of the arrays; nothing where they are not taken.
std::optional<TypeAndShape> result_of(const Receiver &to, const std::vector<Array> &arrays) {
    try {
        return to.result(arrays);
    } catch (const Error &error) {
        if (error.fault() != Fault::input) {
            throw;
        }
        return std::nullopt;
    }
}

// The same while a form is looked for: a row that a stage of a pipeline names may not serve each of them.
std::optional<TypeAndShape> result_of_any(const Receiver &to, const std::vector<Array> &arrays) {
    try {
        return result_of(to, arrays);
    } catch (const Error &error) {
        if (error.fault() != Fault::device) {
            throw;
        }
        return std::nullopt;
    }
}

// The result of the pictures in that form, whatever their sides are: of arrays with sides of 64, which every
// operator takes, so that they are refused for other reasons than their sides.
std::optional<TypeAndShape> result_in_form(
    const Receiver &to, const std::vector<Picture> &pictures, const Form &form) {
    std::vector<Array> arrays;
    for (const Picture &picture : pictures) {
        std::vector<int64_t> shape = picture.array.shape();
        shape.front() = 64;
        if (shape.size() > 1) {
            shape[1] = 64;
        }
        Picture small = picture;
        small.array = Array(picture.array.type(), shape);
        arrays.push_back(in_form(to, std::vector<Picture>{small}, form).front());
    }
    std::optional<TypeAndShape> result = result_of_any(to, arrays);
    return result || !to.may_refuse_small ? result : result_of_any(to, in_form(to, pictures, form));
}

// The middle parts that --crop chooses from, the largest first.
std::vector<Extents> parts_of(const Array &array) {
    if (array.dimensions() < 2) {
        return {};
    }
    const int64_t h = array.shape()[0], w = array.shape()[1], side = std::min(h, w);
    const auto power = [](int64_t n) {
        return std::min<int64_t>((int64_t)std::bit_floor((uint64_t)n), longest_side);
    };
    std::vector<Extents> parts = {{h, w}, {side, side}, {power(h), power(w)}, {power(side), power(side)}};
    std::stable_sort(parts.begin(), parts.end(),
        [](const Extents &a, const Extents &b) { return a.first * a.second > b.first * b.second; });
    return parts;
}

// Whether arrays of that shape are taken, of one type or another.
bool takes(const Receiver &to, size_t inputs, const std::vector<int64_t> &shape) {
    const Type types[] = {Type::u8, Type::u16, Type::f32};
    return std::any_of(std::begin(types), std::end(types), [&](Type type) {
        return result_of_any(to, std::vector<Array>(inputs, Array(type, shape))).has_value();
    });
}

// Text that is a vector becomes a matrix of one row or one column where the operator takes no vectors.
std::vector<Picture> with_matrices(const Receiver &to, std::vector<Picture> pictures) {
    const auto is_vector = [](const Picture &picture) {
        return is_text(picture) && picture.array.dimensions() == 1;
    };
    if (std::none_of(pictures.begin(), pictures.end(), is_vector) || takes(to, pictures.size(), {64}) ||
        !takes(to, pictures.size(), {64, 64})) {
        return pictures;
    }
    for (Picture &picture : pictures) {
        if (is_vector(picture)) {
            picture.array = matrix_of(picture.array, picture.is_one_line);
        }
    }
    return pictures;
}

// Whether these are the grey values of a picture of which the operator makes another image, as a stencil
// does: then the user says whether they are wanted.
bool must_be_asked_for(const Form &form, const FitWords &words, Type type, const TypeAndShape &result) {
    return form.channel == Form::grey && !words.grey && !form.type && result.type == type &&
           result.shape.size() > 1;
}

// The channels and the type that are taken; nothing where none are.
std::optional<Form> colours_and_type(
    const Receiver &to, const std::vector<Picture> &pictures, const FitWords &words) {
    const bool has_picture = std::any_of(
        pictures.begin(), pictures.end(), [](const Picture &picture) { return is_picture(picture.kind); });
    const bool has_text = std::any_of(pictures.begin(), pictures.end(), is_text);
    std::vector<int> channels = {asked_channel(words)};
    // A picture whose type is not taken with colours must not lose them where another type's are taken.
    if (channels.front() == Form::all && has_picture && !takes(to, pictures.size(), {64, 64, 3})) {
        channels.push_back(Form::grey);
    }
    std::vector<std::optional<Type>> types = {std::nullopt};
    if (has_text) {
        for (const Picture &picture : pictures) {
            const Type type = picture.array.type();
            if (!is_text(picture) && (type == Type::f32 || type == Type::f64 || type == Type::i32)) {
                types.emplace_back(type);
            }
        }
    }
    if (has_text || has_picture) {
        types.emplace_back(Type::f32);
    }
    for (const int channel : channels) {
        for (const std::optional<Type> type : types) {
            const Form form = {.channel = channel, .type = type};
            if (const auto result = result_in_form(to, pictures, form)) {
                return must_be_asked_for(form, words, pictures.front().array.type(), *result) ?
                           std::nullopt :
                           std::optional(form);
            }
        }
    }
    return std::nullopt;
}

// Chooses the part of the picture, or what it is surrounded by.
void choose_extents(
    const Receiver &to, const std::vector<Picture> &pictures, const FitWords &words, Form &form) {
    const Array &first = pictures.front().array;
    if (words.crop) {
        for (const Extents &part : parts_of(first)) {
            form.cut = part;
            if (result_of(to, in_form(to, pictures, form))) {
                return;
            }
        }
        form.cut = {};
    } else if (is_picture(pictures.front().kind) && to.pads && !result_of(to, in_form(to, pictures, form))) {
        const int64_t side = std::max(first.shape()[0], first.shape()[1]);
        form.surround = {side, side};
    }
}

std::vector<std::string> words_for(
    const Picture &picture, const Form &form, const Array &array, bool is_separate) {
    std::vector<std::string> words;
    const Array &before = picture.array;
    if (picture.orientation != 1) {
        words.push_back(
            fmt::format("turned upright (it was stored with orientation {})", picture.orientation));
    }
    const auto size = [](int64_t h, int64_t w) { return fmt::format("{} x {}", w, h); };
    if (form.cut && *form.cut != Extents(before.shape()[0], before.shape()[1])) {
        words.push_back(fmt::format("the middle {} of {}", size(form.cut->first, form.cut->second),
            size(before.shape()[0], before.shape()[1])));
    }
    if (is_separate) {
        words.push_back(fmt::format("one call per channel, {} in all", channels_of(before)));
    } else if (before.dimensions() == 3 && form.channel == Form::grey) {
        words.emplace_back("grey values of its channels");
    } else if (before.dimensions() == 3 && form.channel >= 0) {
        words.push_back(fmt::format("channel {} of {}", form.channel, channels_of(before)));
    }
    if (array.type() != before.type()) {
        words.push_back(fmt::format("{} as {}", name_of(before.type()), name_of(array.type())));
    }
    if (form.surround) {
        words.push_back(
            fmt::format("zeros around it up to {}", size(form.surround->first, form.surround->second)));
    }
    return words;
}

// The error of a call with these arrays, with the files and, where it would help, a hint at --crop.
[[noreturn]] void refuse(const Receiver &to, const std::vector<Picture> &pictures,
    const std::vector<Array> &arrays, const Form *form) {
    std::vector<std::string> files;
    for (const Picture &picture : pictures) {
        files.push_back(picture.describe());
    }
    files.insert(files.end(), to.beside.begin(), to.beside.end());
    std::string hint;
    if (form != nullptr) {
        Form cut = *form;
        choose_extents(to, pictures, {.crop = true}, cut);
        // Of an image that is too large a middle part is no answer, as it is of one whose sides do not fit.
        constexpr int64_t least_part = 64;
        if (cut.cut && cut.cut->first * cut.cut->second >= pictures.front().array.size() / least_part) {
            hint = fmt::format("; --crop takes its middle {} x {}", cut.cut->second, cut.cut->first);
        }
    } else if (colours_and_type(to, pictures, {.grey = true})) {
        hint = "; --grey takes its grey values, and --channel N one of its channels";
    }
    try {
        to.result(arrays);
    } catch (const Error &error) {
        if (error.fault() != Fault::input) {
            throw;
        }
        throw Error(Fault::input, fmt::format("{}{} ({})", error.what(), hint, fmt::join(files, ", ")));
    }
    throw std::logic_error("fitting: what was refused before is taken");
}

// For an error: the type of text is not at fault, because text becomes a type that the operator takes.
std::vector<Array> with_text_as_f32(
    const Receiver &to, const std::vector<Picture> &pictures, std::vector<Array> arrays) {
    for (size_t i = 0; i < pictures.size(); i++) {
        if (is_text(pictures[i])) {
            arrays[i] = in_form(to, pictures[i], {.type = Type::f32});
        }
    }
    return arrays;
}

void check_channel(const std::vector<Picture> &pictures, const FitWords &words) {
    for (const Picture &picture : pictures) {
        const int64_t channels = channels_of(picture.array);
        if (words.channel >= channels) {
            throw Error(Fault::usage,
                channels == 1 ?
                    fmt::format("{} has 1 channel, number 0", picture.path) :
                    fmt::format("{} has {} channels, numbers 0 to {}", picture.path, channels, channels - 1),
                {.argument = "--channel", .value = fmt::format("{}", words.channel)});
        }
    }
}

}  // namespace

Receiver receiver_of(const Operator &op, const Settings &settings) {
    return {.name = op.name(),
        .result =
            [&op, settings](const std::vector<Array> &arrays) {
                const auto request = op.parse(arrays, settings);
                return TypeAndShape{request->output_type, request->output_shape};
            },
        .premultiplied = [&op](const Array &image) { return op.premultiplied(image); },
        .pads = settings.text("pad", "no") == "yes"};
}

Fitted fitted(const Receiver &to, const std::vector<Picture> &given, const FitWords &words) {
    check_channel(given, words);
    const std::vector<Picture> pictures = with_matrices(to, given);
    const bool is_asked = words.grey || words.crop || words.channel >= 0;
    Form form;
    std::vector<Array> arrays = in_form(to, pictures, form);
    bool is_separate = false;
    if (is_asked || !result_of(to, arrays)) {
        const std::optional<Form> found = colours_and_type(to, pictures, words);
        if (!found) {
            form.channel = asked_channel(words);
            refuse(to, pictures, with_text_as_f32(to, pictures, in_form(to, pictures, form)), nullptr);
        }
        form = *found;
        choose_extents(to, pictures, words, form);
        arrays = in_form(to, pictures, form);
        const auto result = result_of(to, arrays);
        if (!result) {
            refuse(to, pictures, arrays, &form);
        }
        is_separate = form.channel == Form::grey && !words.grey && result->shape.size() == 1 &&
                      pictures.front().array.dimensions() == 3;
    }
    Fitted fitted;
    for (size_t i = 0; i < pictures.size(); i++) {
        for (const std::string &conversion : words_for(pictures[i], form, arrays[i], is_separate)) {
            fitted.conversions.push_back(
                pictures.size() == 1 ? conversion : fmt::format("{}: {}", pictures[i].path, conversion));
        }
    }
    fitted.has_alpha = pictures.front().has_alpha && form.channel == Form::all;
    if (fitted.has_alpha) {
        const Type before = arrays.front().type();
        arrays.front() = to.premultiplied(arrays.front());
        if (arrays.front().type() != before) {
            fitted.conversions.push_back(fmt::format(
                "colours times alpha, {} as {}", name_of(before), name_of(arrays.front().type())));
        }
    }
    if (!is_separate) {
        fitted.calls.push_back(std::move(arrays));
        return fitted;
    }
    for (int c = 0; c < channels_of(pictures.front().array); c++) {
        Form one = form;
        one.channel = c;
        fitted.calls.push_back(in_form(to, pictures, one));
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

}  // namespace tilewright::app
