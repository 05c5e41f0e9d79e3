#include "python/src/call.h"
#include "python/src/errors.h"
#include "python/src/module.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace tilewright::python {

namespace {

// An operator, with the names that Python gives its arguments.
struct OperatorInPython {
    const Operator &op;
    std::vector<std::string> arrays;      // the inputs, and the optional one
    std::vector<std::string> parameters;  // the options

    explicit OperatorInPython(const Operator &of) : op(of) {
        for (const Input &input : op.inputs()) {
            arrays.push_back(input.name);
        }
        for (const Option &option : op.options()) {
            parameters.push_back(python_name(option.name));
        }
        if (op.optional_input()) {
            arrays.push_back(python_name(op.optional_input()->name));
        }
    }
};

// What names a type among the choices of an option, "u64" by "uint64", numpy.uint64 or numpy.dtype("uint64").
std::optional<std::string> type_among(const std::vector<std::string> &choices, nb::handle value) {
    if (choices.empty() || std::none_of(std::begin(all_types), std::end(all_types),
                               [&](Type type) { return choices.front() == name_of(type); })) {
        return {};
    }
    const bool is_type = PyType_Check(value.ptr()) || nb::hasattr(value, "newbyteorder");
    const std::string name =
        is_type ? text_of(nb::module_::import_("numpy").attr("dtype")(value).attr("name")) : text_of(value);
    if (const std::optional<Type> type = type_of_numpy(name)) {
        return name_of(*type);
    }
    return is_type ? std::optional(name) : std::nullopt;
}

// The argument `name` that has to be a number. Errors: TypeError.
double number_of(nb::handle value, const std::string &name, const std::string &takes) {
    double number = PyBool_Check(value.ptr()) ? -1 : PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {  // an int beyond all doubles
        PyErr_Clear();
        number = std::numeric_limits<double>::infinity();
    }
    if (PyBool_Check(value.ptr()) || (number == -1 && PyErr_Occurred())) {
        PyErr_Clear();
        refuse_argument(name, takes, value);
    }
    return number;
}

// A value of an option, as settings have it. Errors: TypeError, for another type than the option's.
std::variant<double, std::string> value_of(const Option &option, nb::handle value) {
    const std::string name = python_name(option.name);
    if (option.is_flag) {
        if (!PyBool_Check(value.ptr())) {
            refuse_argument(name, "True or False", value);
        }
        return std::string(value.ptr() == Py_True ? "yes" : "no");
    }
    if (option.is_number) {
        return number_of(value, name, option.is_whole ? "a whole number" : "a number");
    }
    // A word that may be a number: "auto" or 2.5.
    if (option.choices.empty() && PyNumber_Check(value.ptr())) {
        return text_of(value);
    }
    if (std::optional<std::string> type = type_among(option.choices, value)) {
        return *std::move(type);
    }
    return word_of(value, name);
}

Settings settings_of(const OperatorInPython &self, const nb::tuple &values) {
    Settings settings;
    for (size_t i = 0; i < values.size() && i < self.parameters.size(); i++) {
        if (!values[i].is_none()) {
            settings.set(self.op.options()[i].name, value_of(self.op.options()[i], values[i]));
        }
    }
    return settings;
}

// The arrays without the optional one, where it is None.
nb::tuple given_of(const OperatorInPython &self, const nb::tuple &arrays) {
    const bool without = arrays.size() == self.arrays.size() && self.op.optional_input() &&
                         arrays[arrays.size() - 1].is_none();
    return without ? nb::steal<nb::tuple>(PyTuple_GetSlice(arrays.ptr(), 0, (Py_ssize_t)arrays.size() - 1)) :
                     arrays;
}

// What a call does with its arrays.
using CallOperator = std::function<void(
    std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how)>;

nb::object call_operator(const OperatorInPython &self, const nb::tuple &arrays, const nb::tuple &values,
    nb::handle schedule_word, const std::string &layout, const How &how, const CallOperator &does) {
    const Settings settings = settings_of(self, values);
    const std::string schedule = word_of(schedule_word, "schedule");
    const Work work{self.op.name(),
        [&](std::span<const Array> inputs) { return self.op.output_of(inputs, settings, layout); },
        [&](std::span<const Array> inputs, Array &output, Device where, Statistics *statistics) {
            Call call;
            call.device = where;
            call.schedule = schedule;
            call.layout = layout;
            call.statistics = statistics;
            call.progress = progress_of(how, where);
            does(inputs, output, settings, call);
        },
        [&](std::span<const Array> inputs) {
            return self.op.choose_device(
                *self.op.parse(self.op.first_images(inputs, layout), settings), schedule);
        }};
    return call(work, given_of(self, arrays), self.arrays, how);
}

// The argument `name` that has to be a tuple. Errors: TypeError.
nb::tuple tuple_of(nb::handle object, const char *name) {
    if (!PyTuple_Check(object.ptr())) {
        refuse_argument(name, "a tuple", object);
    }
    return nb::borrow<nb::tuple>(object);
}

nb::object run(const OperatorInPython &self, nb::handle arrays, nb::handle values, nb::object out,
    nb::handle device, nb::handle schedule, nb::object stats, nb::handle stream, nb::object progress,
    nb::handle layout, const nb::args &more, const nb::kwargs &others) {
    refuse_others("run()", 9, more, others);
    return call_operator(self, tuple_of(arrays, "arrays"), tuple_of(values, "values"), schedule,
        word_of(layout, "layout"),
        how_of(std::move(out), device, std::move(stats), stream, std::move(progress)),
        [&](std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) {
            self.op(inputs, output, settings, how);
        });
}

PreparedInPython prepare(const OperatorInPython &self, nb::handle arrays, nb::handle values, nb::object out,
    nb::handle device, nb::handle schedule, nb::object stats, nb::handle stream, const nb::args &more,
    const nb::kwargs &others) {
    refuse_others("prepare()", 7, more, others);
    std::optional<Prepared> prepared;
    call_operator(self, tuple_of(arrays, "arrays"), tuple_of(values, "values"), schedule, "",
        how_of(std::move(out), device, std::move(stats), stream),
        [&](std::span<const Array> inputs, Array &output, const Settings &settings, const Call &how) {
            prepared.emplace(self.op.prepare(inputs, output, settings, how));
        });
    return {std::move(*prepared), self.op.name(), self.arrays};
}

// An array of that type and shape, for questions that look at no element.
Array shaped(const std::string &type, const std::vector<int64_t> &shape) {
    alignas(64) static std::byte nothing[64];
    return Array::view(type_of_name(type), nothing, shape);
}

// (dtype, shape) of the result for inputs of these: pairs (dtype, shape).
nb::tuple output_of(const OperatorInPython &self, nb::handle inputs, nb::handle values, const nb::args &more,
    const nb::kwargs &others) {
    refuse_others("output_of()", 2, more, others);
    std::vector<std::pair<std::string, std::vector<int64_t>>> pairs;
    if (!nb::try_cast(inputs, pairs)) {
        refuse_argument("inputs", "pairs (dtype, shape), as [('uint8', (480, 640))]", inputs);
    }
    std::vector<Array> arrays;
    for (const auto &[type, shape] : pairs) {
        arrays.push_back(shaped(type, shape));
    }
    const auto [type, shape] = self.op.output_of(arrays, settings_of(self, tuple_of(values, "values")));
    return nb::make_tuple(numpy_name(type), nb::tuple(nb::cast(shape)));
}

nb::list variants(const OperatorInPython &self, const nb::args &more, const nb::kwargs &others) {
    refuse_others("variants()", 0, more, others);
    nb::list all;
    for (const Variant &variant : self.op.variants()) {
        all.append(nb::cast(&variant, nb::rv_policy::reference));
    }
    return all;
}

std::optional<int64_t> halo(const OperatorInPython &self, nb::handle values, nb::handle error,
    const nb::args &more, const nb::kwargs &others) {
    refuse_others("halo()", 2, more, others);
    return self.op.halo(settings_of(self, tuple_of(values, "values")), number_of(error, "error", "a number"));
}

void check_schedule(
    const OperatorInPython &self, nb::handle schedule, const nb::args &more, const nb::kwargs &others) {
    refuse_others("check_schedule()", 1, more, others);
    self.op.check_schedule(word_of(schedule, "schedule"));
}

nb::dict tunables_of(const Variant &variant) {
    nb::dict tunables;
    for (const Variant::Tunable &tunable : variant.tunables) {
        tunables[tunable.name.c_str()] = tunable.value;
    }
    return tunables;
}

// The type of an option's values, by its name in Python.
const char *kind_of(const Option &option) {
    return option.is_flag ? "bool" : !option.is_number ? "str" : option.is_whole ? "int" : "float";
}

// The default as such a value; None where there is none.
nb::object default_of(const Option &option) {
    if (option.is_flag || option.value.empty()) {
        return option.is_flag ? nb::object(nb::bool_(false)) : nb::none();
    }
    const nb::object text = nb::str(option.value.c_str());
    return !option.is_number ? text : option.is_whole ? nb::object(nb::int_(text)) : nb::float_(text);
}

void add_variants_and_options(nb::module_ &module) {
    nb::class_<Variant>(
        module, "Variant", "A library: a schedule of an operator for one element type and one backend.")
        .def_prop_ro("variant", &Variant::name)
        .def_ro("operator", &Variant::op)
        .def_ro("schedule", &Variant::schedule)
        .def_ro("family", &Variant::family)
        .def_prop_ro("library", [](const Variant &r) { return r.origin.empty() ? r.op : r.origin; })
        .def_ro("type", &Variant::type)
        .def_prop_ro("backend", [](const Variant &r) { return name_of(r.backend); })
        .def_prop_ro("tunables", &tunables_of)
        .def_ro("form", &Variant::form)
        .def_ro("says", &Variant::summary)
        .def("__repr__", [](const Variant &r) { return "<tilewright.Variant " + r.name() + ">"; });
    nb::class_<Input>(module, "Input", "An array that an operator takes.")
        .def_prop_ro("name", [](const Input &i) { return python_name(i.name); })
        .def_ro("help", &Input::help)
        .def_prop_ro("says", &Input::says)
        .def("__repr__", [](const Input &i) { return "<tilewright.Input " + python_name(i.name) + ">"; });
    nb::class_<Option>(module, "Option", "An option of an operator, which is a parameter of its function.")
        .def_prop_ro("name", [](const Option &o) { return python_name(o.name); })
        .def_ro("help", &Option::help)
        .def_ro("is_number", &Option::is_number)
        .def_ro("is_whole", &Option::is_whole)
        .def_ro("is_flag", &Option::is_flag)
        .def_ro("is_needed", &Option::is_needed)
        .def_ro("default", &Option::value)
        .def_prop_ro("kind", &kind_of)
        .def_prop_ro("default_value", &default_of)
        .def_ro("choices", &Option::choices)
        .def_ro("unit", &Option::unit)
        .def_prop_ro("range", &Option::range)
        .def("__repr__", [](const Option &o) { return "<tilewright.Option " + python_name(o.name) + ">"; });
}

}  // namespace

void add_operators(nb::module_ &module) {
    add_variants_and_options(module);
    nb::class_<OperatorInPython>(module, "Operator", "An operator of the registry.")
        .def_prop_ro("name", [](const OperatorInPython &o) { return o.op.name(); })
        .def_prop_ro("summary", [](const OperatorInPython &o) { return o.op.summary(); })
        .def_prop_ro("inputs",
            [](const OperatorInPython &o) {
                return std::vector(o.arrays.begin(), o.arrays.begin() + (int64_t)o.op.inputs().size());
            })
        .def_prop_ro(
            "declared_inputs", [](const OperatorInPython &o) { return o.op.inputs(); }, nb::rv_policy::copy)
        .def_prop_ro(
            "options", [](const OperatorInPython &o) { return o.op.options(); }, nb::rv_policy::copy)
        .def_prop_ro(
            "optional_input", [](const OperatorInPython &o) { return o.op.optional_input(); },
            nb::rv_policy::copy)
        .def("variants", &variants, "more"_a, "others"_a)
        .def("halo", &halo, "values"_a.none() = nb::tuple(), "error"_a.none() = 0., "more"_a, "others"_a,
            "How many pixels a part of an image needs around it so that its result is that of the whole "
            "image, but for `error`, a part of the image's largest value. None: parts cannot be put "
            "together.")
        .def("output_of", &output_of, "inputs"_a = nb::none(), "values"_a.none() = nb::tuple(), "more"_a,
            "others"_a, "(dtype, shape) of the result for inputs [(dtype, shape), ...].")
        .def("check_schedule", &check_schedule, "schedule"_a = nb::none(), "more"_a, "others"_a,
            "Refuses a schedule that the operator does not have.")
        .def("run", &run, "arrays"_a = nb::none(), "values"_a.none() = nb::tuple(), "out"_a = nb::none(),
            "device"_a.none() = "auto", "schedule"_a.none() = "tuned", "stats"_a = nb::none(),
            "stream"_a.none() = 0, "progress"_a = nb::none(), "layout"_a.none() = "", "more"_a, "others"_a)
        .def("prepare", &prepare, "arrays"_a = nb::none(), "values"_a.none() = nb::tuple(),
            "out"_a = nb::none(), "device"_a.none() = "auto", "schedule"_a.none() = "tuned",
            "stats"_a = nb::none(), "stream"_a.none() = 0, "more"_a, "others"_a)
        .def("__repr__", [](const OperatorInPython &o) {
            return "<tilewright.Operator " + o.op.name() + ": " + o.op.summary() + ">";
        });
    nb::dict all;
    for (const Operator *op : operators()) {
        const auto *made = new OperatorInPython(*op);  // lives as long as the process
        all[op->name().c_str()] = nb::cast(made, nb::rv_policy::reference);
    }
    module.attr("operators") = all;
}

}  // namespace tilewright::python
