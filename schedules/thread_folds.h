#pragma once
#include "Halide.h"
#include <string>
#include <vector>

namespace tilewright {

// A lowering pass that says what it would do, for those who ask whether a library would be made the same again.
struct DescribedPass {
    virtual ~DescribedPass() = default;
    virtual std::string description() const = 0;
};

// Leaves out Halide's checks that a fold is wide enough, and is walked in order, for these Funcs, whose storage is folded per GPU
// thread (Site::fold_per_thread says why the checks are wrong there). All other checks of the pipeline stay, those of launches
// and of allocations among them.
void leave_out_fold_checks(Halide::Pipeline &pipeline, const std::vector<std::string> &funcs);

}  // namespace tilewright
