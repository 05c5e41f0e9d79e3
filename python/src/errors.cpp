#include "python/src/errors.h"
#include "python/src/module.h"
#include "python/src/types.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <nanobind/stl/string.h>
#include <string_view>

namespace nb = nanobind;

namespace tilewright::python {

namespace {

// Never destroyed: the interpreter may be gone when this module's static objects would be.
struct Exceptions {
    nb::object base, argument, device, memory;
};
Exceptions *exceptions;

// "u8 (40, 50)" as "uint8 (40, 50)": NumPy takes "u8" for uint64. The types in the names of variants stay.
std::string types_of_numpy(const std::string &text) {
    const auto is_of_word = [](char letter) {
        return std::isalnum((unsigned char)letter) || letter == '_' || letter == '-' || letter == '/' ||
               letter == ':' || letter == '=';
    };
    std::string made;
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && is_of_word(text[end])) {
            end++;
        }
        const bool is_before_colon = end > at && text[end - 1] == ':';
        std::string word = text.substr(at, end - at - (is_before_colon ? 1 : 0));
        for (const Type type : all_types) {
            if (word == name_of(type)) {
                word = numpy_name(type);
                break;
            }
        }
        made += word + (is_before_colon ? ":" : "");
        if (end < text.size()) {
            made += text[end++];
        }
        at = end;
    }
    return made;
}

const nb::object &exception_of(Fault fault) {
    switch (fault) {
    case Fault::usage:
    case Fault::input: return exceptions->argument;
    case Fault::device: return exceptions->device;
    case Fault::memory: return exceptions->memory;
    case Fault::failed:
    case Fault::mismatch:
    case Fault::cancelled: break;
    }
    return exceptions->base;
}

void raise(const Error &error) {
    const nb::object &type = exception_of(error.fault());
    const ErrorContext &context = error.context();
    std::string message = types_of_numpy(in_words_of_python(error.what()));
    // "sigma-y = -1: ..." is of the argument `sigma_y`.
    if (const size_t at = message.find(context.argument + " = "); at != std::string::npos) {
        message.replace(at, context.argument.size(), python_name(context.argument));
    }
    nb::object raised = type(message);
    const auto set = [&](const char *name, const std::string &value) {
        nb::setattr(raised, name, value.empty() ? nb::none() : nb::object(nb::str(value.c_str())));
    };
    set("operation", context.operation);
    set("argument", context.argument == "output" ? "out" : python_name(context.argument));
    set("value", types_of_numpy(context.value));
    set("schedule", context.schedule);
    set("device", context.device);
    PyErr_SetObject(type.ptr(), raised.ptr());
}

bool is_flag(const std::string &option) {
    if (option == "grey" || option == "crop") {  // of pictures, in all commands
        return true;
    }
    for (const Operator *op : operators()) {
        for (const Option &o : op->options()) {
            if (o.name == option) {
                return o.is_flag;
            }
        }
    }
    return false;
}

std::string quoted(const std::string &word) {
    std::string text(1, '"');
    text += word;
    text += '"';
    return text;
}

// `--NAME VALUE` at the beginning of `text`, which becomes NAME="VALUE"; of a flag NAME=True.
std::string argument_at(const std::string &text, size_t &end) {
    const auto word_end = [&](size_t from) {
        return std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-", from), text.size());
    };
    end = word_end(2);
    const std::string name = text.substr(2, end - 2);
    if (is_flag(name)) {
        return python_name(name) + "=True";
    }
    if (end == text.size() || text[end] != ' ') {
        return python_name(name);
    }
    const size_t begin = end + 1, value_end = word_end(begin);
    if (value_end == begin) {
        return python_name(name);  // `--size = 0: ...`
    }
    end = value_end;
    return python_name(name) + "=" + quoted(text.substr(begin, end - begin));
}

// The same for a command of the command line between back quotes.
std::string command(const std::string &words) {
    const size_t blank = words.find(' ');
    const bool list = words.substr(0, blank) == "list";
    std::string call = "tilewright.";
    call += list ? "variants" : words.substr(0, blank);
    call += '(';
    call += list && blank != std::string::npos ? quoted(words.substr(blank + 1)) : std::string();
    call += ')';
    return call;
}

}  // namespace

std::string python_name(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string in_words_of_python(const std::string &message) {
    const std::string quoted = "`tilewright ", output = ": output = ";
    constexpr std::array<std::array<std::string_view, 2>, 2> advices = {
        {{"; convert it to f32 first", "; dtype=\"float32\" converts it"},
            {"; convert it to c64 first", "; dtype=\"complex64\" converts it"}}};
    std::string made;
    for (size_t at = 0; at < message.size();) {
        const size_t close = message.compare(at, quoted.size(), quoted) == 0 ?
                                 message.find('`', at + quoted.size()) :
                                 std::string::npos;
        const auto advice = std::find_if(advices.begin(), advices.end(),
            [&](const auto &one) { return std::string_view(message).substr(at).starts_with(one[0]); });
        const bool option = message.compare(at, 2, "--") == 0 && at + 2 < message.size() &&
                            message[at + 2] >= 'a' && message[at + 2] <= 'z';
        if (close != std::string::npos) {
            made += command(message.substr(at + quoted.size(), close - at - quoted.size()));
            at = close + 1;
        } else if (option) {
            size_t end = 0;
            made += argument_at(message.substr(at), end);
            at += end;
        } else if (advice != advices.end()) {
            made += (*advice)[1];
            at += (*advice)[0].size();
        } else if (message.compare(at, output.size(), output) == 0) {
            made += ": out = ";
            at += output.size();
        } else {
            made += message[at++];
        }
    }
    return made;
}

void add_errors(nb::module_ &module) {
    const auto define = [&](const char *name, const char *words, nb::object bases) {
        const std::string full = nb::cast<std::string>(module.attr("__name__")) + "." + name;
        nb::object type = nb::steal(PyErr_NewExceptionWithDoc(full.c_str(), words, bases.ptr(), nullptr));
        module.attr(name) = type;
        return type;
    };
    const auto builtin = [](PyObject *type) { return nb::borrow(type); };
    exceptions = new Exceptions;
    exceptions->base = define("Error",
        "What the library refuses, or what went wrong. The attributes operation, argument, value, schedule "
        "and device say where; None where they do not apply.",
        builtin(PyExc_RuntimeError));
    exceptions->argument = define("ArgumentError",
        "A value that there is not or that is out of range, or an array that does not fit the operator.",
        nb::make_tuple(exceptions->base, builtin(PyExc_ValueError)));
    exceptions->device =
        define("DeviceError", "No such device, or it cannot run this.", nb::make_tuple(exceptions->base));
    exceptions->memory = define("OutOfMemoryError", "Out of memory, on the host or a device.",
        nb::make_tuple(exceptions->base, builtin(PyExc_MemoryError)));
    nb::register_exception_translator([](const std::exception_ptr &p, void *) {
        try {
            std::rethrow_exception(p);
        } catch (const Error &error) {
            raise(error);
        }
    });
}

}  // namespace tilewright::python
