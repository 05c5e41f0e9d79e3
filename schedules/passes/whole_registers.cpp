// Makes one shuffle of two whole registers of an interleaving of parts of them.
#include "schedules/passes/whole_registers.h"
#include "schedules/passes/thread_folds.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

// Some elements of a register.
struct Picked {
    Expr whole;                 // the load of the register
    std::vector<int> elements;  // which of its elements, in order
};

class WholeRegisters : public IRMutator, public DescribedPass {
public:
    std::string description() const override {
        return "shuffles of whole registers";
    }

protected:
    using IRMutator::visit;

    Stmt visit(const Allocate *op) override {
        const bool constant = op->memory_type == Halide::MemoryType::Stack;
        elements_[op->name] = constant ? op->constant_allocation_size() : 0;
        Stmt result = IRMutator::visit(op);
        elements_.erase(op->name);
        return result;
    }

    Expr visit(const Shuffle *op) override {
        if (op->is_interleave() && op->vectors.size() == 2) {
            const auto even = picked(op->vectors[0], op->type), odd = picked(op->vectors[1], op->type);
            if (even && odd) {
                return interleaved(*even, *odd, op->type.lanes());
            }
        }
        return IRMutator::visit(op);
    }

private:
    static Expr interleaved(const Picked &even, const Picked &odd, int lanes) {
        std::vector<int> indices;
        for (size_t i = 0; i < even.elements.size(); i++) {
            indices.push_back(even.elements[i]);
            indices.push_back(lanes + odd.elements[i]);
        }
        return Shuffle::make({even.whole, odd.whole}, indices);
    }

    // What `half` picks of a register of the type `whole`: with a shuffle of a part of it, or with a stride.
    // Nothing where it is anything else.
    std::optional<Picked> picked(const Expr &half, const Halide::Type &whole) const {
        const Shuffle *shuffle = half.as<Shuffle>();
        const Load *load =
            shuffle && shuffle->vectors.size() == 1 ? shuffle->vectors[0].as<Load>() : half.as<Load>();
        const Ramp *ramp = load ? load->index.as<Ramp>() : nullptr;
        const auto begin = ramp ? as_const_int(ramp->base) : std::nullopt,
                   stride = ramp ? as_const_int(ramp->stride) : std::nullopt;
        if (!begin || *begin < 0 || !stride || *stride < 1 || !is_const_one(load->predicate) ||
            (!shuffle && *stride == 1)) {
            return {};
        }
        const int lanes = whole.lanes(), from = (int)(*begin % lanes);
        const int64_t first = *begin - from;
        const auto allocated = elements_.find(load->name);
        if (allocated == elements_.end() || first + lanes > allocated->second) {
            return {};
        }
        Picked result;
        for (int i = 0; i < half.type().lanes(); i++) {
            result.elements.push_back(from + (int)*stride * (shuffle ? shuffle->indices[(size_t)i] : i));
            if (result.elements.back() >= lanes) {
                return {};
            }
        }
        result.whole = Load::make(whole, load->name, Ramp::make(Expr((int)first), 1, lanes), load->image,
            load->param, const_true(lanes), ModulusRemainder(lanes, 0));
        return result;
    }

    std::map<std::string, int64_t> elements_;  // of each allocation on the stack around
};

}  // namespace

void shuffle_whole_registers(Halide::Pipeline &pipeline) {
    pipeline.add_custom_lowering_pass(new WholeRegisters);
}

}  // namespace tilewright
