#pragma once
// What operators derive from: the frame of a call, with a request of the operator's own. Not installed.
#include "runtime/dispatch/form.h"
#include "tilewright/operator.h"
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tilewright {

// `R` derives from Request and holds what the operator has read of inputs and settings. It is made once per
// call, by read(); everything else takes it.
template<typename R>
class OperatorOf : public Operator {
    static_assert(!std::is_same_v<R, Request>, "an operator has a request of its own");

public:
    using Operator::Operator;
    using Operator::remarks;

    // The request of these arguments. Errors: usage, input.
    std::unique_ptr<const R> request(std::span<const Array> inputs, const Settings &settings) const {
        std::unique_ptr<const Request> made = parse(inputs, settings);
        return std::unique_ptr<const R>(static_cast<const R *>(made.release()));
    }

    // What this front knows of a row's form.
    const FormOf<R> &form_of(const Row &row) const {
        return static_cast<const FormOf<R> &>(form(row));
    }

    // The row of the same type and backend that has another form.
    const Row &row_beside(const Row &row, const FormOf<R> &form) const {
        for (const Row &other : rows()) {
            if (other.known_form == &form && other.type == row.type && other.backend == row.backend) {
                return other;
            }
        }
        throw std::logic_error(
            row.name() + " has no row with the form " + std::string(form.name) + " beside it");
    }

    // As it is: the plan of the row's form. An operator overrides it for what all its forms need.
    virtual Plan plan(const Row &row, Device device, const R &request, Array &output) const {
        return form_of(row).plan(*this, row, device, request, output);
    }
    Plan plan(const Row &row, Device device, const Request &request, Array &output) const final {
        return plan(row, device, static_cast<const R &>(request), output);
    }

    virtual Remarks remarks(const R &) const {
        return {};
    }
    Remarks remarks(const Request &request) const final {
        return remarks(static_cast<const R &>(request));
    }

    // The numbers that a call's time depends on. As it is: the extents of the first input.
    virtual Measures measures(const R &request) const {
        Measures measures;
        for (const int64_t extent : request.inputs[0].shape()) {
            measures.add((double)extent);
        }
        if (request.inputs[0].dimensions() == 2) {
            measures.add(1);  // channel
        }
        return measures;
    }
    Measures measures(const Request &request) const final {
        return measures(static_cast<const R &>(request));
    }

protected:
    // Reads inputs and settings, which have the defaults of all options, and fills in type, output_type and
    // output_shape. The number of inputs and the range of each option were checked. Errors: usage, input,
    // through refuse().
    virtual R read(std::span<const Array> inputs, const Settings &settings) const = 0;

    // Refuses values that the operator does not take (NaN, where it means nothing). May look at each element:
    // called once per call, after all other checks. Errors: input.
    virtual void check_elements(const R &) const {}

    // Whether a row can run on these arguments. As it is: what its form says. An operator overrides it for
    // what all its forms need.
    virtual bool form_serves(const Row &row, const R &request, const Array &output) const {
        return form_of(row).serves(row, request, output);
    }

private:
    std::unique_ptr<Request> read_request(
        std::span<const Array> inputs, const Settings &settings) const final {
        return std::unique_ptr<R>(new R(read(inputs, settings)));  // made in its place, and never copied
    }
    void check_elements(const Request &request) const final {
        check_elements(static_cast<const R &>(request));
    }
    bool form_serves(const Row &row, const Request &request, const Array &output) const final {
        return form_serves(row, static_cast<const R &>(request), output);
    }
};

}  // namespace tilewright
