#pragma once
// A lowering pass for loops of GPU kernels whose steps wait for memory.
#include "Halide.h"
#include "schedules/passes/thread_folds.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

// Loads `func`, whose values a thread keeps in registers, one step of the loop around it ahead: those of the
// first step before the loop, and those of the next step where the values of this one have been used. So the
// thread does the rest of a step while its loads are under way. The first `first_steps` steps are taken out
// of the loop, which has more of them, and what they load is loaded at once.
class LoadsAhead : public Halide::Internal::IRMutator, public DescribedPass {
public:
    LoadsAhead(std::string func, int first_steps) : func_(std::move(func)), first_steps_(first_steps) {}
    std::string description() const override {
        return "loads ahead of " + func_ + ", first " + std::to_string(first_steps_);
    }

    // The outermost call has the whole pipeline.
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &part) override {
        const bool is_whole = !std::exchange(is_inside_, true);
        Stmt made = IRMutator::mutate(part);
        _halide_user_assert(!is_whole || has_moved_)
            << "load_ahead: no step of a loop begins with the loads of '" << func_ << "'\n";
        is_inside_ = !is_whole;
        return made;
    }

protected:
    using Stmt = Halide::Internal::Stmt;
    using Halide::Internal::IRMutator::mutate;
    using Halide::Internal::IRMutator::visit;

    Stmt visit(const Halide::Internal::For *loop) override {
        const auto *const outer_loop = std::exchange(loop_, loop);
        const std::vector<Wrap> outer_around = std::exchange(around_, {});
        const Stmt outer_loads = std::exchange(loads_, Stmt());
        Stmt made = IRMutator::visit(loop);
        if (loads_.defined()) {
            made = first_steps_ > 0 ? with_first_steps(made) :
                                      Halide::Internal::Block::make(
                                          Halide::Internal::substitute(loop->name, loop->min, loads_), made);
        }
        loop_ = outer_loop;
        around_ = outer_around;
        loads_ = outer_loads;
        return made;
    }
    Stmt visit(const Halide::Internal::Allocate *memory) override {
        using namespace Halide::Internal;
        if (first_steps_ == 0 || !is_own(memory->name)) {
            return IRMutator::visit(memory);
        }
        size_ = (int)memory->constant_allocation_size();
        return Allocate::make(memory->name, memory->type, memory->memory_type, {size_ * first_steps_},
            memory->condition, mutate(memory->body));
    }
    Stmt visit(const Halide::Internal::LetStmt *let) override {
        return within(let, [let](const Stmt &s) { return let->make(let->name, let->value, s); });
    }
    Stmt visit(const Halide::Internal::IfThenElse *branch) override {
        if (branch->else_case.defined()) {
            return branch;  // its two parts have different conditions: the loads stay where they are
        }
        return within(branch, [branch](const Stmt &s) { return branch->make(branch->condition, s); });
    }
    Stmt visit(const Halide::Internal::Block *block) override {
        using namespace Halide::Internal;
        const auto *load = block->first.as<ProducerConsumer>();
        if (!loop_ || !load || !load->is_producer || load->name != func_) {
            return IRMutator::visit(block);
        }
        Stmt of_step = load;
        for (size_t i = around_.size(); i-- > 0;) {
            of_step = around_[i](of_step);
        }
        const Halide::Expr next = Variable::make(Halide::Int(32), loop_->name) + 1;
        loads_ = of_step;
        has_moved_ = true;
        return is_first_ ? block->rest :
                           Block::make(block->rest, IfThenElse::make(next < loop_->min + loop_->extent,
                                                        substitute(loop_->name, next, of_step)));
    }

private:
    using Wrap = std::function<Stmt(const Stmt &)>;
    const std::string func_;
    const int first_steps_;
    bool is_inside_ = false, has_moved_ = false, is_first_ = false;
    int size_ = 0;  // of what a step loads
    const Halide::Internal::For *loop_ = nullptr;
    std::vector<Wrap> around_;  // the values and conditions between the loop and what is visited
    Stmt loads_;                // those of a step of the loop

    bool is_own(const std::string &memory) const {
        return memory == func_ || memory.starts_with(func_ + ".");
    }

    // Each of the first steps has its own copy of what it loads. The loop goes on with the first one.
    Stmt with_first_steps(const Stmt &made) {
        using namespace Halide::Internal;
        is_first_ = true;
        const Stmt rest = IRMutator::visit(loop_).as<For>()->body;
        is_first_ = false;
        const auto at = [&](const Stmt &part, int step, int copy) {
            return simplify(
                Moved(*this, size_ * copy).mutate(substitute(loop_->name, loop_->min + step, part)));
        };
        std::vector<Stmt> all;
        for (int step = 0; step < first_steps_; step++) {
            all.push_back(at(loads_, step, step));
        }
        for (int step = 0; step < first_steps_; step++) {
            all.push_back(at(rest, step, step));
            if (step == 0) {
                all.push_back(at(loads_, first_steps_, 0));
            }
        }
        all.push_back(For::make(loop_->name, simplify(loop_->min + first_steps_),
            simplify(loop_->extent - first_steps_), loop_->for_type, loop_->partition_policy,
            loop_->device_api, made.as<For>()->body));
        return Block::make(all);
    }

    // The same with another copy.
    struct Moved : Halide::Internal::IRMutator {
        using IRMutator::visit;
        Moved(const LoadsAhead &pass, int by) : pass(pass), by(by) {}
        Stmt visit(const Halide::Internal::Store *store) override {
            return pass.is_own(store->name) ? Halide::Internal::Store::make(store->name, mutate(store->value),
                                                  store->index + by, store->param, store->predicate, {}) :
                                              IRMutator::visit(store);
        }
        Halide::Expr visit(const Halide::Internal::Load *load) override {
            return pass.is_own(load->name) ?
                       Halide::Internal::Load::make(load->type, load->name, load->index + by, load->image,
                           load->param, load->predicate, {}) :
                       IRMutator::visit(load);
        }
        const LoadsAhead &pass;
        const int by;
    };

    template<typename Node>
    Stmt within(const Node *node, Wrap wrap) {
        around_.push_back(std::move(wrap));
        Stmt made = IRMutator::visit(node);
        around_.pop_back();
        return made;
    }
};

}  // namespace tilewright
