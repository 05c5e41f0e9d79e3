// Stands in for what the build generates: the targets read files and texts, and run no operator. So a fuzz
// build needs neither generators nor libraries.
#include "apps/tilewright/built_variants/tunables.h"
#include "runtime/measured/measured.h"
#include "tilewright/operator.h"

namespace tilewright {

#define OPERATOR(name)                                                                                       \
    const Operator &name##_operator();                                                                       \
    const std::vector<Variant> &name##_variants() {                                                          \
        static const std::vector<Variant> none;                                                              \
        return none;                                                                                         \
    }
TILEWRIGHT_FUZZ_OPERATORS
#undef OPERATOR

const std::vector<const Operator *> &operators() {
#define OPERATOR(name) &name##_operator(),
    static const std::vector<const Operator *> all = {TILEWRIGHT_FUZZ_OPERATORS};
#undef OPERATOR
    return all;
}

std::span<const MeasuredDevice> built_in_measurements() {
    return {};
}

// Only generators that are not ours have values with words.
std::string app::word_of(const std::string &, const std::string &, int value) {
    return std::to_string(value);
}
std::optional<int> app::value_of(const std::string &, const std::string &, const std::string &) {
    return {};
}

}  // namespace tilewright
