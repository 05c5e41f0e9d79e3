#include "tilewright/error.h"
#include "runtime/errors/plain_text.h"

namespace tilewright {

namespace {

// One line: what would break it, or steer a terminal, becomes a space, and several such become one.
std::string plain(const std::string &text) {
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

std::string sentence(const std::string &message, const Place &place) {
    std::string text;
    auto add = [&](const std::string &part) {
        if (!part.empty()) {
            text += (text.empty() ? "" : ": ") + plain(part);
        }
    };
    add(place.operation);
    add(place.argument.empty() || place.value.empty() ? place.argument : place.argument + " = " + place.value);
    add(message);
    std::string where = place.schedule;
    if (!place.device.empty()) {
        where += (where.empty() ? "" : ", ") + place.device;
    }
    if (!where.empty()) {
        text += " [" + where + "]";
    }
    return plain(text);
}

}  // namespace

Error::Error(Fault fault, const std::string &message, Place place)
    : std::runtime_error(sentence(message, place)), fault_(fault), place_(std::move(place)) {
}

}  // namespace tilewright
