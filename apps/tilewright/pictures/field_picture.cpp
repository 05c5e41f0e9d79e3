#include "apps/tilewright/pictures/field_picture.h"
#include "apps/tilewright/pictures/conversions.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

// A transform's option `direction` says what a picture of its complex result shows.
static bool is_transform(const Operator &op) {
    return std::any_of(op.options().begin(), op.options().end(),
        [](const Option &option) { return option.name == "direction"; });
}

bool is_picture_of_field(const Operator &op, Type type, const std::vector<int64_t> &shape) {
    return is_transform(op) && (type == Type::c64 || type == Type::c128) && shape.size() == 2;
}

std::optional<FieldPicture> FieldPicture::in_file(const Operator &op, const Settings &settings, Type type,
    const std::vector<int64_t> &shape, FileKind kind, Type from) {
    // Half of a spectrum has no middle.
    if (!is_picture(kind) || !is_picture_of_field(op, type, shape) || settings.text("half", "no") == "yes") {
        return std::nullopt;
    }
    const bool is_deep = from == Type::u16 && kind != FileKind::jpeg;
    return FieldPicture(is_deep ? Type::u16 : Type::u8, settings.text("direction", "") == "inverse");
}

std::string FieldPicture::words() const {
    return is_inverse_ ? "written as its real part" :
                         "written as log(1 + magnitude), frequency 0 in the middle";
}

Array FieldPicture::made_of(const Array &field) const {
    return is_inverse_ ? picture_of_values(field, type_) : picture_of_spectrum(field, type_);
}

std::string words_on_padding(const Operator &op, const Settings &settings, const std::vector<int64_t> &from,
    const std::vector<int64_t> &to) {
    const bool pads = is_transform(op) && settings.text("pad", "no") == "yes" && from != to;
    return pads ? fmt::format("zeros behind it up to {} x {}", to[1], to[0]) : "";
}

}  // namespace tilewright::app
