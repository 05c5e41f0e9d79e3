#pragma once
// What operators derive from: the frame of a call, with a request of the operator's own. Not installed.
#include "runtime/dispatch/form.h"
#include "runtime/dispatch/parts.h"
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

    // What this front knows of a variant's form.
    const FormOf<R> &form_of(const Variant &variant) const {
        return static_cast<const FormOf<R> &>(form(variant));
    }

    // The variant of the same type and backend that has another form.
    const Variant &variant_beside(const Variant &variant, const FormOf<R> &form) const {
        for (const Variant &other : variants()) {
            if (other.known_form == &form && other.type == variant.type && other.backend == variant.backend) {
                return other;
            }
        }
        throw std::logic_error(
            variant.name() + " has no variant with the form " + std::string(form.name) + " beside it");
    }

    // As it is: the plan of the variant's form. An operator overrides it for what all its forms need.
    virtual Plan plan(const Variant &variant, Device device, const R &request, Array &output) const {
        return form_of(variant).plan(*this, variant, device, request, output);
    }
    Plan plan(const Variant &variant, Device device, const Request &request, Array &output) const final {
        return request.parts ? plan_of_parts(variant, device, request, *request.parts, output) :
                               plan(variant, device, static_cast<const R &>(request), output);
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

    // How many rows of the first input its libraries take at once. As it is: those that they address, of
    // images and of results that are images.
    virtual int64_t most_rows(const R &request) const {
        return rows_addressed(request);
    }
    int64_t most_rows(const Request &request) const final {
        return most_rows(static_cast<const R &>(request));
    }

    // Refuses values that the operator does not take (NaN, where it means nothing). May look at each element:
    // called once per call, after all other checks. It looks at `inputs` of the request alone, and the
    // description says that it does (looks_at_elements). Errors: input.
    virtual void check_elements(const R &) const {}

    // Whether a variant can run on these arguments. As it is: what its form says. An operator overrides it
    // for what all its forms need.
    virtual bool form_serves(const Variant &variant, const R &request, const Array &output) const {
        return form_of(variant).serves(variant, request, output);
    }

private:
    std::unique_ptr<Request> read_request(
        std::span<const Array> inputs, const Settings &settings) const final {
        return std::unique_ptr<R>(new R(read(inputs, settings)));  // made in its place, and never copied
    }
    void check_elements(const Request &request) const final {
        check_elements(static_cast<const R &>(request));
    }
    bool form_serves(const Variant &variant, const Request &request, const Array &output) const final {
        return form_serves(variant, static_cast<const R &>(request), output);
    }
};

}  // namespace tilewright
