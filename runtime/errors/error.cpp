// Errors: one line of message and context.
#include "tilewright/error.h"
#include "runtime/errors/leaving.h"
#include "runtime/errors/plain_text.h"

namespace tilewright {

const Error &no_memory = *new Error(Fault::memory, "the host has no memory left; use smaller data");

namespace {

// One line: what would break it, or steer a terminal, becomes a space, and several such become one.
std::string one_line(const std::string &text) {
    constexpr char control = '\n';
    std::string line;
    for (const char c : plain_text(text, control)) {
        if (c != control) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

// "OPERATION: ARGUMENT = VALUE: MESSAGE [SCHEDULE, DEVICE]", without the parts that are empty.
std::string sentence(const std::string &message, const ErrorContext &context) {
    std::string text;
    auto add = [&](const std::string &part) {
        if (!part.empty()) {
            text += (text.empty() ? "" : ": ") + one_line(part);
        }
    };
    add(context.operation);
    const bool has_both = !context.argument.empty() && !context.value.empty();
    add(has_both ? context.argument + " = " + context.value : context.argument);
    add(message);
    std::string library = context.schedule;
    if (!context.device.empty()) {
        library += (library.empty() ? "" : ", ") + context.device;
    }
    if (!library.empty()) {
        text += " [" + library + "]";
    }
    return one_line(text);
}

}  // namespace

Error::Error(Fault fault, const std::string &message, ErrorContext context)
    : std::runtime_error(sentence(message, context)), fault_(fault), context_(std::move(context)) {}

}  // namespace tilewright
