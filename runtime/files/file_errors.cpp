#include "runtime/files/file_errors.h"
#include "runtime/errors/plain_text.h"
#include "tilewright/error.h"

namespace tilewright {

std::string in_quotes(const std::string &path) {
    std::string text = "'";
    text += plain_text(path, '?');
    return text + "'";
}

void throw_no_memory(const char *verb, const std::string &path) {
    throw Error(Fault::memory, std::string("no memory to ") + verb + " " + in_quotes(path) + "; free some",
        {.value = path});
}

}  // namespace tilewright
