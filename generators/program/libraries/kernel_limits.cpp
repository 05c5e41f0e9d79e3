#include "generators/program/libraries/kernel_limits.h"
#include "generators/algorithms/block_clusters.h"
#include "generators/algorithms/tensor_product.h"
#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace tilewright {

namespace {

using namespace Halide::Internal;

KernelNeeds needs;

// Looks at the loops over threads and at the shared memory, once Halide has made both the block's own.
// Changes nothing.
class KernelLimits : public IRMutator {
public:
    KernelLimits(std::string what, int64_t shared_bytes)
        : what_(std::move(what)), shared_bytes_(shared_bytes) {}

protected:
    using IRMutator::visit;

    Stmt visit(const For *loop) override {
        const int64_t before = threads_;
        if (loop->for_type == ForType::GPUBlock) {
            block_ = loop->name;
        } else if (loop->for_type == ForType::GPUThread) {
            if (const auto extent = as_const_int(loop->extent)) {
                threads_ *= *extent;
            }
            needs.threads = std::max(needs.threads, threads_);
            if (threads_ > most_threads) {
                refuse("has " + std::to_string(threads_) + " threads; a device runs at most " +
                       std::to_string(most_threads));
            }
        }
        Stmt same = IRMutator::visit(loop);
        threads_ = before;
        return same;
    }

    Stmt visit(const Allocate *allocation) override {
        const int64_t before = shared_;
        if (allocation->memory_type == Halide::MemoryType::GPUShared) {
            int64_t bytes = allocation->type.bytes();
            for (const Halide::Expr &extent : allocation->extents) {
                const auto constant = as_const_int(simplify(extent));
                bytes = constant ? bytes * *constant : 0;  // unknown before it runs
            }
            shared_ += bytes;
            needs.shared_bytes = std::max(needs.shared_bytes, shared_);
            if (shared_ > shared_bytes_) {
                refuse("takes " + std::to_string(shared_) + " bytes of shared memory; a device has at most " +
                       std::to_string(shared_bytes_));
            }
        }
        needs.images = needs.images || allocation->memory_type == Halide::MemoryType::GPUTexture;
        Stmt same = IRMutator::visit(allocation);
        shared_ = before;
        return same;
    }

    Halide::Expr visit(const Call *call) override {
        needs.tensor_products = needs.tensor_products || call->name.starts_with(tensor_prefix);
        needs.clusters = needs.clusters || call->name.starts_with(cluster_prefix);
        needs.lane_products =
            needs.lane_products || std::ranges::any_of(lane_products, [&](const LaneProduct &product) {
                return call->name.starts_with(product.prefix);
            });
        return IRMutator::visit(call);
    }

private:
    static constexpr int64_t most_threads = 1024;

    [[noreturn]] void refuse(const std::string &why) const {
        std::cerr << "error: " << what_ << ": a block of the kernel over " << block_ << " " << why
                  << ". Take smaller tiles.\n";
        exit(1);
    }

    std::string what_, block_ = "no block";
    int64_t shared_bytes_, threads_ = 1, shared_ = 0;
};

}  // namespace

const KernelNeeds &kernel_needs() {
    return needs;
}

void check_kernel_limits(
    Halide::Pipeline &pipeline, const Halide::Target &target, const std::string &what, bool has_ptx) {
    if (target.has_gpu_feature()) {
        const bool is_ptx = has_ptx || target.has_feature(Halide::Target::CUDA);
        pipeline.add_custom_lowering_pass(
            new KernelLimits(what, is_ptx ? most_shared_bytes : most_shared_bytes_of_opencl_c));
    }
}

}  // namespace tilewright
