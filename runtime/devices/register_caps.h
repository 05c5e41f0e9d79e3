#pragma once
// Register caps of a row's CUDA kernels (Row::register_caps). Not installed.
#include "tilewright/row.h"
#include <string>
#include <vector>

namespace tilewright::driver {

// While it lives, CUDA modules that this thread loads get the row's register caps. `caps` must outlive it.
class RegisterCaps {
public:
    explicit RegisterCaps(const std::vector<Row::RegisterCap> &caps);
    ~RegisterCaps();
    RegisterCaps(const RegisterCaps &) = delete;

    // Those of this thread; null where no RegisterCaps lives.
    static const std::vector<Row::RegisterCap> *current();

private:
    const std::vector<Row::RegisterCap> *before_;
};

}  // namespace tilewright::driver
