// A lowering pass of the generator programs: words that threads exchange in halves.
#include "schedules/passes/halved_exchange.h"
#include <gtest/gtest.h>
#include <string>

namespace tilewright {
namespace {

using namespace Halide;

// What a kernel has of a Func in shared memory.
struct Found {
    int bits = 0, words = 0, barriers = 0;
};

class FindWords : public Internal::IRMutator {
public:
    explicit FindWords(Found &found) : found_(found) {}

protected:
    using IRMutator::visit;

    Internal::Stmt visit(const Internal::Allocate *memory) override {
        if (memory->memory_type == MemoryType::GPUShared) {
            found_.bits = memory->type.bits();
            found_.words = memory->constant_allocation_size();
        }
        return IRMutator::visit(memory);
    }
    Expr visit(const Internal::Call *call) override {
        found_.barriers += call->is_intrinsic(Internal::Call::gpu_thread_barrier);
        return IRMutator::visit(call);
    }

private:
    Found &found_;
};

// A block stores 4 x 4 words, adds to them along the other dimension, and writes them.
Found exchanged(bool in_halves) {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80-no_runtime");
    ImageParam in(UInt(64), 2);
    Var i("i"), j("j"), k("k"), block("block");
    Func cells("cells"), out("out");
    const auto four = [](const auto &of) { return std::vector<Expr>{of(0), of(1), of(2), of(3)}; };
    const Expr number = scatter(four([](int n) { return Expr(n); }));
    cells(j, i, block) = undef<uint64_t>();
    cells(j, number, block) = gather(four([&](int n) { return in(j + 4 * n, block); }));
    cells(number, i, block) = gather(four([&](int n) { return cells(n, i, block) + 1; }));
    out(k, block) = cells(k % 4, k / 4, block);
    out.bound(k, 0, 16).gpu_blocks(block).gpu_threads(k);
    cells.compute_at(out, block).store_in(MemoryType::GPUShared).bound(i, 0, 4).bound(j, 0, 4);
    cells.update(0).gpu_threads(j);
    cells.update(1).gpu_threads(i);

    Found found;
    Pipeline pipeline(out);
    if (in_halves) {
        exchange_in_halves(pipeline, cells.name());
    }
    pipeline.add_custom_lowering_pass(new FindWords(found));
    pipeline.compile_to_module({in}, "exchanged", cuda);
    return found;
}

TEST(HalvedExchange, TakesHalfOfTheMemory) {
    const Found whole = exchanged(false), halves = exchanged(true);
    EXPECT_EQ(whole.bits, 64);
    EXPECT_EQ(halves.bits, 32);
    EXPECT_EQ(halves.words, whole.words);
    EXPECT_EQ(whole.barriers, 2);
    EXPECT_EQ(halves.barriers, 7) << "of two exchanges: two per half, and none behind the last half";
}

}  // namespace
}  // namespace tilewright
