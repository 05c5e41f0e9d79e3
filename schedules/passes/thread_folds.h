#pragma once
// A lowering pass for storage that is folded per GPU thread.
#include "Halide.h"
#include <string>
#include <vector>

namespace tilewright {

// A lowering pass that says what it would do, for those who ask whether a library would be made the same
// again.
struct DescribedPass {
    virtual ~DescribedPass() = default;
    virtual std::string description() const = 0;
};

// Removes Halide's checks of folded storage for these Funcs: that a fold is wide enough, and that it is
// computed in order. The storage of these Funcs is folded per GPU thread, where the checks are wrong
// (ScheduleContext::fold_per_thread says why). All other checks of the pipeline stay, among them those of
// launches and allocations.
void leave_out_fold_checks(Halide::Pipeline &pipeline, const std::vector<std::string> &funcs);

}  // namespace tilewright
