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

// The PTX with a directive at the entry of each kernel that has a cap:
// `.entry name(parameters)\n.maxnreg 96\n{`.
std::string with_register_caps(const std::string &ptx, const std::vector<Row::RegisterCap> &caps);

}  // namespace tilewright::driver
