#pragma once
// A lowering pass for words that GPU threads exchange through shared memory.
#include "Halide.h"
#include <string>

namespace tilewright {

// Has the threads of a block exchange the words of `func`, which are in shared memory, in halves: first the
// low halves of all words, and then, through the same memory, the high ones. A thread keeps the words that it
// stores, and those that it loads, in its registers. So two words take the memory of one.
//
// The words have 64 bits. Between two barriers a thread may only load what was stored between the two
// barriers before, and in this order: it loads, it computes, it stores.
void exchange_in_halves(Halide::Pipeline &pipeline, const std::string &func);

}  // namespace tilewright
