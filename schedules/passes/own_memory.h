#pragma once
// A lowering pass for shared memory of which each thread reads only what it wrote itself.
#include "Halide.h"
#include "schedules/passes/thread_folds.h"
#include <string>
#include <utility>

namespace tilewright {

// Leaves out the barriers of the loop that makes `func`, which is in shared memory only because the step of
// the loop is an index of it, and registers have no index. The schedule must see to it that no thread reads
// what another one wrote in this loop. So the warps of a block do not wait for each other.
class OwnMemory : public Halide::Internal::IRMutator, public DescribedPass {
public:
    explicit OwnMemory(std::string func) : func_(std::move(func)) {}
    std::string description() const override {
        return "no barriers around " + func_;
    }

protected:
    using Stmt = Halide::Internal::Stmt;
    using Halide::Internal::IRMutator::visit;

    Stmt visit(const Halide::Internal::For *loop) override {
        if (within_ || loop->for_type != Halide::Internal::ForType::Serial || !makes_func(loop->body)) {
            return IRMutator::visit(loop);
        }
        within_ = true;
        Stmt made = IRMutator::visit(loop);
        within_ = false;
        return made;
    }
    Stmt visit(const Halide::Internal::Evaluate *statement) override {
        using namespace Halide::Internal;
        const Call *call = statement->value.as<Call>();
        return within_ && call && call->is_intrinsic(Call::gpu_thread_barrier) ? Evaluate::make(0) :
                                                                                 statement;
    }

private:
    const std::string func_;
    bool within_ = false;

    bool makes_func(const Stmt &body) const {
        struct Search : Halide::Internal::IRVisitor {
            using IRVisitor::visit;
            void visit(const Halide::Internal::ProducerConsumer *node) override {
                found = found || (node->is_producer && node->name == func);
                IRVisitor::visit(node);
            }
            std::string func;
            bool found = false;
        } search;
        search.func = func_;
        body.accept(&search);
        return search.found;
    }
};

}  // namespace tilewright
