#pragma once
#include "generators/program/library_selection.h"
#include <string>

namespace tilewright {

// Ends the generator program with one line where tunables of a variant do not go together: `why` says why
// not, and is empty where they do. `values` are those that differ from the variant's own.
inline void check_tunables(const std::string &variant, const std::string &values, const std::string &why) {
    if (!why.empty()) {
        fail(variant + (values.empty() ? "" : " with " + values) + ": " + why);
    }
}

}  // namespace tilewright
