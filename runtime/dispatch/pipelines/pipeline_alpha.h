#pragma once
// What a pipeline does to the alpha of an image between its stages. Not installed.
#include "tilewright/alpha.h"
#include "tilewright/operator.h"
#include <optional>
#include <vector>

namespace tilewright {

// Changes of an array's alpha on the host, in front of a stage or of the result, in the order in which they
// are made. At most one of the first two.
struct AlphaChange {
    bool is_taken_back = false;          // alpha is that of what the stage before got
    const Operator *divide = nullptr;    // colours are divided by alpha, as this operator does it
    const Operator *multiply = nullptr;  // colours are multiplied by alpha, as this operator does it
    Type type = Type::u8;                // the type afterwards

    bool is_none() const {
        return !is_taken_back && !divide && !multiply;
    }
    // `before` is what the stage before got.
    Array apply(const Array &image, const Array &before) const {
        const Array straight = is_taken_back ? with_alpha_of(image, before) :
                               divide        ? divide->unpremultiplied(image, type) :
                                               image;
        return multiply ? multiply->premultiplied(straight) : straight;
    }
};

inline int64_t channels_of(const std::vector<int64_t> &shape) {
    return shape.size() == 3 ? shape[2] : 1;
}

// The type that the operator wants an image with alpha in, if it wants it premultiplied.
inline std::optional<Type> premultiplied_type(const Operator &op, const Array &image) {
    const Array pixel(image.type(), {1, 1, channels_of(image.shape())});
    const Array made = op.premultiplied(pixel);
    return made.storage() == pixel.storage() ? std::nullopt : std::optional(made.type());
}

// The array that one stage gives to the next one while a call is planned.
struct PipelineArray {
    Array array;
    bool is_between = false;         // it belongs to the plan, not to the caller
    bool has_alpha = false;          // its last channel is alpha
    bool is_alpha_computed = false;  // by the stage before, which treats alpha as a colour
    const Operator *premultiplied_by = nullptr;
    Type straight = Type::u8, premultiplied = Type::u8;  // the types before and after the multiplication

    // The change that a stage of `op` needs; afterwards this is the array that the stage gets. It has no
    // values yet.
    AlphaChange change_for(const Operator &op) {
        const std::optional<Type> wanted = has_alpha ? premultiplied_type(op, array) : std::nullopt;
        AlphaChange change;
        if (!premultiplied_by || !wanted) {
            change = make_straight();
        }
        if (!premultiplied_by && wanted) {
            straight = array.type();
            premultiplied = *wanted;
            premultiplied_by = &op;
            replace(premultiplied);
            change.multiply = &op;
            change.type = premultiplied;
        }
        return change;
    }

    // Whether the array is an image with straight colours and its own alpha.
    bool is_straight() const {
        return !premultiplied_by && !is_alpha_computed;
    }

    // Makes it one. Colours have the type that they had before, unless a stage changed it.
    AlphaChange make_straight() {
        AlphaChange change = {.is_taken_back = is_alpha_computed, .divide = premultiplied_by};
        if (!is_straight()) {
            change.type = premultiplied_by && array.type() == premultiplied ? straight : array.type();
            premultiplied_by = nullptr;
            is_alpha_computed = false;
            replace(change.type);
        }
        return change;
    }

private:
    void replace(Type type) {
        array = Array::uninitialized(type, array.shape());
        is_between = false;
    }
};

}  // namespace tilewright
