#pragma once
// A picture of a complex field: what a transform, as a command or as the last stage of a pipeline, writes to
// a file that holds no complex numbers.
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// Whether a picture shows such a result of the operator although none can hold it.
bool is_picture_of_field(const Operator &op, Type type, const std::vector<int64_t> &shape);

// The same for one call: of a spectrum log(1 + magnitude) with frequency 0 in the middle, of an inverse
// transform the real part.
class FieldPicture {
public:
    // Nothing where the file holds the result itself, or neither. `settings`: those of the operator. `from`:
    // the type of the first file; of u16 a picture has 16 bits per value, where its kind has them.
    static std::optional<FieldPicture> in_file(const Operator &op, const Settings &settings, Type type,
        const std::vector<int64_t> &shape, FileKind kind, Type from);

    Type type() const {
        return type_;
    }
    std::string words() const;  // "written as its real part"
    Array made_of(const Array &field) const;

private:
    FieldPicture(Type type, bool is_inverse) : type_(type), is_inverse_(is_inverse) {}

    Type type_;
    bool is_inverse_;
};

// What a transform added to its input, "zeros behind it up to 128 x 64"; empty where it added nothing.
std::string words_on_padding(const Operator &op, const Settings &settings, const std::vector<int64_t> &from,
    const std::vector<int64_t> &to);

}  // namespace tilewright::app
