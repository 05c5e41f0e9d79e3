#pragma once
// --generator and what goes with it, for the commands that take a generator in the place of an operator.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/foreign/foreign_generator.h"
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright::app {

// `words` outlives the command.
void add_generator(Command &command, ForeignWords &words);

// The operators that a command works on: that of the generator where one is named, or else those of the
// names. Errors: usage, for both, and for words that go with a generator only; those of foreign_operator()
// and chosen_operators().
std::vector<const Operator *> chosen_operators(
    const std::vector<std::string> &names, const ForeignWords &words);

// The same of a command that works on one operator, whose first word is its name. With a generator that word
// is the first of the files, to which it is added. Errors: usage, as above, and without a name.
const Operator &chosen_operator(
    const std::string &word, const ForeignWords &words, std::vector<std::string> &files);

}  // namespace tilewright::app
