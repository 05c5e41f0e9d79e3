// A generator whose table says that an autoscheduler declines it: Mullapudi2016 wants estimates of every size, and this one gives
// none. `declined` must find those words, and must not find others.
#include "generators/row_generator.h"

namespace tilewright {

namespace {

struct Copy : Halide::NamesInterface {
    static constexpr const char *name = "copy";
    Var x{"x"};
    Func out{"out"};

    explicit Copy(Func in) {
        out(x) = in(x);
    }
};

void reference(Copy &, Site &) {
}

}  // namespace

class CopyGenerator : public Operator<CopyGenerator> {
public:
    Input<Buffer<uint8_t, 1>> in{"in"};
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() {
        Copy copy(in);
        output = copy.out;
        apply(copy, {in, output});
    }
};

static const Rows &rows() {
    static const Rows table = {
        row("reference", cpu, "u8", reference),
        declined<Copy>("auto", cpu, "u8", "Mullapudi2016", TILEWRIGHT_WORDS),
    };
    return table;
}

static const Table table("copy", rows);

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::CopyGenerator, copy)
