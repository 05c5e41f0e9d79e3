#include "tilewright/error.h"

namespace tilewright {

namespace {

// Without line breaks and other control characters.
std::string plain(const std::string &text) {
    std::string line;
    for (char c : text) {
        const bool control = (unsigned char)c < ' ' || c == 127;
        if (!control || (!line.empty() && line.back() != ' ')) {
            line += control ? ' ' : c;
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
