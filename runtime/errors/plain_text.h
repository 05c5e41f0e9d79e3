#pragma once
#include <string>

namespace tilewright {

// `text` as valid UTF-8 that a terminal or a log shows as it is: `control` stands for each control character (U+0000 to U+001F and
// U+007F to U+009F, some of which begin commands to the terminal), and a question mark for each byte that is no UTF-8.
std::string plain_text(const std::string &text, char control);

}  // namespace tilewright
