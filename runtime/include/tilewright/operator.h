#pragma once
#include "tilewright/array.h"
#include "tilewright/call.h"
#include "tilewright/error.h"
#include "tilewright/input.h"
#include "tilewright/prepared.h"
#include "tilewright/request.h"
#include "tilewright/settings.h"
#include "tilewright/variant.h"
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// What a variant will take, by the times that were measured on a device like this one.
struct PredictedTime {
    const Variant *variant;
    double ms;         // of the whole call
    std::string from;  // the name of the file of measured times
    // Of predictions from this file: the factor that half of them, and that nine in ten, are not further off
    // by (predicted from other calls of the file). 0: not known.
    double median_factor = 0, most_factor = 0;
};

class VariantChoices;  // the measured times of the variants (runtime/dispatch/choice/choice.h)
struct VariantChoice;  // a variant that they choose (there too)
class KeptCalls;       // plans of the last calls (runtime/dispatch/kept_calls.h)
class Plan;            // the libraries that a call runs, one after another, and their arguments
                       // (runtime/dispatch/steps/plan.h)
class ManyImages;      // how arrays are many images (runtime/dispatch/many_images.h)
class Form;            // what a front knows of one form (runtime/dispatch/operator_of.h)

// What an operator says of itself.
struct Description {
    std::string name;                       // of the operator: a command, and a function
    std::string summary;                    // one line
    std::vector<Input> inputs = {Input{}};  // what a call takes
    Makes makes = Makes::image;             // what a call makes
    bool has_separate_channels = false;     // of (h, w, c), each channel is computed as an image (h, w)
    std::vector<Option> options = {};       // its settings
    // one more array that a call may end its inputs with: on the command line a file's name
    std::optional<Input> optional_input = {};
    std::string notes = {};  // lines for --help, each with its end
    std::vector<std::string> measures = {"height", "width", "channels"};  // the names of Operator::measures
    bool looks_at_elements = false;  // a call is refused for some values of its inputs
    Bands bands = Bands::halo;       // how a call works on bands of rows
};

// An operator: what it takes and makes, its table of variants, and the front that checks arguments and plans
// which libraries run on them. An operator derives from OperatorOf<its own Request>
// (runtime/dispatch/operator_of.h).
class Operator {
public:
    // `variants`: the operator's table. `forms`: what its front knows of the forms of these variants; the
    // variant and the form find each other here, by name. A variant whose form is not among them is an
    // std::logic_error.
    Operator(Description description, const std::vector<Variant> &variants, std::vector<const Form *> forms);
    virtual ~Operator();
    Operator(const Operator &) = delete;

    // What its description says (Description).
    const std::string &name() const {
        return description_.name;
    }
    const std::string &summary() const {
        return description_.summary;
    }
    // What a call takes, in this order; behind it, if the call gives it, optional_input().
    const std::vector<Input> &inputs() const {
        return description_.inputs;
    }
    Makes makes() const {
        return description_.makes;
    }
    bool has_separate_channels() const {
        return description_.has_separate_channels;
    }
    const std::vector<Option> &options() const {
        return description_.options;
    }
    const std::string &notes() const {
        return description_.notes;
    }
    bool looks_at_elements() const {
        return description_.looks_at_elements;
    }
    Bands bands() const {
        return description_.bands;
    }
    const std::optional<Input> &optional_input() const {
        return description_.optional_input;
    }
    const std::vector<Variant> &variants() const {
        return variants_;
    }
    const std::vector<const Form *> &forms() const {
        return forms_;
    }

    // Errors: usage, for a schedule that none of the operator's variants has; the message names those that
    // there are.
    void check_schedule(const std::string &schedule) const;

    // The variants that a schedule names on a device's backend, in the table's order.
    std::vector<const Variant *> variants(const std::string &schedule, Backend backend) const;

    // The call: checks everything, makes `output` if it is empty, takes the variant and runs it. Where
    // `tuned` finds no memory for its variant, it runs it on parts of the rows, if results of parts can be
    // put together. Errors: usage (unknown schedule or setting), input, device, memory; each names operator,
    // argument and value.
    void operator()(std::span<const Array> inputs, Array &output, const Settings &settings = {},
        const Call &call = {}) const;

    // Makes the call, and returns it as one that runs again with less work of the host, on these arrays or on
    // others of the same types and shapes (tilewright/prepared.h). `call.variants` outlive it. Errors: those
    // of the call.
    Prepared prepare(std::span<const Array> inputs, Array &output, const Settings &settings = {},
        const Call &call = {}) const;

    // The same as operator() for arguments that parse() has read, which are one image: `how.layout` is not
    // read. Errors: input, device, memory; usage, for an unknown schedule.
    void call(const Request &request, Array &output, const Call &how = {}) const {
        place_of_call(request, output, how);
    }

    // Checks settings and inputs as they are declared, and reads them. Errors: usage (number of inputs,
    // unknown option, value out of range), input (type, shape).
    std::unique_ptr<const Request> parse(std::span<const Array> inputs, const Settings &settings) const {
        return read_checked(inputs, settings);
    }

    // The variant that a call runs, out of `variants` if they are given. Errors: usage, input, device, as
    // above.
    const Variant &choose(const Request &request, const Array &output, const std::string &schedule,
        Device device, const std::vector<Variant> *variants = nullptr) const;
    const Variant &choose(std::span<const Array> inputs, const Array &output, const Settings &settings,
        const std::string &schedule, Device device, const std::vector<Variant> *variants = nullptr) const {
        return choose(*parse(inputs, settings), output, schedule, device, variants);
    }

    // The variants that `tuned` may take for calls of this type there and whose times were measured on a
    // device like it, the one with the least predicted time first. The times are those of the call without
    // copies from and to the host. Whether a variant serves the request is not asked. Empty where no call
    // like it was measured.
    std::vector<PredictedTime> predicted_times(const Request &request, Device device) const;

    // The device that a call with `device` unset runs on: that of the environment (default_device()). Where
    // it names none, the best one, in the order of best_device(), that can run a variant of the schedule for
    // this type, out of `variants` if they are given. Of `tuned` it is that one or the CPU, whichever has the
    // least predicted time for the variant and for the copies between host and device that the call and its
    // result need, where there are times for both. Arrays whose newest elements are on a device are not
    // copied there, and the result of a call on such arrays is not copied to the host. best_device() where no
    // device can run such a variant.
    Device choose_device(const Request &request, const std::string &schedule = "tuned",
        const std::vector<Variant> *variants = nullptr) const;

    // The numbers by which calls are compared with measured ones.
    virtual Measures measures(const Request &request) const = 0;

    // A number that conditions of variants are about, by its name: one of the measures of a call, or one that
    // the operator makes of them. Of a name that it does not know, an std::logic_error.
    virtual double measure(std::string_view name, const Variant &variant, const Measures &measures) const;

    // Whether `tuned` may take a variant that is not of that family: it gives results of the same class, and
    // how long it takes does not depend on the values of its inputs. Variants of autoschedulers and the
    // unscheduled `reference` are never taken.
    bool may_stand_for_tuned(const Variant &variant) const;

    // Whether a variant of the request's type can run on these arguments (alignment, sizes).
    bool serves(const Variant &variant, const Request &request, const Array &output) const;
    bool serves(const Variant &variant, std::span<const Array> inputs, const Array &output,
        const Settings &settings) const {
        return serves(variant, *parse(inputs, settings), output);
    }

    // What the front knows of a variant's form. A form that it does not know is an std::logic_error.
    const Form &form(const Variant &variant) const;

    // Whether a variant that serves the request is meant for it: all its conditions hold.
    // Of a family the first variant that is, is taken where no measured times decide. A variant that is not
    // meant for a request gives the same result, but others are expected to be faster.
    bool is_meant_for(const Variant &variant, const Request &request) const {
        return is_meant_for(variant, measures(request));
    }
    bool is_meant_for(const Variant &variant, const Measures &measures) const;

    // Why a variant that serves the request cannot run on the device, or another variant that its plan runs
    // cannot; empty where all can.
    std::string why_not_on(
        const Variant &variant, Device device, const Request &request, const Array &output) const;

    // The first variant that a schedule's name means, that serves the request and that the device can run:
    // one that is meant for it before others. Null where there is none.
    const Variant *named_variant(
        const Request &request, const Array &output, const std::string &schedule, Device device) const {
        return named_variant(request, output, schedule, device, variants_);
    }

    // Runs a variant that serves the request. Returns the variants whose libraries ran: the variant's own, or
    // others that its front put together.
    std::vector<const Variant *> run(
        const Variant &variant, Device device, const Request &request, Array &output) const;
    std::vector<const Variant *> run(const Variant &variant, Device device, std::span<const Array> inputs,
        Array &output, const Settings &settings) const {
        return run(variant, device, *parse(inputs, settings), output);
    }

    // Runs a variant that was chosen for a request, with all that a call does after that: checks elements,
    // makes statistics. For callers that plan before they call. Errors: input, memory, device, failed.
    void execute(const Variant &variant, Device device, const Request &request, Array &output,
        Statistics *statistics = nullptr) const;

    // What a call of a variant that serves the request does. Nothing runs before Plan::run().
    virtual Plan plan(const Variant &variant, Device device, const Request &request, Array &output) const = 0;

    // Of arrays of many images (Call::layout), the first image of each: what may be asked of a call of them.
    // Errors: usage, input.
    std::vector<Array> first_images(std::span<const Array> inputs, const std::string &layout) const;

    // Parts of a request. `layout`: as in Call.
    std::string type_of(std::span<const Array> inputs, const Settings &settings) const {
        return parse(inputs, settings)->type;
    }
    std::pair<Type, std::vector<int64_t>> output_of(
        std::span<const Array> inputs, const Settings &settings, const std::string &layout = {}) const;

    // For callers that hold an image in parts: how many pixels a part must be larger on each side than the
    // result that is wanted of it, so that the result is that of the whole image. `error`: by how much it may
    // differ, as a part of the largest value of the image; operators whose output pixels depend on all of the
    // image have a halo only with an error above 0. The border of the image itself needs no halo. Nothing
    // where parts cannot be put together in this way. Errors: usage.
    std::optional<int64_t> halo(const Settings &settings = {}, double error = 0) const;

    // The settings of a call whose result is written to a file of that kind ("png", "npy"), where they leave
    // open what depends on it.
    virtual Settings settings_for(
        const std::string &, std::span<const Array>, const Settings &settings) const {
        return settings;
    }

    // What is worth saying of a call.
    virtual Remarks remarks(const Request &request) const = 0;
    Remarks remarks(std::span<const Array> inputs, const Settings &settings) const {
        return remarks(*parse(inputs, settings));
    }

    // An image whose last channel is alpha, as the operator takes it, and its result as such an image of
    // `type` again. Identity, unless the operator mixes pixels: then colours are multiplied by alpha before
    // the call, and divided after it.
    virtual Array premultiplied(const Array &image) const {
        return image;
    }
    virtual Array unpremultiplied(const Array &image, Type) const {
        return image;
    }

    // Whether the operator computes a new alpha from alpha as it computes colours from colours. The result of
    // an image whose last channel is alpha then gets the alpha of the image: with_alpha_of() (alpha.h).
    virtual bool treats_alpha_as_colour() const {
        return false;
    }

protected:
    // What a call does in such parts: each of them when the one before it is done.
    Plan plan_of_parts(const Variant &variant, Device device, const Request &request,
        const Request::Parts &parts, Array &output) const;

    // One of these: a call on `inputs`, of whose result the rows (the elements of a vector) from `first` on
    // are copied to `to`.
    Plan plan_of_part(const Variant &variant, Device device, std::vector<Array> inputs,
        const Settings &settings, int64_t first, Array to) const;

    [[noreturn]] void refuse(
        Fault fault, const std::string &message, const std::string &argument, const std::string &value) const;

private:
    // The parts of a call that works on at most so many rows of the first input at once (request.h); none
    // where results of parts cannot be put together.
    std::optional<Request::Parts> parts_of(const Request &request, int64_t most) const;
    // How many rows of the first input a call works on at once.
    virtual int64_t most_rows(const Request &request) const = 0;
    bool serves_parts(const Variant &variant, const Request &request) const;

    // What OperatorOf hands on with the operator's own request. `read` and `check_elements` are the only ones
    // that refuse anything. `settings` hold the defaults of options that a call leaves out.
    virtual std::unique_ptr<Request> read_request(
        std::span<const Array> inputs, const Settings &settings) const = 0;
    virtual void check_elements(const Request &request) const = 0;
    virtual bool form_serves(const Variant &variant, const Request &request, const Array &output) const = 0;

    // Whether the conditions of a variant hold that are needed to serve a call.
    bool may_serve(const Variant &variant, const Request &request) const;
    bool holds(const Variant &variant, const Variant::Condition &condition, const Measures &measures) const;

    // What parse() does, and its checks by the declaration.
    std::unique_ptr<Request> read_checked(std::span<const Array> inputs, const Settings &settings) const;
    void check_number(size_t given) const;
    void check_declared(std::span<const Array> inputs, const Settings &settings) const;

    // Whether the variant serves the request, and it and the variants of its plan can run on the device.
    bool is_usable(const Variant &variant, Device device, const Request &request, const Array &output) const;

    // The variant that `tuned` is, and the one of `variants` that a schedule's name means. Null where no
    // variant serves the request.
    VariantChoice tuned_variant(const Request &request, const Array &output, Device device) const;
    const Variant *named_variant(const Request &request, const Array &output, const std::string &schedule,
        Device device, const std::vector<Variant> &variants) const;

    // The device that choose_device() says, for the output that the call has, and the variant there, where it
    // was chosen on the way.
    struct Place {
        Device device;
        const Variant *variant = nullptr;
    };
    Place choose_place(const Request &request, const Array &output, const std::string &schedule,
        const std::vector<Variant> *variants) const;

    // Makes the call, and says where it ran, and which variant.
    Place place_of_call(const Request &request, Array &output, const Call &how) const;

    // The same of arrays of many images. The variant is null where each image had a call of its own.
    Place place_of_images(
        std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const;

    // Such a call on CUDA by kernels that work on many images at once, if one variant, which becomes
    // `variant`, serves all of them. None for calls that have no such kernels.
    std::optional<Plan> plan_of_images(const ManyImages &images, Device device, std::span<const Array> inputs,
        Array &output, const Settings &settings, const Call &how, const Variant *&variant) const;

    // The array that a call writes: `output`, or a new one where it is empty. Errors: input, for another type
    // or shape; usage, for an output that shares memory with an input; memory.
    Array output_of_call(Type type, const std::vector<int64_t> &shape, std::span<const Array> inputs,
        const Array &output, const Call &how) const;

    // What prepare() makes, of one image or of many.
    std::unique_ptr<Prepared::State> state_of_call(
        std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const;
    std::unique_ptr<Prepared::State> state_of_images(
        std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) const;

    // Chooses a variant, where `variant` is null, and runs it. Where the device's driver refuses the shared
    // memory that its kernels need, the device has less of it from then on, and `variant` becomes another
    // one.
    std::vector<const Variant *> run_chosen(
        const Variant *&variant, Device device, const Request &request, Array &output, const Call &how) const;

    // Runs a variant and, where there is no memory for it, on parts of the rows.
    std::vector<const Variant *> run_in_memory(
        const Variant &variant, Device device, const Request &request, Array &output, const Call &how) const;
    virtual std::optional<int64_t> halo_of(const Settings &, double) const {
        return {};
    }

    // Says why choose() found no variant. Errors: usage, input, device.
    [[noreturn]] void refuse_choice(const Request &request, const Array &output, const std::string &schedule,
        Device device, const std::vector<Variant> &variants) const;

    const Description description_;
    const std::vector<Variant> variants_;
    const std::vector<const Form *> forms_;
    std::array<Variant::Needs, 3> most_needs_;  // by backend: all that any of its variants needs
    const std::unique_ptr<VariantChoices> choices_;
    const std::unique_ptr<KeptCalls> kept_;
    friend class KeptCalls;
};

// Every operator that is linked in (by Tilewright::operators). Never empty.
const std::vector<const Operator *> &operators();

// The operator called `name`. Errors: usage, with the known names.
const Operator &find_operator(const std::string &name);

// Adds an operator of a program's own to operators(); it is made at their first use. Before main(), from a
// static constructor. Errors: failed, when operators() is in use already, and there, when two operators have
// one name.
void add_operator(const Operator &(*op)());

// For the registry: the library's operators, and behind them those that were added.
std::vector<const Operator *> with_added_operators(std::vector<const Operator *> own);

}  // namespace tilewright
#pragma GCC visibility pop
