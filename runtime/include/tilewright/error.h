#pragma once
#include <stdexcept>
#include <string>

namespace tilewright {

// What went wrong, in the classes that a caller can act on. The values are the exit codes of the command line.
enum class Fault {
    failed = 1,   // none of the others
    usage = 2,    // a wrong option or value
    input = 3,    // an input cannot be read or does not fit the operator
    device = 4,   // no such device, or it cannot run this
    memory = 5,   // out of memory, on the host or a device
    mismatch = 6, // a result differs from the reference
};

// Where an error happened. Empty fields do not apply.
struct Place {
    std::string operation = {};  // the operator, for example "gaussian_blur"
    std::string argument = {};   // the argument or option, for example "sigma"
    std::string value = {};      // its value, as text
    std::string schedule = {};
    std::string device = {};
};

// The one exception of this library: one line that says what, where, and what to do next.
class Error : public std::runtime_error {
public:
    Error(Fault fault, const std::string &message, Place place = {});

    Fault fault() const noexcept {
        return fault_;
    }
    const Place &place() const noexcept {
        return place_;
    }

private:
    Fault fault_;
    Place place_;
};

}  // namespace tilewright
