#pragma once
#include "generators/program/library_selection.h"
#include <string>

namespace tilewright {

// Ends the generator program with one line where tunables of a row do not go together: `why` says why not,
// and is empty where they do. `values` are those that differ from the row's own.
inline void check_tunables(const std::string &row, const std::string &values, const std::string &why) {
    if (!why.empty()) {
        fail(row + (values.empty() ? "" : " with " + values) + ": " + why);
    }
}

}  // namespace tilewright
