#pragma once
// What errors of files have in common. Not installed.
#include <string>

namespace tilewright {

// A path as an error's line shows it: in quotes, with a question mark for what must not be sent to a
// terminal.
std::string in_quotes(const std::string &path);

// Throws Error (memory): "no memory to VERB 'PATH'; free some".
[[noreturn]] void throw_no_memory(const char *verb, const std::string &path);

}  // namespace tilewright
