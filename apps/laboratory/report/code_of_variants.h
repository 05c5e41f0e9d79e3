#pragma once
// Loop nests and kernel sources of the variants of a report.
#include "apps/laboratory/results/timed_runs.h"
#include <map>

namespace tilewright::app {

// Of which variants a report holds the code.
enum class SourcesOf {
    none,
    best,  // the chosen and the fastest variant, and the fastest point, of each operator, type and backend
    all,
};

struct Sources {
    // "op/schedule/type/backend[/point]" -> {"loops": ..., "kernels": ...}
    std::map<std::string, std::map<std::string, std::string>> code;
    std::string missing;  // a sentence where some are not there: why, and how many
};

// Asks the operators' generator programs. Long sources are cut, and where all together would make the report
// too large, the last ones are left out.
Sources sources_of(const std::vector<TimedRun> &runs, SourcesOf which);

}  // namespace tilewright::app
