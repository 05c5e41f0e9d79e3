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

void refuse_array(const std::string &why, const char *next, const char *operation, Type type,
    const std::vector<int64_t> &shape) {
    std::string value = std::string(name_of(type)) + " (";
    for (const int64_t extent : shape) {
        value += (value.back() == '(' ? "" : ", ") + std::to_string(extent);
    }
    throw Error(
        Fault::usage, why + "; " + next, {.operation = operation, .argument = "image", .value = value + ")"});
}

}  // namespace tilewright
