#pragma once
// Several values of tunables, as --tunable names them, and the points that a variant has among them.
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/command_line/command_line.h"
#include "tilewright/operator.h"

namespace tilewright::app {

// The values of each tunable: {{"across", {4, 8, 16}}, {"down", {4}}}.
using TunableGrid = std::vector<std::pair<std::string, std::vector<int>>>;

// Adds --tunable.
Parameter add_tunables(Command &command, std::vector<std::string> &words);

// What words such as "across=4,8,16" and "down=4,pad=1" mean, where the tunables are of that operator (any of
// ours: empty). Errors: usage, for other words, and for a tunable that is named twice.
TunableGrid grid_of(const std::string &op, const std::vector<std::string> &words);

// The one value that words name of each tunable. Errors: usage, for several values too.
TunableValues single_values_of(const Operator &op, const std::vector<std::string> &words);

// All combinations of the values that the variant takes, of those tunables that it has. None where it takes
// none of the values.
std::vector<TunableValues> points_of(const Variant &variant, const TunableGrid &grid);

// Errors: usage, for a value that none of the variants takes; the message names the ranges, or the tunables
// that there are.
void check_grid(const std::vector<const Variant *> &variants, const TunableGrid &grid);

// The variant with these values, built at the first call with them and kept until the program ends. Errors:
// those of built_variant().
const Variant &variant_at(const Variant &variant, const TunableValues &point);

}  // namespace tilewright::app
