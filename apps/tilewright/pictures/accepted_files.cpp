// Asks an operator about small arrays of every type and shape, and puts the answers into words.
#include "apps/tilewright/pictures/accepted_files.h"
#include "apps/tilewright/pictures/field_picture.h"
#include "apps/tilewright/pictures/fitting.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/option_text.h"
#include "tilewright/png.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tilewright::app {

namespace {

struct Shape {
    const char *name;
    std::vector<int64_t> extents;
};

// 16 is the least side of a Fourier transform.
const std::vector<Shape> shapes = {{"(n)", {16}}, {"(h, w)", {16, 16}}, {"(h, w, 2)", {16, 16, 2}},
    {"(h, w, 3)", {16, 16, 3}}, {"(h, w, 4)", {16, 16, 4}}};

Settings example_settings(const Operator &op) {
    Settings settings;
    for (const Option &option : op.options()) {
        if (!option.example.empty()) {
            settings.set(option.name, value_of(op, option, option.example, "--" + option.name));
        }
    }
    return settings;
}

bool takes(const Operator &op, const std::vector<Array> &inputs, const Settings &settings) {
    try {
        op.type_of(inputs, settings);
        return true;
    } catch (const Error &) {
        return false;
    }
}

bool makes_png(const Operator &op, const std::vector<Array> &inputs, const Settings &settings) {
    const auto [type, shape] = op.output_of(inputs, op.settings_for("png", inputs, settings));
    try {
        check_png(type, shape);
        return true;
    } catch (const Error &) {
        return is_picture_of_field(op, type, shape);
    }
}

// Collects types and shapes; shapes of the same types are listed together: "u8, u16 of shape (h, w), (h, w,
// 3)".
class Arrays {
public:
    void add(const std::string &shape, const std::vector<std::string> &types) {
        const std::string names = joined(types, ", ");
        const auto known = std::find_if(
            groups_.begin(), groups_.end(), [&](const auto &group) { return group.first == names; });
        if (known != groups_.end()) {
            known->second += ", " + shape;
        } else if (!types.empty()) {
            groups_.emplace_back(names, shape);
        }
    }

    std::string words() const {
        std::vector<std::string> all;
        for (const auto &[types, shapes] : groups_) {
            all.push_back(types + " of shape " + shapes);
        }
        return joined(all, "; ");
    }

private:
    std::vector<std::pair<std::string, std::string>> groups_;
};

std::string input_examples(const Operator &op, bool picture) {
    if (op.inputs() == 1) {
        return picture ? "photo.png" : "field.npy";
    }
    std::vector<std::string> names;
    for (int i = 0; i < op.inputs(); i++) {
        names.push_back(fmt::format("{}.npy", (char)('a' + i)));
    }
    return joined(names);
}

// What becomes of a photograph of sides that are no power of two, with 3 channels.
Fitted fitted_photograph(const Operator &op, const Settings &settings, bool crop) {
    Picture photograph;
    photograph.path = "photo.png";
    photograph.kind = FileKind::png;
    photograph.array = Array(Type::u8, {48, 80, 3});
    return fitted(receiver_of(op, settings), {photograph}, {.crop = crop});
}

// What the operator gets of a photograph, in words; nothing where it takes none.
std::optional<std::string> notes_on_photographs(
    const Operator &op, const Settings &settings, std::string &options) {
    for (const bool crop : {false, true}) {
        try {
            const Fitted photograph = fitted_photograph(op, settings, crop);
            options = crop ? " --crop" : "";
            std::string notes;
            if (photograph.calls.size() > 1) {
                notes = "The result has a column per channel of a picture.\n";
            } else if (photograph.calls.front().front().dimensions() == 2) {
                notes = "Of a picture with colours, grey values are taken.\n";
            }
            return notes;
        } catch (const Error &) {  // NOLINT(bugprone-empty-catch): the next way to fit it may do
        }
    }
    return std::nullopt;
}

}  // namespace

Accepted accepted_by(const Operator &op) {
    const Settings settings = example_settings(op);
    Arrays arrays;
    bool colour = false, png_output = false, vectors = false, matrices = false;
    for (const auto &[name, extents] : shapes) {
        std::vector<std::string> taken;
        for (const Type type : all_types) {
            const std::vector<Array> inputs((size_t)op.inputs(), Array(type, extents));
            if (!takes(op, inputs, settings)) {
                continue;
            }
            taken.push_back(tilewright::name_of(type));
            const bool in_png = (type == Type::u8 || type == Type::u16) && extents.size() > 1;
            vectors = vectors || extents.size() == 1;
            matrices = matrices || (op.inputs() > 1 && extents.size() == 2);
            colour = colour || (in_png && extents.size() == 3);
            png_output = png_output || makes_png(op, inputs, settings);
        }
        arrays.add(name, taken);
    }
    Accepted accepted;
    if (op.inputs() == 1) {
        const auto notes = notes_on_photographs(op, settings, accepted.example_options);
        accepted.png = notes.has_value();
        accepted.notes = notes.value_or("");
    }
    if (accepted.png) {
        accepted.notes += colour ? "A picture is u8 or, with 16 bits per channel, u16; grey is (h, w), RGB "
                                   "(h, w, 3); with alpha (h, w, 2) and (h, w, 4).\n" :
                                   "";
        accepted.notes +=
            "JPEG and TIFF are taken as PNG is, turned upright; the result has the kind that its "
            "name says: .jpg and .tif too.\n"
            "- is standard input, and standard output.\n";
    }
    if (vectors || matrices) {
        accepted.notes += fmt::format(
            "Text is taken too (.csv, .txt): one {} per line.\n", matrices ? "row of a matrix" : "number");
    }
    accepted.png_output = png_output;
    accepted.inputs =
        fmt::format("{}: {}", accepted.png ? "A picture or .npy file" : "An .npy file", arrays.words());
    accepted.output = fmt::format("The file to write: {}.npy", png_output ? ".png or " : "");
    accepted.example =
        fmt::format("{} {}", input_examples(op, accepted.png), png_output ? "out.png" : "out.npy");
    return accepted;
}

}  // namespace tilewright::app
