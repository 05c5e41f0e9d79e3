#pragma once
#include <string>
#include <vector>

namespace tilewright {

// Writes one archive (as `ar` makes them, without an index of symbols) with the members of others, and
// returns why it could not, or nothing. It is written whole or not at all.
std::string join_archives(const std::vector<std::string> &archives, const std::string &joined);

}  // namespace tilewright
