#pragma once
// Text from files and callers, made fit for an error's line. Not installed.
#include <string>

namespace tilewright {

// `text` as valid UTF-8 that a terminal or a log shows as it is. `control` replaces each control character
// (U+0000 to U+001F and U+007F to U+009F, some of which begin commands to the terminal), and a question mark
// each byte that is not UTF-8.
std::string plain_text(const std::string &text, char control);

}  // namespace tilewright
