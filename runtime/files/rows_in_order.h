#pragma once
// The rows of a file that is read or written by a program of its own. Not installed.
#include "tilewright/array.h"
#include "tilewright/error.h"
#include <cstdint>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tilewright {

// Counts the rows of an array that come one after another, and refuses others.
class RowsInOrder {
public:
    // Of an array of that type and shape.
    RowsInOrder(Type type, std::vector<int64_t> shape) : type_(type), shape_(std::move(shape)) {}

    Type type() const {
        return type_;
    }
    const std::vector<int64_t> &shape() const {
        return shape_;
    }
    int64_t left() const {
        return shape_[0] - next_;
    }

    // Counts these, and returns how many were before. Errors: usage, for rows of another type or shape, and
    // for more than are left.
    int64_t take(const Array &rows) {
        std::vector<int64_t> taken = shape_;
        taken[0] = rows.empty() ? 0 : rows.shape()[0];
        if (rows.empty() || rows.type() != type_ || rows.shape() != taken || taken[0] > left()) {
            throw Error(Fault::usage,
                fmt::format("they are not the next rows of {} ({}), of which {} are left", name_of(type_),
                    fmt::join(shape_, ", "), left()),
                {.argument = "rows", .value = rows.describe()});
        }
        return std::exchange(next_, next_ + taken[0]);
    }

private:
    Type type_;
    std::vector<int64_t> shape_;
    int64_t next_ = 0;
};

}  // namespace tilewright
