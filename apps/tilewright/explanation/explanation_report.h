#pragma once
// An explanation as text and as JSON.
#include "apps/tilewright/explanation/explanation.h"
#include "apps/tilewright/terminal/json.h"
#include <string>

namespace tilewright::app {

std::string text_of(const Explanation &explanation);
Json json(const Explanation &explanation);

}  // namespace tilewright::app
