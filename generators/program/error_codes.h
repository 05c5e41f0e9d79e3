#pragma once
// A lowering pass for libraries that are to be small.
#include "Halide.h"

namespace tilewright {

// What a library does where one of its checks fails: it says what is wrong, in Halide's words, and returns
// Halide's code of the error; or it returns the code alone. The checks are the same.
enum class Errors { words, codes };

// What the libraries do that this program makes: all of them the same, and words unless this is called.
void make_libraries_with(Errors errors);

// Where the libraries return codes alone, replaces the words of each check of the pipeline by their code. The
// words are 14 % of the code of the CPU's libraries.
void shorten_errors(Halide::Pipeline &pipeline);

}  // namespace tilewright
