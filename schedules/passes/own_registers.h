#pragma once
// A lowering pass for what GPU threads keep in their registers over the steps of a loop.
#include "Halide.h"
#include "schedules/passes/thread_folds.h"
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

// Keeps `func`, which is stored around the loops over threads, in the registers of each thread. The schedule
// must see to it that no thread reads what another one wrote. Where the storage is folded to `places` steps
// of a loop, the loop is unrolled by these, so that each place is a constant; its first step must be a
// constant. Barriers of the kernel that order no memory are left out: shared memory that a step writes while
// threads still read it must have room for two steps.
class OwnRegisters : public Halide::Internal::IRMutator, public DescribedPass {
public:
    OwnRegisters(std::string func, int places) : func_(std::move(func)), places_(places) {}
    std::string description() const override {
        return std::to_string(places_) + " steps of " + func_ + " in registers";
    }

protected:
    using Stmt = Halide::Internal::Stmt;
    using Expr = Halide::Expr;
    using Halide::Internal::IRMutator::visit;

    Stmt visit(const Halide::Internal::For *loop) override {
        using namespace Halide::Internal;
        if (loop->for_type == ForType::GPUThread) {
            threads_ = loop;
            Stmt made = IRMutator::visit(loop);
            threads_ = nullptr;
            return made;
        }
        const bool was_made = std::exchange(is_made_, false);
        Stmt made = IRMutator::visit(loop);
        if (loop->for_type == ForType::Serial && is_made_ && places_ > 1) {
            made = unrolled(made.as<For>());
            is_made_ = false;
        }
        is_made_ = is_made_ || was_made;
        return made;
    }
    Stmt visit(const Halide::Internal::ProducerConsumer *node) override {
        is_made_ = is_made_ || (node->is_producer && node->name == func_);
        return IRMutator::visit(node);
    }
    Stmt visit(const Halide::Internal::LetStmt *let) override {
        lets_.emplace_back(let->name, let->value);
        Stmt made = IRMutator::visit(let);
        lets_.pop_back();
        return made;
    }
    Expr visit(const Halide::Internal::Let *let) override {
        lets_.emplace_back(let->name, let->value);
        Expr made = IRMutator::visit(let);
        lets_.pop_back();
        return made;
    }
    Stmt visit(const Halide::Internal::Evaluate *statement) override {
        using namespace Halide::Internal;
        const Call *call = statement->value.as<Call>();
        const bool is_empty = threads_ && call && call->is_intrinsic(Call::gpu_thread_barrier) &&
                              is_const_zero(call->args.at(0));
        return is_empty ? Evaluate::make(0) : IRMutator::visit(statement);
    }
    Stmt visit(const Halide::Internal::Allocate *memory) override {
        using namespace Halide::Internal;
        if (!is_own(memory->name)) {
            return IRMutator::visit(memory);
        }
        const Expr all = memory->constant_allocation_size();
        return Allocate::make(memory->name, memory->type, memory->memory_type,
            {simplify(all / threads_->extent)}, memory->condition, mutate(memory->body));
    }
    Stmt visit(const Halide::Internal::Store *store) override {
        using namespace Halide::Internal;
        return is_own(store->name) ? Store::make(store->name, mutate(store->value), own(store->index),
                                         store->param, store->predicate, {}) :
                                     IRMutator::visit(store);
    }
    Expr visit(const Halide::Internal::Load *load) override {
        using namespace Halide::Internal;
        return is_own(load->name) ? Load::make(load->type, load->name, own(load->index), load->image,
                                        load->param, load->predicate, {}) :
                                    IRMutator::visit(load);
    }

private:
    const std::string func_;
    const int places_;
    const Halide::Internal::For *threads_ = nullptr;
    bool is_made_ = false;  // in the loop that is visited
    std::vector<std::pair<std::string, Expr>> lets_;

    bool is_own(const std::string &memory) const {
        return threads_ && (memory == func_ || memory.starts_with(func_ + "."));
    }
    // The index without what the thread's number adds.
    Expr own(Expr index) const {
        using namespace Halide::Internal;
        for (size_t i = lets_.size(); i-- > 0;) {
            index = substitute(lets_[i].first, lets_[i].second, index);
        }
        return simplify(substitute(threads_->name, 0, index));
    }

    Stmt unrolled(const Halide::Internal::For *loop) const {
        using namespace Halide::Internal;
        const std::string name = loop->name + ".turn";
        const Expr first = Variable::make(Halide::Int(32), name) * places_;
        std::vector<Stmt> steps;
        for (int place = 0; place < places_; place++) {
            const Stmt step = simplify(substitute(loop->name, loop->min + first + place, loop->body));
            steps.push_back(place == 0 ? step : IfThenElse::make(first + place < loop->extent, step));
        }
        return For::make(name, 0, simplify((loop->extent + (places_ - 1)) / places_), loop->for_type,
            loop->partition_policy, loop->device_api, Block::make(steps));
    }
};

}  // namespace tilewright
