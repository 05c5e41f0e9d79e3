#pragma once
// What a front knows of a form: which calls its variants serve, for which they are meant, and their
// arguments. Not installed.
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/operator.h"
#include <string_view>

namespace tilewright {

template<typename R>
class OperatorOf;

// One object per form, of static lifetime: a `constexpr` one, so that it is there before all other static
// objects, and without a destructor, because other threads may call while the program ends. An operator lists
// its forms where it is constructed.
class Form {
public:
    explicit constexpr Form(std::string_view name) : name(name) {}
    Form(const Form &) = delete;

    // The name that the generator and the variants of the table give it.
    const std::string_view name;

    // Whether the results of a variant are of the class of those of `tuned`, and its time does not depend on
    // values.
    virtual bool equals_tuned(const Variant &) const {
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

    // Whether a variant can run on these arguments, beyond its conditions (Variant::Condition): what is no
    // range of a number of the call, as whole multiples and alignment, and bounds that are tunables. Of
    // variants that an autoscheduler made, the library is asked besides.
    virtual bool serves(const Variant &, const R &, const Array &) const {
        return true;
    }

    // What a call of the variant does, which serves the request. As it is: the variant's library runs once.
    virtual Plan plan(
        const OperatorOf<R> &, const Variant &variant, Device device, const R &request, Array &output) const {
        Plan plan;
        bind(plan.launch(variant, device), variant, request, output);
        return plan;
    }

protected:
    // Binds the arguments of the variant's library. A form with a plan() of its own need not have it.
    virtual void bind(Launch &, const Variant &variant, const R &, Array &) const {
        throw std::logic_error(variant.name() + ": its form binds no arguments");
    }
};

}  // namespace tilewright
