// Asks an operator about small arrays of every type and shape, and puts the answers into words.
#include "apps/tilewright/support/accepted.h"
#include "apps/tilewright/support/report.h"
#include "runtime/dispatch/option_text.h"
#include "tilewright/png.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

struct Shape {
    const char *name;
    std::vector<int64_t> extents;
};

// 16 is the least side of a Fourier transform.
const std::vector<Shape> shapes = {{"(n)", {16}}, {"(h, w)", {16, 16}}, {"(h, w, 2)", {16, 16, 2}},
    {"(h, w, 3)", {16, 16, 3}}, {"(h, w, 4)", {16, 16, 4}}};
constexpr Type types[] = {Type::u8, Type::u16, Type::u32, Type::i32, Type::f32, Type::f64, Type::c64};

Settings settings_of(const Operator &op) {
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
        return false;
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

std::string input_examples(const Operator &op, bool grey, bool colour) {
    if (op.inputs() == 1) {
        return colour ? "photo.png" : grey ? "grey.png" : "field.npy";
    }
    std::vector<std::string> names;
    for (int i = 0; i < op.inputs(); i++) {
        names.push_back(fmt::format("{}.npy", (char)('a' + i)));
    }
    return joined(names);
}

}  // namespace

Accepted accepted_by(const Operator &op) {
    const Settings settings = settings_of(op);
    Arrays arrays;
    bool grey = false, colour = false, png_output = false;
    for (const auto &[name, extents] : shapes) {
        std::vector<std::string> taken;
        for (const Type type : types) {
            const std::vector<Array> inputs((size_t)op.inputs(), Array(type, extents));
            if (!takes(op, inputs, settings)) {
                continue;
            }
            taken.push_back(tilewright::name_of(type));
            const bool in_png = (type == Type::u8 || type == Type::u16) && extents.size() > 1;
            grey = grey || (in_png && extents.size() == 2);
            colour = colour || (in_png && extents.size() == 3);
            png_output = png_output || makes_png(op, inputs, settings);
        }
        arrays.add(name, taken);
    }
    const char *files = colour ? "A PNG or .npy file" :
                        grey   ? "A PNG without colours and alpha, or an .npy file" :
                                 "An .npy file";
    return {grey || colour, png_output, fmt::format("{}: {}", files, arrays.words()),
        fmt::format("The file to write: {}.npy", png_output ? ".png or " : ""),
        fmt::format("{} {}", input_examples(op, grey, colour), png_output ? "out.png" : "out.npy")};
}

}  // namespace tilewright::app
