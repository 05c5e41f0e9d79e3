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
//
// Where threads read another Func of theirs, as "func shared", the barrier behind what makes `shared` stays:
// one per step. The schedule must see to it that `shared` has room for two steps then, so that no thread
// writes where another one still reads.
class OwnMemory : public Halide::Internal::IRMutator, public DescribedPass {
public:
    explicit OwnMemory(const std::string &funcs)
        : func_(funcs.substr(0, funcs.find(' '))),
          shared_(func_.size() < funcs.size() ? funcs.substr(func_.size() + 1) : "") {}
    std::string description() const override {
        return "no barriers around " + func_ + (shared_.empty() ? "" : ", but for " + shared_);
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
    Stmt visit(const Halide::Internal::ProducerConsumer *node) override {
        Stmt made = IRMutator::visit(node);
        has_made_ = has_made_ || (within_ && node->is_producer && node->name == shared_);
        return made;
    }
    Stmt visit(const Halide::Internal::Evaluate *statement) override {
        using namespace Halide::Internal;
        const Call *call = statement->value.as<Call>();
        if (!within_ || !call || !call->is_intrinsic(Call::gpu_thread_barrier)) {
            return statement;
        }
        return std::exchange(has_made_, false) ? Stmt(statement) : Evaluate::make(0);
    }

private:
    const std::string func_, shared_;
    bool within_ = false, has_made_ = false;

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
