#pragma once
// A lowering pass for libraries that are to be small.
#include "Halide.h"
#include <map>
#include <string>

namespace tilewright {

// What a library does where one of its checks fails: it says what is wrong, in Halide's words, and returns
// Halide's code of the error; or it returns the code alone. The checks are the same.
enum class Errors { words, codes };

// The words by which command lines and generators name these.
inline const std::map<std::string, Errors> errors_by_word = {
    {"words", Errors::words}, {"codes", Errors::codes}};

// Replaces the words of each check of the pipeline by their code. The words are 14 % of the code of the CPU's
// libraries, and 15 to 43 % of what GPU libraries have beside their kernels. `bounds_queries`: whether a
// caller may still ask, by buffers without memory, for the bounds of the inputs. Libraries of the CPU are
// built without that question by their target (no_bounds_query), and need no change here.
void shorten_errors(Halide::Pipeline &pipeline, bool bounds_queries);

}  // namespace tilewright
