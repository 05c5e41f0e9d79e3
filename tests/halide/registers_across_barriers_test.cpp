// A limit of Halide 21: sums that live across the barriers of a thread block cannot be in registers, one cell
// per thread. A Func that is computed for a block and stored in registers is whole in each of its threads.
#include <Halide.h>
#include <gtest/gtest.h>

namespace {

using namespace Halide;

// Counts the elements of the allocations that a thread has for a Func.
class CellsPerThread : public Internal::IRMutator {
public:
    CellsPerThread(std::string func, int64_t &cells) : func_(std::move(func)), cells_(cells) {}

protected:
    using IRMutator::visit;

    Internal::Stmt visit(const Internal::Allocate *allocation) override {
        if (allocation->name.starts_with(func_ + ".")) {
            cells_ = allocation->constant_allocation_size();
        }
        return IRMutator::visit(allocation);
    }

private:
    std::string func_;
    int64_t &cells_;
};

TEST(RegistersAcrossBarriers, AreTheWholeTileInEachThread) {
    constexpr int threads = 16;
    const Target cuda("x86-64-linux-cuda-cuda_capability_86-no_runtime");
    ImageParam in(Float(32), 2);
    Var x("x"), xo("xo"), xi("xi");
    RDom k(0, 64, "k");
    RVar block("block"), inner("inner");
    Func sum("sum"), out("out");
    sum(x) += in(x, k);
    out(x) = sum(x);
    out.gpu_tile(x, xo, xi, threads);
    sum.compute_at(out, xo).store_in(MemoryType::Register).bound_extent(x, threads).gpu_threads(x);
    sum.update().split(k, block, inner, 16).reorder(inner, x, block).gpu_threads(x);
    in.in().compute_at(sum, block).store_in(MemoryType::GPUShared).gpu_threads(in.in().args()[0]);

    int64_t cells = 0;
    Pipeline pipeline(out);
    pipeline.add_custom_lowering_pass(new CellsPerThread(sum.name(), cells));
    pipeline.compile_to_module({in}, "sums", cuda);
    EXPECT_EQ(cells, threads)
        << "Halide can now keep one sum per thread in a register across barriers: store the sums of "
           "tiles_in_shared() in schedules/matmul.cpp so";
}

}  // namespace
