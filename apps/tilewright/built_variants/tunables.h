#pragma once
// Values of a variant's tunables, and the variant that has them.
#include "tilewright/variant.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright::app {

// Names and values: {{"across", 8}, {"down", 4}}.
using TunableValues = std::vector<std::pair<std::string, int>>;

// The values of a text such as "across=8,down=4"; none of an empty one. Errors: usage.
TunableValues tunables_of(const std::string &text);

// The values of a variant's tunables, and the text of them.
TunableValues tunables_of(const Variant &variant);
std::string text_of(const TunableValues &values);

// The tunable of that name: of the variant, or an option of ptxas (ptxas.h) where the variant is for CUDA.
// Null where there is none.
const Variant::Tunable *find_tunable(const Variant &variant, const std::string &name);

// The names of all of them.
std::vector<std::string> names_of_tunables(const Variant &variant);

// The variant with these values in place of its own; tunables that are not named keep theirs. It has no
// library yet, and its origin is the text of all its tunables. Errors: usage, for a name that the variant
// does not have, one that is named twice, and a value outside the tunable's range.
Variant with_tunables(const Variant &variant, const TunableValues &values);

}  // namespace tilewright::app
