#pragma once
// `explore --ask-tell`: another program does the search (docs/ASK-TELL.md).
#include "apps/laboratory/explore/exploration.h"

namespace tilewright::app {

// Writes the variants and their tunables to standard output, as one line of JSON. Then reads lines with
// points from standard input, and answers each of them with one line, until the input ends or a signal asks
// this program to end. A line that is no such point is answered with its error. Errors: those of
// Exploration::try_asked, and failed, where standard output cannot be written.
void ask_and_tell(Exploration &exploration);

}  // namespace tilewright::app
