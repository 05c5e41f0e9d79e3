#pragma once
// Work that goes on after an error: the program then ends with the code of the first one, and no other error
// is lost.
#include "apps/tilewright/terminal/standard_streams.h"
#include <exception>
#include <string>

namespace tilewright::app {

class FirstError {
public:
    // `command` begins the lines of further errors.
    explicit FirstError(const std::string &command) : begin_("tilewright: " + command + ": ") {}

    // Does the work. Its error is kept where it is the first one, and otherwise printed as a line to standard
    // error.
    template<typename Work>
    void keep(const Work &work) {
        try {
            work();
        } catch (const std::exception &error) {
            if (first_) {
                print_error_line(begin_, error.what());
            } else {
                first_ = std::current_exception();
            }
        }
    }

    // Throws the first error, if there was one.
    void end() const {
        if (first_) {
            std::rethrow_exception(first_);
        }
    }

private:
    const std::string begin_;
    std::exception_ptr first_;
};

}  // namespace tilewright::app
