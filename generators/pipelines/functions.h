#pragma once
// The texts that pipeline.generator writes: the functions by which programs call a pipeline.
#include "generators/pipelines/request.h"
#include <string>

namespace tilewright {

// The header that programs include.
std::string pipeline_header(const PipelineRequest &request);

// The functions that call the one of the two libraries that serves an image: plain C++, without a runtime.
std::string pipeline_functions(const PipelineRequest &request);

// The function that takes arrays, for programs with Tilewright's runtime.
std::string pipeline_runtime_functions(const PipelineRequest &request);

}  // namespace tilewright
