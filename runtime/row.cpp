#include "tilewright/row.h"
#include <stdexcept>

namespace tilewright {

std::string Row::name() const {
    const char *const places[] = {"cpu", "cuda", "opencl"};
    return op + "/" + schedule + "/" + type + "/" + (needs_vnni ? "vnni" : places[(int)backend]);
}

int Row::tunable(const std::string &name) const {
    for (const Tunable &t : tunables) {
        if (t.name == name) {
            return t.value;
        }
    }
    throw std::logic_error(this->name() + " has no tunable '" + name + "'");
}

bool Row::belongs_to(const std::string &asked) const {
    return schedule == asked || schedule.rfind(asked + "_", 0) == 0;
}

}  // namespace tilewright
