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

// `R` is the request of the form's operator. A form is its name and two functions, or derives from this class
// where that does not suffice.
template<typename R>
class FormOf : public Form {
public:
    using Bind = void (*)(Launch &, const Variant &, const R &, Array &output);
    using Serves = bool (*)(const Variant &, const R &, const Array &output);

    // What bind() and serves() do. Without them bind() binds nothing, and a variant serves every request.
    explicit constexpr FormOf(std::string_view name, Bind bind = nullptr, Serves serves = nullptr)
        : Form(name), bind_(bind), serves_(serves) {}

    // Whether a variant can run on these arguments, beyond its conditions (Variant::Condition): what is no
    // range of a number of the call, as whole multiples and alignment, and bounds that are tunables. Of
    // variants that an autoscheduler made, the library is asked besides.
    virtual bool serves(const Variant &variant, const R &request, const Array &output) const {
        return !serves_ || serves_(variant, request, output);
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
    virtual void bind(Launch &launch, const Variant &variant, const R &request, Array &output) const {
        if (!bind_) {
            throw std::logic_error(variant.name() + ": its form binds no arguments");
        }
        bind_(launch, variant, request, output);
    }

private:
    const Bind bind_;
    const Serves serves_;
};

}  // namespace tilewright
