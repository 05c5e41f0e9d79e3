// Puts into words what files an operator takes and makes.
#include "apps/tilewright/pictures/accepted_files.h"
#include "apps/tilewright/terminal/printing.h"
#include <fmt/format.h>

namespace tilewright::app {

namespace {

// Whether a picture is taken, as it is or with its values in f32.
bool takes_pictures(const Input &input) {
    return input.axes != Axes::vector &&
           (input.takes(Type::u8) || input.takes(Type::u16) || input.takes(Type::f32));
}

// Whether a picture can show what is made: the same kind of image, or what stands for a field.
bool makes_pictures(const Operator &op) {
    const Input &input = op.inputs().front();
    return op.makes() == Makes::field ||
           (op.makes() == Makes::image && (input.takes(Type::u8) || input.takes(Type::u16)));
}

std::string input_examples(const Operator &op, bool picture) {
    if (op.inputs().size() == 1) {
        return picture ? "photo.png" : "field.npy";
    }
    std::vector<std::string> names;
    for (const Input &input : op.inputs()) {
        names.push_back(input.name + ".npy");
    }
    return joined(names);
}

std::string notes_on_pictures(const Operator &op) {
    const Input &input = op.inputs().front();
    std::string notes;
    if (op.makes() == Makes::vector) {
        notes = "The result has a column per channel of a picture.\n";
    } else if (input.axes == Axes::image_or_channels) {
        notes =
            "A picture is u8 or, with 16 bits per channel, u16; grey is (h, w), RGB (h, w, 3); with alpha "
            "(h, w, 2) and (h, w, 4).\n";
    } else if (op.makes() == Makes::image) {
        notes = "Of a picture with colours, --grey or --channel says what is taken.\n";
    } else {
        notes = "Of a picture with colours, grey values are taken.\n";
    }
    return notes + "JPEG and TIFF are taken as PNG is, turned upright; the result has the kind that its name "
                   "says: .jpg and .tif too.\n"
                   "- is standard input, and standard output.\n";
}

}  // namespace

Accepted accepted_by(const Operator &op) {
    const Input &first = op.inputs().front();
    Accepted accepted;
    accepted.png = op.inputs().size() == 1 && takes_pictures(first);
    accepted.png_output = makes_pictures(op);
    if (accepted.png) {
        accepted.notes = notes_on_pictures(op);
        accepted.example_options = first.sides.are_equal ? " --crop" : "";
    }
    if (first.axes == Axes::vector || op.inputs().size() > 1) {
        accepted.notes += fmt::format("Text is taken too (.csv, .txt): one {} per line.\n",
            first.axes == Axes::vector ? "number" : "row of a matrix");
    }
    for (const Input &input : op.inputs()) {
        accepted.inputs.push_back(
            fmt::format("{}: {}{}", accepted.png ? "A picture or .npy file" : "An .npy file", input.says(),
                input.help.empty() ? "" : ". " + input.help));
    }
    accepted.output = fmt::format("The file to write: {}.npy", accepted.png_output ? ".png or " : "");
    accepted.example =
        fmt::format("{} {}", input_examples(op, accepted.png), accepted.png_output ? "out.png" : "out.npy");
    return accepted;
}

}  // namespace tilewright::app
