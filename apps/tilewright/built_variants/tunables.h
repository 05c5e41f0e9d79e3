#pragma once
// Values of a variant's tunables, and the variant that has them.
#include "tilewright/variant.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::app {

// Names and values: {{"across", 8}, {"down", 4}}.
using TunableValues = std::vector<std::pair<std::string, int>>;

// The values of a text such as "across=8,down=4"; none of an empty one. Errors: usage.
TunableValues tunables_of(const std::string &text);

// The values of a variant's tunables, and the text of them in numbers.
TunableValues tunables_of(const Variant &variant);
std::string text_of(const TunableValues &values);

// The variant's tunable of that name; null where there is none.
const Variant::Tunable *find_tunable(const Variant &variant, const std::string &name);

// The names of all of them.
std::vector<std::string> names_of_tunables(const Variant &variant);

// Says what the values of an operator's tunable stand for: value i for words[i]. It is so of the parameters
// of a generator that is not ours.
void name_values(const std::string &op, const std::string &tunable, std::vector<std::string> words);

bool has_named_values(const std::string &op, const std::string &tunable);

// A value of a tunable as people write it: its word, or the number itself; and the value of such a text,
// nothing where it is none.
std::string word_of(const std::string &op, const std::string &tunable, int value);
std::optional<int> value_of(const std::string &op, const std::string &tunable, const std::string &word);

// The text of all values as people write them: "tile=16,schedule=slide".
std::string words_of(const Variant &variant, const TunableValues &values);

// The variant with these values in place of its own; tunables that are not named keep theirs. It has no
// library yet, and its origin is the text of all its tunables. Errors: usage, for a name that the variant
// does not have, one that is named twice, and a value outside the tunable's range.
Variant with_tunables(const Variant &variant, const TunableValues &values);

}  // namespace tilewright::app
