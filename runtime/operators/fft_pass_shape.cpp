// Reads the pass that a row's tunables describe. The only place that does: their names are those of
// schedules/fft_pass.h.
#include "runtime/operators/fft_pass_shape.h"

namespace tilewright {

bool is_fft_pass(const Row &row) {
    return row.form == "fft_pass";
}

std::optional<FftPassShape> FftPassShape::of(const Row &row) {
    if (!is_fft_pass(row)) {
        return {};
    }
    FftPassShape shape;
    shape.length = row.tunable("length");
    shape.kind = {.lines = FftPassKind::Lines(row.tunable("lines")),  // in the order of the generator's enum
                  .twiddled = row.tunable("twiddled") != 0,
                  .first_factor = row.tunable("chirp_first") != 0,
                  .last_factor = row.tunable("chirp_last") != 0,
                  .convolves = row.tunable("convolve") != 0};
    shape.together = row.tunable("together");
    for (const char *name : {"radix1", "radix2", "radix3", "radix4"}) {
        if (row.tunable(name) > 1) {
            shape.radices.push_back(row.tunable(name));
        }
    }
    return shape;
}

int64_t FftPassShape::frequency(int64_t i) const {
    // i is the digit of the last stage and then the number of its butterfly: the digits before it, the first
    // one first.
    const size_t last = radices.size() - 1;
    std::vector<int64_t> digit(radices.size());
    digit[last] = i / butterflies();
    int64_t rest = i % butterflies();
    for (size_t s = last; s-- > 0;) {
        digit[s] = rest % radices[s];
        rest /= radices[s];
    }
    int64_t k = 0, weight = 1;
    for (size_t s = 0; s <= last; s++) {
        k += digit[s] * weight;
        weight *= radices[s];
    }
    return k;
}

}  // namespace tilewright
