#pragma once
// What operators derive from: the frame of a call, with a request of the operator's own. Not installed.
#include "runtime/dispatch/plan.h"
#include "tilewright/operator.h"
#include <memory>
#include <span>

namespace tilewright {

// `R` derives from Request and holds what the operator has read of inputs and settings. It is made once per
// call, by read(); everything else takes it.
template<typename R>
class OperatorOf : public Operator {
public:
    using Operator::Operator;

    // The request of these arguments. Errors: usage, input.
    std::unique_ptr<const R> request(std::span<const Array> inputs, const Settings &settings) const {
        std::unique_ptr<const Request> made = parse(inputs, settings);
        return std::unique_ptr<const R>(static_cast<const R *>(made.release()));
    }

protected:
    // Reads inputs and settings, which have the defaults of all options, and fills in type, output_type and
    // output_shape. The number of inputs and the range of each option were checked. Errors: usage, input,
    // through refuse().
    virtual R read(std::span<const Array> inputs, const Settings &settings) const = 0;

    // Refuses values that the operator does not take (NaN, where it means nothing). May look at each element:
    // called once per call, after all other checks. Errors: input.
    virtual void check_elements(const R &) const {}

    // Whether a row can run on these arguments (alignment, sizes). Of rows that an autoscheduler made, the
    // library is asked besides.
    virtual bool accepts_request(const Row &, const R &, const Array &) const {
        return true;
    }

    // The libraries that a call of `row` runs, and their arguments. The row was accepted.
    virtual Plan plan(const Row &row, Device device, const R &request, Array &output) const = 0;

    virtual Remarks remarks_of(const R &) const {
        return {};
    }

    // The numbers that a call's time depends on. As it is: the extents of the first input.
    virtual Measures measures_of(const R &request) const {
        Measures measures;
        for (const int64_t extent : request.inputs[0].shape()) {
            measures.add((double)extent);
        }
        if (request.inputs[0].dimensions() == 2) {
            measures.add(1);  // channel
        }
        return measures;
    }

    // Whether the row's results are of the class of those of `tuned`, and its time does not depend on values.
    // As it is: all rows.
    virtual bool equals_tuned(const Row &) const {
        return true;
    }

private:
    std::unique_ptr<Request> parse_checked(
        std::span<const Array> inputs, const Settings &settings) const final {
        return std::unique_ptr<R>(new R(read(inputs, settings)));  // made in its place, and never copied
    }
    void check_values(const Request &request) const final {
        check_elements(static_cast<const R &>(request));
    }
    bool accepts(const Row &row, const Request &request, const Array &output) const final {
        return accepts_request(row, static_cast<const R &>(request), output);
    }
    Plan plan_of(const Row &row, Device device, const Request &request, Array &output) const final {
        return plan(row, device, static_cast<const R &>(request), output);
    }
    Remarks remarks_on(const Request &request) const final {
        return remarks_of(static_cast<const R &>(request));
    }
    Measures measures_of_call(const Request &request) const final {
        return measures_of(static_cast<const R &>(request));
    }
    bool is_equal_to_tuned(const Row &row) const final {
        return equals_tuned(row);
    }
};

}  // namespace tilewright
