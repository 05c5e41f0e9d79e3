#pragma once
// The kinds of stages, one function per operator.
#include "generators/pipelines/stage.h"
#include <memory>

namespace tilewright {

std::unique_ptr<Stage> invert_stage(const StageSettings &settings);
std::unique_ptr<Stage> transpose_stage(const StageSettings &settings);
std::unique_ptr<Stage> gaussian_blur_stage(const StageSettings &settings);
std::unique_ptr<Stage> column_sum_stage(const StageSettings &settings);
std::unique_ptr<Stage> row_sum_stage(const StageSettings &settings);

}  // namespace tilewright
