#include "runtime/files/file_errors.h"
#include "runtime/errors/plain_text.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

std::string in_quotes(const std::string &path) {
    return fmt::format("'{}'", plain_text(path, '?'));
}

void throw_no_memory(const char *verb, const std::string &path) {
    throw Error(
        Fault::memory, fmt::format("no memory to {} {}; free some", verb, in_quotes(path)), {.value = path});
}

void refuse_array(const std::string &why, const char *next, const char *operation, Type type,
    const std::vector<int64_t> &shape) {
    throw Error(Fault::usage, why + "; " + next,
        {.operation = operation,
            .argument = "image",
            .value = fmt::format("{} ({})", name_of(type), fmt::join(shape, ", "))});
}

}  // namespace tilewright
