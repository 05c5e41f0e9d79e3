#pragma once
// The settings of a call against the options that its operator declares. Not installed.
#include "tilewright/operator.h"
#include <string>
#include <vector>

namespace tilewright {

// The settings with the defaults of the options that are not among them: `given` itself where no default is
// missing, so that a call copies no settings, and else `completed`. Errors: usage, for an option that there
// is not, a value that the option does not take, and an option that is needed and missing.
const Settings &checked_settings(
    const std::string &op, const std::vector<Option> &options, const Settings &given, Settings &completed);

}  // namespace tilewright
