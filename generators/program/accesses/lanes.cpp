#include "generators/program/accesses/lanes.h"
#include <algorithm>

namespace tilewright {

namespace {

using namespace Halide::Internal;

class Evaluator : public IRVisitor {
public:
    explicit Evaluator(const LanesByName &names) : names_(names) {}

    Lanes of(const Halide::Expr &expression) {
        result_ = Lanes::unknown("an expression that is no whole number");
        expression.accept(this);
        return result_;
    }

protected:
    using IRVisitor::visit;

    void visit(const IntImm *number) override {
        result_ = Lanes::all(number->value);
    }
    void visit(const UIntImm *number) override {
        result_ = Lanes::all((int64_t)number->value);
    }
    void visit(const Variable *variable) override {
        const auto known = names_.find(variable->name);
        result_ = known == names_.end() ? Lanes::unknown(variable->name) : known->second;
    }
    void visit(const Cast *cast) override {
        // Narrower types wrap around; indices are not computed in them.
        result_ = cast->type.is_int_or_uint() && cast->type.bits() >= cast->value.type().bits() ?
                      of(cast->value) :
                      Lanes::unknown("a narrowed number");
    }
    void visit(const Add *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a + b; });
    }
    void visit(const Sub *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a - b; });
    }
    void visit(const Mul *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a * b; });
    }
    // As Halide has them: the remainder is never negative, and what is divided by 0 is 0.
    void visit(const Div *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return div_imp(a, b); });
    }
    void visit(const Mod *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return mod_imp(a, b); });
    }
    void visit(const Min *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return std::min(a, b); });
    }
    void visit(const Max *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return std::max(a, b); });
    }
    void visit(const EQ *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a == b; });
    }
    void visit(const NE *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a != b; });
    }
    void visit(const LT *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a < b; });
    }
    void visit(const LE *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a <= b; });
    }
    void visit(const GT *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a > b; });
    }
    void visit(const GE *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a >= b; });
    }
    void visit(const And *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a != 0 && b != 0; });
    }
    void visit(const Or *op) override {
        result_ = combined(op->a, op->b, [](int64_t a, int64_t b) { return a != 0 || b != 0; });
    }
    void visit(const Not *op) override {
        result_ = combined(op->a, op->a, [](int64_t a, int64_t) { return a == 0; });
    }
    void visit(const Select *op) override {
        const Lanes condition = of(op->condition), yes = of(op->true_value), no = of(op->false_value);
        Lanes chosen;
        for (size_t i = 0; i < warp_size; i++) {
            if (condition.values[i]) {
                chosen.values[i] = *condition.values[i] ? yes.values[i] : no.values[i];
            }
        }
        chosen.why = !condition.why.empty() ? condition.why : !yes.why.empty() ? yes.why : no.why;
        result_ = chosen;
    }
    void visit(const Let *let) override {
        LanesByName inside = names_;
        inside[let->name] = of(let->value);
        result_ = evaluate(let->body, inside);
    }
    void visit(const Load *load) override {
        result_ = Lanes::unknown("values in " + load->name);
    }
    void visit(const Call *call) override {
        if (Call::as_tag(call) || call->is_intrinsic(Call::promise_clamped) ||
            call->is_intrinsic(Call::unsafe_promise_clamped)) {
            result_ = of(call->args[0]);
        } else if (call->is_intrinsic(Call::shift_left)) {
            result_ = combined(call->args[0], call->args[1], [](int64_t a, int64_t b) { return a << b; });
        } else if (call->is_intrinsic(Call::shift_right)) {
            result_ = combined(call->args[0], call->args[1], [](int64_t a, int64_t b) { return a >> b; });
        } else if (call->is_intrinsic(Call::bitwise_and)) {
            result_ = combined(call->args[0], call->args[1], [](int64_t a, int64_t b) { return a & b; });
        } else if (call->is_intrinsic(Call::bitwise_or)) {
            result_ = combined(call->args[0], call->args[1], [](int64_t a, int64_t b) { return a | b; });
        } else if (call->is_intrinsic(Call::bitwise_xor)) {
            result_ = combined(call->args[0], call->args[1], [](int64_t a, int64_t b) { return a ^ b; });
        } else {
            result_ = Lanes::unknown("the call " + call->name);
        }
    }
    // Vectors and floating-point numbers: no whole number.
    void visit(const Ramp *) override {}
    void visit(const Broadcast *) override {}
    void visit(const Shuffle *) override {}
    void visit(const VectorReduce *) override {}
    void visit(const Reinterpret *) override {}
    void visit(const FloatImm *) override {}
    void visit(const StringImm *) override {}

private:
    template<typename F>
    Lanes combined(const Halide::Expr &first, const Halide::Expr &second, F f) {
        const Lanes a = of(first), b = of(second);
        Lanes both;
        for (size_t i = 0; i < warp_size; i++) {
            if (a.values[i] && b.values[i]) {
                both.values[i] = (int64_t)f(*a.values[i], *b.values[i]);
            }
        }
        both.why = !a.why.empty() ? a.why : b.why;
        return both;
    }

    const LanesByName &names_;
    Lanes result_;
};

}  // namespace

Lanes Lanes::all(int64_t value) {
    Lanes lanes;
    lanes.values.fill(value);
    return lanes;
}

Lanes Lanes::unknown(const std::string &why) {
    Lanes lanes;
    lanes.why = why;
    return lanes;
}

bool Lanes::known() const {
    return std::all_of(values.begin(), values.end(), [](const auto &value) { return value.has_value(); });
}

Lanes evaluate(const Halide::Expr &expression, const LanesByName &names) {
    return Evaluator(names).of(expression);
}

}  // namespace tilewright
