#pragma once
// What errors of files have in common. Not installed.
#include "tilewright/array.h"
#include <string>
#include <vector>

namespace tilewright {

// A path as an error's line shows it: in quotes, with a question mark for what must not be sent to a
// terminal.
std::string in_quotes(const std::string &path);

// Throws Error (memory): "no memory to VERB 'PATH'; free some".
[[noreturn]] void throw_no_memory(const char *verb, const std::string &path);

// Throws Error (usage), for an array that a file cannot hold: "OPERATION: image = TYPE (SHAPE): WHY; NEXT".
[[noreturn]] void refuse_array(const std::string &why, const char *next, const char *operation, Type type,
    const std::vector<int64_t> &shape);

}  // namespace tilewright
