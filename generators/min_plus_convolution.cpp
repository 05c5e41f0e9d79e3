// The generators of min_plus_convolution: the vectors and scalars of its definition and of its forms.
#include "generators/algorithms/min_plus_convolution/min_plus_convolution.h"
#include "generators/algorithms/min_plus_convolution/bounded.h"
#include "generators/algorithms/min_plus_convolution/configuration.h"
#include "generators/algorithms/min_plus_convolution/plan.h"
#include "generators/algorithms/min_plus_convolution/pruned.h"
#include "generators/algorithms/min_plus_convolution/sieve.h"
#include "generators/algorithms/min_plus_convolution/slices.h"
#include "generators/algorithms/min_plus_convolution/tiles.h"
#include "generators/check_tunables.h"
#include "generators/instructions.h"
#include "generators/variant_generator.h"

namespace tilewright {

namespace {

// The arithmetic on a backend. Halide's f32 arithmetic on CUDA has no denormals.
MinPlusNumbers numbers_of(const std::string &type, const std::string &backend) {
    MinPlusNumbers numbers{element_type(type)};
    if (backend == "cuda" && numbers.type == Halide::Float(32)) {
        numbers.denormals = false;
        numbers.least = nvidia_minimum;
    }
    return numbers;
}

// What the generators of all forms share: the vectors a, of length n, and b, of length m.
template<typename Self>
class MinPlusGeneratorBase : public VariantGenerator<Self> {
public:
    Halide::GeneratorInput<Halide::Buffer<void, 1>> a{"a"}, b{"b"};

protected:
    MinPlusNumbers numbers() const {
        return numbers_of(this->type, this->backend);
    }
    // Gives the buffers the elements of the variant.
    template<typename... Buffers>
    void set_numbers(Buffers &...buffers) const {
        (buffers.set_type(numbers().type), ...);
    }
    // As numbers(), with the sums that are best on a CPU; see sum_by_multiply_add() for `one`.
    MinPlusNumbers cpu_numbers(Halide::Expr one) const {
        MinPlusNumbers all = numbers();
        if (all.type.is_float() && this->get_target().has_feature(Halide::Target::FMA)) {
            all.sum = sum_by_multiply_add(one);
        }
        return all;
    }
    Halide::Expr n() {
        return a.dim(0).extent();
    }
    Halide::Expr m() {
        return b.dim(0).extent();
    }
};

void starts_at_zero(const std::vector<Halide::OutputImageParam> &buffers) {
    for (Halide::OutputImageParam buffer : buffers) {
        for (int dimension = 0; dimension < buffer.dimensions(); dimension++) {
            buffer.dim(dimension).set_min(0);
        }
    }
}

// What the generators share that compute the output. accumulated: the output is the minimum of the
// convolution and of this vector, which has the output's length, or one element for all of it.
template<typename Self>
class MinPlusOutputGenerator : public MinPlusGeneratorBase<Self> {
public:
    Halide::GeneratorInput<Halide::Buffer<void, 1>> accumulated{"accumulated"};

    void configure() {
        this->set_numbers(this->a, this->b, accumulated, self().output);
    }

protected:
    Self &self() {
        return static_cast<Self &>(*this);
    }
    Halide::Func before() {
        Halide::Func before("before");
        Halide::Var k("k");
        before(k) = accumulated(min(k, accumulated.dim(0).extent() - 1));
        return before;
    }
    // The same for CPUs, where reading one element for a whole vector of outputs is cheap once it is known
    // that there is only one.
    Halide::Func before_on_cpu() {
        Halide::Func before("before");
        Halide::Var k("k");
        const Halide::Expr count = accumulated.dim(0).extent();
        before(k) = select(count == 1, accumulated(0), accumulated(min(k, count - 1)));
        return before;
    }
    template<typename Form>
    void finish(Form &form) {
        self().output = form.out;
        const std::vector<Halide::OutputImageParam> vectors = {this->a, this->b, accumulated, self().output};
        starts_at_zero(vectors);
        this->apply(form, vectors);
        this->a.set_estimates({{0, 10000}});
        this->b.set_estimates({{0, 10000}});
        accumulated.set_estimates({{0, 10000}});
        self().output.set_estimates({{0, 10000}});
    }
};

// The definition.
class MinPlusConvolutionGenerator : public MinPlusOutputGenerator<MinPlusConvolutionGenerator> {
public:
    Output<Buffer<void, 1>> output{"output"};

    void generate() {
        MinPlusNumbers arithmetic = numbers();
        if (configuration<MinPlusConvolutionConfiguration>().branch) {
            arithmetic.least = [](Halide::Expr next, Halide::Expr before) {
                return select(next < before, next, Halide::undef(next.type()));
            };
        }
        MinPlusConvolution form(a, b, before(), n(), m(), arithmetic);
        finish(form);
    }
};

// The form in slices.
class MinPlusSlicesGenerator : public MinPlusOutputGenerator<MinPlusSlicesGenerator> {
public:
    Input<int32_t> length{"length"};
    Output<Buffer<void, 1>> output{"output"};

    void generate() {
        const MinPlusTile tile{setting("own"), setting("owners"), setting("run")};
        const bool fits = setting("run") % setting("own") == 0;
        check_tunables(variant().name, tunables, fits ? "" : "run must be a multiple of own");
        MinPlusSlices form(a, b, before(), n(), m(), length, tile, setting("slices"), numbers());
        finish(form);
    }
};

// The form that bounds all sums in integers first. Tiles of all pairs are those of registers_any.
class MinPlusBoundedGenerator : public MinPlusOutputGenerator<MinPlusBoundedGenerator> {
public:
    Input<int32_t> length{"length"};
    Output<Buffer<void, 1>> output{"output"};

    void generate() {
        const MinPlusTile tile{setting("own"), setting("owners"), setting("run")}, of_all{16, 8, 16};
        const int chunk = setting("chunk"), lanes = setting("lanes");
        const bool fits =
            tile.run % tile.outputs_per_worker == 0 && chunk % tile.run == 0 && chunk % lanes == 0;
        check_tunables(variant().name, tunables,
            fits ? "" : "run must be a multiple of own, and chunk one of run and of lanes");
        MinPlusBounded form(a, b, before(), n(), m(), length, tile, chunk, lanes, of_all, 32, numbers());
        finish(form);
    }
};

// The form in strips.
class MinPlusStripsGenerator : public MinPlusOutputGenerator<MinPlusStripsGenerator> {
public:
    Input<int32_t> one{"one"};
    Output<Buffer<void, 1>> output{"output"};

    void generate() {
        const bool wide = get_target().has_feature(Halide::Target::AVX512);
        MinPlusStrips form(a, b, before(), n(), m(), setting(wide ? "vectors" : "narrow_vectors"),
            setting("steps"), get_target().natural_vector_size(numbers().type), cpu_numbers(one));
        finish(form);
    }
};

// The form for short vectors.
class MinPlusShortGenerator : public MinPlusOutputGenerator<MinPlusShortGenerator> {
public:
    Output<Buffer<void, 1>> output{"output"};

    void generate() {
        MinPlusShort form(a, b, before_on_cpu(), n(), m(), numbers());
        finish(form);
    }
};

// The first half of the pruned form; see MinPlusPlan for the outputs. segments: the number of segments of a
// part.
class MinPlusPlanGenerator : public MinPlusGeneratorBase<MinPlusPlanGenerator> {
public:
    Input<int32_t> length{"length"}, segments{"segments"}, parts{"parts"};
    Output<Buffer<void, 2>> low_of_blocks{"low_of_blocks"}, low_of_windows{"low_of_windows"};
    Output<Buffer<uint32_t, 2>> chosen{"chosen"};
    Output<Buffer<void, 3>> best{"best"};
    Output<Buffer<void, 2>> limits{"limits"};
    Output<Buffer<int32_t, 1>> asked{"asked"};

    void configure() {
        set_numbers(a, b, low_of_blocks, low_of_windows, best, limits);
    }

    void generate() {
        MinPlusPlan form(a, b, n(), m(), length, configuration<MinPlusPrunedConfiguration>().tile(),
            setting("tenths"), segments, parts, numbers());
        low_of_blocks = form.low_a;
        low_of_windows = form.low_b;
        chosen = form.pass.bits.values;
        best = form.pass.best.values;
        limits = form.limits;
        asked = form.asked.values;
        const std::vector<Halide::OutputImageParam> all = {
            a, b, low_of_blocks, low_of_windows, chosen, best, limits, asked};
        starts_at_zero(all);
        best.dim(0).set_extent(form.tile.workers);
        best.dim(1).set_extent(form.tile.outputs_per_worker);
        limits.dim(0).set_extent(2);
        asked.dim(0).set_extent(1);
        apply(form, all);
    }
};

// The second half of the pruned form.
class MinPlusPrunedGenerator : public MinPlusOutputGenerator<MinPlusPrunedGenerator> {
public:
    Input<Buffer<void, 2>> low_of_blocks{"low_of_blocks"}, low_of_windows{"low_of_windows"};
    Input<Buffer<uint32_t, 2>> chosen{"chosen"};
    Input<Buffer<void, 3>> best{"best"};
    Input<Buffer<void, 2>> limits{"limits"};
    Input<int32_t> length{"length"}, segments{"segments"}, parts{"parts"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        MinPlusOutputGenerator<MinPlusPrunedGenerator>::configure();
        set_numbers(low_of_blocks, low_of_windows, best, limits);
    }

    void generate() {
        starts_at_zero({low_of_blocks, low_of_windows, chosen, best, limits});
        MinPlusPruned form(a, b, before(), low_of_blocks, low_of_windows, chosen, best, limits, n(), m(),
            length, configuration<MinPlusPrunedConfiguration>().tile(), segments, parts, numbers());
        finish(form);
    }
};

// The first half of the form that leaves out elements, and the second one.
class MinPlusGroupsGenerator : public MinPlusGeneratorBase<MinPlusGroupsGenerator> {
public:
    Input<int32_t> length{"length"}, one{"one"};
    Output<Buffer<void, 2>> best{"best"};
    Output<Buffer<int32_t, 1>> asked{"asked"};

    void configure() {
        set_numbers(a, b, best);
    }

    void generate() {
        const auto sizes = configuration<MinPlusSieveConfiguration>();
        MinPlusGroups form(a, b, n(), m(), length, sizes, cpu_numbers(one));
        best = form.best;
        asked = form.asked;
        best.dim(0).set_bounds(0, sizes.width);
        best.dim(1).set_stride(sizes.width);
        const std::vector<Halide::OutputImageParam> all = {a, b, best, asked};
        starts_at_zero(all);
        apply(form, all);
    }
};

class MinPlusSieveGenerator : public MinPlusOutputGenerator<MinPlusSieveGenerator> {
public:
    Input<Buffer<void, 2>> best{"best"};
    Input<int32_t> length{"length"}, one{"one"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        MinPlusOutputGenerator<MinPlusSieveGenerator>::configure();
        set_numbers(best);
    }

    void generate() {
        const auto sizes = configuration<MinPlusSieveConfiguration>();
        best.dim(0).set_bounds(0, sizes.width);
        best.dim(1).set_min(0).set_stride(sizes.width);
        MinPlusSieve form(a, b, before(), best, n(), m(), length, sizes, cpu_numbers(one));
        finish(form);
    }
};

}  // namespace

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::MinPlusConvolutionGenerator, min_plus_convolution)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusSlicesGenerator, min_plus_convolution_slices)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusBoundedGenerator, min_plus_convolution_bounded)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusStripsGenerator, min_plus_convolution_strips)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusShortGenerator, min_plus_convolution_short)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusPlanGenerator, min_plus_convolution_plan)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusPrunedGenerator, min_plus_convolution_pruned)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusGroupsGenerator, min_plus_convolution_groups)
HALIDE_REGISTER_GENERATOR(tilewright::MinPlusSieveGenerator, min_plus_convolution_sieve)
