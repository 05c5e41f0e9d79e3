#pragma once
// The stages of a pipeline as people write them: "gaussian_blur sigma=2 | transpose". Not installed.
#include "tilewright/pipeline.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Reads the text, and the files that it names. Errors: usage and input; the message begins with the stage
// that is wrong.
std::vector<PipelineStage> read_stages(std::string_view text, const FileLimits &limits);

// The stage that comes after `before` others, of an operator and what Pipeline::then() was given. Errors:
// usage; the message begins with the stage.
PipelineStage made_stage(const std::string &op, std::span<const StageArgument> given, size_t before);

// "stage 1 of 2, 'transpose'": the operation that errors of stage i name.
std::string stage_name(size_t i, size_t count, const std::string &text);

}  // namespace tilewright
