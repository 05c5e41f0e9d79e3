#pragma once
// Variables of the environment. Not installed.
#include <cstdlib>
#include <string>

namespace tilewright {

// The value of a variable; empty where it is not set, because an empty value counts as none.
inline std::string environment_value(const char *name) {
    const char *value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace tilewright
