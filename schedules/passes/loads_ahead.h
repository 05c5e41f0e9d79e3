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
// thread does the rest of a step while its loads are under way.
class LoadsAhead : public Halide::Internal::IRMutator, public DescribedPass {
public:
    explicit LoadsAhead(std::string func) : func_(std::move(func)) {}
    std::string description() const override {
        return "loads ahead of " + func_;
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
        const Stmt outer_first = std::exchange(first_, Stmt());
        Stmt made = IRMutator::visit(loop);
        if (first_.defined()) {
            made = Halide::Internal::Block::make(first_, made);
        }
        loop_ = outer_loop;
        around_ = outer_around;
        first_ = outer_first;
        return made;
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
        first_ = substitute(loop_->name, loop_->min, of_step);
        has_moved_ = true;
        return Block::make(block->rest,
            IfThenElse::make(next < loop_->min + loop_->extent, substitute(loop_->name, next, of_step)));
    }

private:
    using Wrap = std::function<Stmt(const Stmt &)>;
    const std::string func_;
    bool is_inside_ = false, has_moved_ = false;
    const Halide::Internal::For *loop_ = nullptr;
    std::vector<Wrap> around_;  // the values and conditions between the loop and what is visited
    Stmt first_;                // the loads of the loop's first step

    template<typename Node>
    Stmt within(const Node *node, Wrap wrap) {
        around_.push_back(std::move(wrap));
        Stmt made = IRMutator::visit(node);
        around_.pop_back();
        return made;
    }
};

}  // namespace tilewright
