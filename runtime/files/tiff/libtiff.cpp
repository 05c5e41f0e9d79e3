#include "runtime/files/tiff/libtiff.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <new>
#include <string_view>

namespace tilewright::libtiff {

namespace {

// An orientation that there is not is none, as in the EXIF data of a JPEG.
int keep_error(TIFF *, void *user, const char *, const char *format, va_list arguments) {
    auto &messages = *static_cast<Messages *>(user);
    if (messages.error[0] == 0) {
        std::vsnprintf(messages.error, sizeof(messages.error), format, arguments);
        if (std::string_view(messages.error).ends_with("for \"Orientation\" tag")) {
            messages.error[0] = 0;
        }
    }
    return 1;  // and print nothing
}

int keep_warning(TIFF *, void *user, const char *, const char *format, va_list arguments) {
    auto &messages = *static_cast<Messages *>(user);
    std::vsnprintf(messages.warning, sizeof(messages.warning), format, arguments);
    return 1;
}

}  // namespace

std::string Messages::text() const {
    // ": " is what libtiff leaves of a file's name that is empty.
    const std::string words = error[0] != 0 ? error : warning;
    return words.empty() ? "libtiff gives no reason" : words.starts_with(": ") ? words.substr(2) : words;
}

// libtiff has several words for it; a file that is broken has others. An empty list in a broken file is
// reported as one for which there is no memory.
bool Messages::is_out_of_memory() const {
    const std::string_view text = error;
    if (text.find("(0 elements") != text.npos) {
        return false;
    }
    constexpr std::string_view all[] = {"ut of memory", "No space for", "Failed to allocate memory",
        "Not enough memory", "malloc(", "Insertion in tif_map"};
    const bool is_of_zlib = text == "ZLib error: ";  // which gives no reason where it has no memory to begin
    return is_of_zlib || std::any_of(std::begin(all), std::end(all),
                             [&](std::string_view words) { return text.find(words) != text.npos; });
}

Handle open(const char *mode, void *user, const Access &access, int64_t most_bytes, Messages &messages) {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
        TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
    if (!options) {
        throw std::bad_alloc();
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, &messages);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keep_warning, &messages);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most_bytes));
    const auto close = [](thandle_t) { return 0; };
    return Handle(TIFFClientOpenExt("", mode, user, access.read, access.write, access.seek, close,
        access.size, nullptr, nullptr, options.get()));
}

}  // namespace tilewright::libtiff
