#pragma once
// An end of the program that is no error of the library: its exit code is none of the faults
// (tilewright/error.h).
#include <stdexcept>
#include <string>

namespace tilewright::app {

constexpr int exit_slower = 7;  // `compare` found a variant that is slower

class ExitWith : public std::runtime_error {
public:
    ExitWith(int code, const std::string &message) : std::runtime_error(message), code_(code) {}

    int code() const noexcept {
        return code_;
    }

private:
    int code_;
};

}  // namespace tilewright::app
