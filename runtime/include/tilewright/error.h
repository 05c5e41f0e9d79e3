#pragma once
#include <stdexcept>
#include <string>
#pragma GCC visibility push(default)

namespace tilewright {

// The class of an error, by what a caller can do about it. The values are the exit codes of the command line.
enum class Fault {
    failed = 1,    // none of the others
    usage = 2,     // a wrong option or value
    input = 3,     // an input cannot be read or does not fit the operator
    device = 4,    // no such device, or it cannot run this
    memory = 5,    // out of memory, on the host or a device
    mismatch = 6,  // a result differs from the reference
    // 7 is the exit code of `compare` for a variant that is slower
    cancelled = 8,  // Call::progress said so
};

// What an error is about. An empty field does not apply.
struct ErrorContext {
    std::string operation = {};  // the operator or function, for example "gaussian_blur"
    std::string argument = {};   // the argument or option, for example "sigma"
    std::string value = {};      // its value, as text
    std::string schedule = {};   // the schedule of the library that ran
    std::string device = {};     // as Device::str() writes it
};

// The one exception of this library. what() is one line: what went wrong, with what, and what to do next.
class Error : public std::runtime_error {
public:
    // `message`: the line, to which the context is added.
    Error(Fault fault, const std::string &message, ErrorContext context = {});

    // Its class, and what it is about.
    Fault fault() const noexcept {
        return fault_;
    }
    const ErrorContext &context() const noexcept {
        return context_;
    }

private:
    Fault fault_;
    ErrorContext context_;
};

}  // namespace tilewright
#pragma GCC visibility pop
