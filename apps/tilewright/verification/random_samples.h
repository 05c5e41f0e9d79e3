#pragma once
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <string>
#include <vector>

namespace tilewright::app {

// `count` samples of one type of an operator, the same ones each time: images of 1 to `side` pixels along
// each axis, of which half are multiples of 16 and half have rows without gaps, with settings that the
// operator's workload verifies or times. They are fewer where the operator refuses such a size with such
// settings.
std::vector<Sample> random_samples(const Operator &op, const std::string &type, size_t count, int64_t side);

}  // namespace tilewright::app
