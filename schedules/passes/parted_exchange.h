#pragma once
// A lowering pass for words that GPU threads exchange through shared memory.
#include "Halide.h"
#include <string>
#include <vector>

namespace tilewright {

// A digit of the places of words: words whose digits differ by one are `stride` places apart. It has `values`
// values, and memory has room for `room` of them.
struct PlaceDigit {
    int stride, values, room;
};

// How the threads of a block exchange the words of a Func.
struct PartedExchange {
    std::string func;
    int pieces;
    // Of each exchange: by which digit words are in pieces. What a thread loads for one value, and for values
    // that are computed from it, must have the same digit; what it stores should differ in it.
    std::vector<PlaceDigit> digits;
};

// Has the threads of a block exchange words, which are in shared memory, in parts that share one piece of
// memory: first the low halves of all words, then the high ones, and each of them in so many pieces. A thread
// keeps the words that it stores, and those that it loads, in its registers. Two words in shared memory then
// take the place of one, or of 1 / `pieces` of one.
//
// The Func has words of 64 bits. Between two barriers a thread may only load what was stored between the two
// barriers before, and in this order: it loads, it computes, it stores.
void exchange_in_parts(Halide::Pipeline &pipeline, const PartedExchange &exchange);

}  // namespace tilewright
