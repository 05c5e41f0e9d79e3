// How an output is compared with the expected one, number by number or as a whole.
#include "runtime/arrays/element.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace tilewright {

namespace {

// An array as rows of numbers: a complex element is two of them. f64 of shape (..., 2) stands for complex
// ones and gives the same numbers.
class Numbers {
public:
    explicit Numbers(const Array &array)
        : type_(array.type() == Type::c64  ? Type::f32 :
                array.type() == Type::c128 ? Type::f64 :
                                             array.type()),
          data_(static_cast<const char *>(array.data())) {
        const int64_t parts = is_complex(array.type()) ? 2 : 1;
        rows = array.dimensions() > 1 ? array.shape()[0] : 1;
        row = array.size() / rows * parts;
        pitch_ = rows > 1 ? array.strides()[0] * parts : 0;
    }

    const void *at(int64_t y, int64_t i) const {
        return data_ + (y * pitch_ + i) * (int64_t)size_of(type_);
    }
    double operator()(int64_t y, int64_t i) const {
        return with_element(type_, [&]<typename T>(T) {
            if constexpr (std::is_convertible_v<T, double>) {
                return (double)*static_cast<const T *>(at(y, i));
            } else {
                return 0.;  // no complex numbers: these are two
            }
        });
    }
    bool has_bytes_of(const Numbers &other, int64_t y, int64_t i, int64_t count) const {
        return type_ == other.type_ && memcmp(at(y, i), other.at(y, i), (size_t)count * size_of(type_)) == 0;
    }

    int64_t rows, row;  // how many rows, and how many numbers each has

private:
    Type type_;
    const char *data_;
    int64_t pitch_;
};

// How far a number is off: not at all where both are NaN, by infinity where one of them is, or is infinite.
double distance(double actual, double expected) {
    const bool same = actual == expected || (std::isnan(actual) && std::isnan(expected));
    return same ? 0 : std::isfinite(actual - expected) ? std::abs(actual - expected) : INFINITY;
}

// The L2 norm of what an output is off, against the expected one's; NaN and infinity are off by infinity,
// unless both have them.
std::string difference_in_norm(const Numbers &actual, const Numbers &expected, int parts, double allowed) {
    double off = 0, all = 0, worst = 0;
    int64_t worst_x = 0, worst_y = 0;
    for (int64_t y = 0; y < actual.rows; y++) {
        for (int64_t i = 0; i < actual.row; i++) {
            const double should = expected(y, i), here = distance(actual(y, i), should);
            all += std::isfinite(should) ? should * should : 0;
            off += here * here;
            if (here > worst) {
                worst = here;
                worst_x = i / parts;
                worst_y = y;
            }
        }
    }
    if (off <= allowed * allowed * all) {
        return "";
    }
    return fmt::format("it is off by {:.3g} relative to the norm of what was expected (allowed: {:.3g}); the "
                       "largest difference is {:.3g}, at x = {}, y = {}",
        all > 0 ? std::sqrt(off / all) : INFINITY, allowed, worst, worst_x, worst_y);
}

// Whether `expected` has a number for each one of `actual`: the same type and shape, or f64 for what is to be
// compared within a bound.
bool is_comparable(const Array &actual, const Array &expected) {
    std::vector<int64_t> shape = actual.shape();
    if (expected.type() == Type::f64 && is_complex(actual.type())) {
        shape.push_back(2);
    }
    return expected.shape() == shape && (expected.type() == actual.type() || expected.type() == Type::f64);
}

}  // namespace

std::string difference(const Array &actual, const Array &expected, const Array &bound, double factor) {
    if (!is_comparable(actual, expected)) {
        return fmt::format("{} where {} was expected", actual.describe(), expected.describe());
    }
    const int parts = is_complex(actual.type()) ? 2 : 1;
    const Numbers is(actual), should(expected);
    if (bound.size() == 1 && actual.size() > 1) {
        return difference_in_norm(is, should, parts, factor * *bound.as<double>());
    }
    const double *bounds = bound.empty() ? nullptr : bound.as<double>();
    const int64_t bound_pitch = bound.empty() || is.rows == 1 ? 0 : bound.strides()[0];
    int64_t wrong = 0, first_x = 0, first_y = 0;
    double worst = 0;
    std::string first;
    for (int64_t y = 0; y < is.rows; y++) {
        if (is.has_bytes_of(should, y, 0, is.row)) {
            continue;
        }
        for (int64_t x = 0; x < is.row / parts; x++) {
            if (is.has_bytes_of(should, y, x * parts, parts)) {
                continue;
            }
            // A complex number is held to the bound in each part; the worse one is shown.
            int64_t at = x * parts;
            if (parts == 2 &&
                distance(is(y, at + 1), should(y, at + 1)) > distance(is(y, at), should(y, at))) {
                at++;
            }
            const double off = distance(is(y, at), should(y, at)),
                         allowed = bounds ? factor * bounds[y * bound_pitch + x] : -1;
            // the same number, or both NaN, is right where the bound is NaN too
            if (bounds && (off == 0 || off <= allowed)) {
                continue;
            }
            if (wrong++ == 0) {
                first_x = x;
                first_y = y;
                first = fmt::format("{} where {} was expected", is(y, at), should(y, at)) +
                        (bounds ? fmt::format(" (allowed: {:.3g} off)", allowed) : "");
            }
            worst = std::max(worst, off);
        }
    }
    return wrong ? fmt::format("{} of {} elements differ, by up to {:.3g}; the first at x = {}, y = {}: {}",
                       wrong, actual.size(), worst, first_x, first_y, first) :
                   "";
}

double largest_error(const Array &actual, const Array &expected) {
    if (!is_comparable(actual, expected)) {
        return INFINITY;
    }
    const Numbers is(actual), should(expected);
    double off = 0, largest = 0;
    for (int64_t y = 0; y < is.rows; y++) {
        if (is.has_bytes_of(should, y, 0, is.row)) {
            continue;
        }
        for (int64_t i = 0; i < is.row; i++) {
            off = std::max(off, distance(is(y, i), should(y, i)));
        }
    }
    if (off == 0) {
        return 0;
    }
    for (int64_t y = 0; y < should.rows; y++) {
        for (int64_t i = 0; i < should.row; i++) {
            const double number = should(y, i);
            largest = std::max(largest, std::isfinite(number) ? std::abs(number) : 0);
        }
    }
    return off / largest;
}

}  // namespace tilewright
