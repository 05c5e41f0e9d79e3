#pragma once
// What a front knows of a form: which calls its rows serve, for which they are meant, and their arguments.
// Not installed.
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/operator.h"
#include <string_view>

namespace tilewright {

template<typename R>
class OperatorOf;

// Whether a number is within a bound of a row's configuration, where 0 means that there is none.
inline bool is_within(double number, double bound) {
    return bound == 0 || number <= bound;
}

// One object per form, of static lifetime: a `constexpr` one, so that it is there before all other static
// objects, and without a destructor, because other threads may call while the program ends. An operator lists
// its forms where it is constructed.
class Form {
public:
    explicit constexpr Form(std::string_view name) : name(name) {}
    Form(const Form &) = delete;

    // The name that the generator and the rows of the table give it.
    const std::string_view name;

    // Whether a row that serves a request is expected to be as fast as the rows of its family behind it, for
    // calls of these measures. Measured times replace this (runtime/dispatch/choice/choice.h).
    virtual bool is_meant_for(const Row &, const Measures &) const {
        return true;
    }

    // Whether the results of a row are of the class of those of `tuned`, and its time does not depend on
    // values.
    virtual bool equals_tuned(const Row &) const {
        return true;
    }

protected:
    ~Form() = default;
};

// `R` is the request of the form's operator.
template<typename R>
class FormOf : public Form {
public:
    using Form::Form;

    // Whether a row can run on these arguments (alignment, sizes). Of rows that an autoscheduler made, the
    // library is asked besides.
    virtual bool serves(const Row &, const R &, const Array &) const {
        return true;
    }

    // What a call of the row does, which serves the request. As it is: the row's library runs once.
    virtual Plan plan(
        const OperatorOf<R> &, const Row &row, Device device, const R &request, Array &output) const {
        Plan plan;
        bind(plan.launch(row, device), row, request, output);
        return plan;
    }

protected:
    // Binds the arguments of the row's library. A form with a plan() of its own need not have it.
    virtual void bind(Launch &, const Row &row, const R &, Array &) const {
        throw std::logic_error(row.name() + ": its form binds no arguments");
    }
};

}  // namespace tilewright
