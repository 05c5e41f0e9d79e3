#pragma once
// Data in a page: compressed, and as characters that HTML leaves alone.
#include <string>
#include <string_view>

namespace tilewright::app {

// The text compressed (zlib's format, which a browser's DecompressionStream calls "deflate") and in base 64.
std::string packed(std::string_view text);

// The text with &, <, > and quotes as HTML writes them.
std::string html(std::string_view text);

}  // namespace tilewright::app
