#pragma once
// What JSON of files may be before it is parsed. Not installed.
#include <string_view>

namespace tilewright {

// Why a text is not parsed: its lists and objects are nested more than 64 deep, or an object has more than
// 1000 members. The values of such a text would take a stack that threads do not have, or a time that grows
// with the square of its length. Empty for other texts, whether they are JSON or not.
std::string_view why_not_parsed(std::string_view json);

}  // namespace tilewright
