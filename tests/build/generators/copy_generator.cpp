// A generator program for tests of what all of them share (generators/program/): a copy of a vector, and
// tables of variants of which the environment variable TILEWRIGHT_TABLE chooses one.
#include "generators/variant_generator.h"
#include <cstdlib>

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

// A form that no generator makes.
struct Unmade {
    static constexpr const char *name = "unmade";
};

void reference(Copy &, ScheduleContext &) {}

void vectors(Copy &copy, ScheduleContext &context) {
    copy.out.vectorize(copy.x, context["lanes"], Halide::TailStrategy::GuardWithIf);
}

void as_unmade(Unmade &, ScheduleContext &) {}

// A schedule that Halide refuses.
void wrong(Copy &copy, ScheduleContext &) {
    copy.out.vectorize(Halide::Var("nowhere"), 4);
}

}  // namespace

class CopyGenerator : public VariantGenerator<CopyGenerator> {
public:
    Input<Buffer<uint8_t, 1>> in{"in"};
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() {
        Copy copy(in);
        output = copy.out;
        apply(copy, {in, output});
    }
};

namespace {

// Variants as a loop makes them; the last one's lanes are given.
ScheduleVariants vectors_of(int last) {
    ScheduleVariants variants;
    for (const int lanes : {4, 8, 16}) {
        variants.push_back(variant("vectors_" + std::to_string(lanes), cpu, "u8", vectors,
            {{"lanes", lanes == 16 ? last : lanes, 1, 64}}));
    }
    return variants;
}

constexpr const char *types = "u8";

ScheduleVariants table_of(const std::string &name) {
    const ScheduleVariant plain = variant("reference", cpu, "u8", reference);
    if (name == "hyphen") {
        return {plain, variant("my-vectors", cpu, "u8", vectors, {{"lanes", 8}})};
    }
    if (name == "twice") {
        return {plain, variant("vectors", cpu, "u8", vectors, {{"lanes", 8}}),
            variant("vectors", cpu, "u8", vectors, {{"lanes", 16}})};
    }
    if (name == "unmade") {
        return {plain, variant("odd", cpu, "u8", as_unmade)};
    }
    if (name == "wrong") {
        return {plain, variant("vectors_wrong", cpu, "u8", wrong)};
    }
    if (name == "shared") {
        return {plain, variant("vectors", cpu, "u8", vectors, {{"lanes", 8}}).one_for("copies")};
    }
    if (name == "fewer") {
        return {plain, family("vectors", vectors_of(16))[0]};
    }
    return {
        plain,
        family("vectors", vectors_of(name == "changed" ? 32 : 16)),
        variant("on_two_lines", cpu, types, vectors, {{"lanes", 8}}),
    };
}

const ScheduleVariants &variants() {
    const char *name = std::getenv("TILEWRIGHT_TABLE");
    static const ScheduleVariants table = table_of(name ? name : "");
    return table;
}

const Table table("copy", variants);

}  // namespace

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::CopyGenerator, copy)
