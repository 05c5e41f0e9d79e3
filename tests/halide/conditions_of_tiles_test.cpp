// A limit of Halide 21: where a thread computes several outputs whose reductions have different ranges, the
// condition of each output is evaluated in the loop of the reduction. The loop is not split into the range
// that all outputs share, which needs no condition, and its two ends.
#include <Halide.h>
#include <gtest/gtest.h>

namespace {

using namespace Halide;

// Counts the conditions inside the loops over a dimension.
class ConditionsInside : public Internal::IRMutator {
public:
    ConditionsInside(std::string dimension, int &fewest)
        : dimension_(std::move(dimension)), fewest_(fewest) {}

protected:
    using IRMutator::visit;

    Internal::Stmt visit(const Internal::For *loop) override {
        const bool is_it = loop->name.find(dimension_) != std::string::npos;
        const int before = conditions_;
        Internal::Stmt same = IRMutator::visit(loop);
        if (is_it && (fewest_ < 0 || conditions_ - before < fewest_)) {
            fewest_ = conditions_ - before;
        }
        return same;
    }

    Internal::Stmt visit(const Internal::IfThenElse *condition) override {
        conditions_++;
        return IRMutator::visit(condition);
    }

private:
    std::string dimension_;
    int &fewest_, conditions_ = 0;
};

TEST(ConditionsOfTiles, StayInTheLoopOfTheReduction) {
    constexpr int outputs = 4;
    const Target cuda("x86-64-linux-cuda-cuda_capability_86-no_runtime");
    ImageParam a(Float(64), 1), b(Float(64), 1);
    Var k("k"), thread("thread"), own("own"), block("block");
    RDom i(0, a.dim(0).extent(), "i");
    i.where(i <= k && k - i < b.dim(0).extent());
    Func least("least"), out("out");
    least(k) = Float(64).max();
    least(k) = min(a(i) + b(unsafe_promise_clamped(k - i, 0, b.dim(0).extent() - 1)), least(k));
    out(k) = least(k);
    out.split(k, thread, own, outputs).gpu_tile(thread, block, thread, 64, TailStrategy::GuardWithIf);
    out.unroll(own);
    least.compute_at(out, thread).store_in(MemoryType::Register).unroll(k);
    least.update().reorder(k, i).unroll(k);

    int fewest = -1;
    Pipeline pipeline(out);
    pipeline.add_custom_lowering_pass(new ConditionsInside("least.s1.i", fewest));
    pipeline.compile_to_module({a, b}, "least_sums", cuda);
    ASSERT_GE(fewest, 0) << "the loop over i has another name";
    EXPECT_GE(fewest, outputs)
        << "Halide can now leave out the conditions where all outputs of a thread need an element: schedule "
           "the definition in schedules/min_plus_convolution.cpp in place of the form MinPlusSlices";
}

}  // namespace
