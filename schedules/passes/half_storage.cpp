// Half-precision floats as a type of storage in OpenCL kernels.
#include "schedules/passes/half_storage.h"
#include "generators/algorithms/opencl_functions.h"
#include "schedules/passes/thread_folds.h"

namespace tilewright {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Type;

bool is_half(const Type &type) {
    return type.is_float() && type.bits() == 16;
}

// Every expression of type half becomes its bits, a uint16.
class HalfStorage : public IRMutator, public DescribedPass {
public:
    std::string description() const override {
        return "halves are a type of storage";
    }

    using IRMutator::mutate;
    Expr mutate(const Expr &e) override {
        const Expr changed = IRMutator::mutate(e);
        if (e.defined() && is_half(e.type())) {
            _halide_user_assert(changed.type() == bits_of(e.type()))
                << "OpenCL kernels store half-precision floats and do not compute with them; cast to float "
                   "first: "
                << e << "\n";
        }
        return changed;
    }

protected:
    using IRMutator::visit;

    Expr visit(const Cast *op) override {
        if (is_half(op->value.type())) {
            const Expr value = as_float(op->value);
            return op->type == value.type() ? value : cast(op->type, value);
        }
        return is_half(op->type) ? as_bits(mutate(op->value)) : IRMutator::visit(op);
    }

    Expr visit(const FloatImm *op) override {
        return is_half(op->type) ?
                   Expr(UIntImm::make(bits_of(op->type), Halide::float16_t(op->value).to_bits())) :
                   IRMutator::visit(op);
    }

    Expr visit(const Variable *op) override {
        return is_half(op->type) ? Variable::make(bits_of(op->type), op->name) : IRMutator::visit(op);
    }

    Expr visit(const Load *op) override {
        if (!is_half(op->type)) {
            return IRMutator::visit(op);
        }
        return Load::make(bits_of(op->type), op->name, mutate(op->index), op->image, op->param,
            mutate(op->predicate), op->alignment);
    }

    Stmt visit(const Allocate *op) override {
        const Stmt changed = IRMutator::visit(op);
        const Allocate *made = changed.as<Allocate>();
        return made && is_half(made->type) ?
                   Allocate::make(made->name, bits_of(made->type), made->memory_type, made->extents,
                       made->condition, made->body, made->new_expr, made->free_function, made->padding) :
                   changed;
    }

    // Images of halves are images of their bits, too: PoCL 3.1 accepts images of the format CL_HALF_FLOAT,
    // and neither writes to them nor reads what is in them.
    Expr visit(const Call *op) override {
        const Expr changed = IRMutator::visit(op);
        const Call *call = changed.as<Call>();
        if (call->is_intrinsic({Call::image_load, Call::image_store}) && is_half(call->type)) {
            return Call::make(bits_of(call->type), call->name, call->args, call->call_type);
        }
        constexpr size_t code = 5, bits = 6;  // of the type, among the members of a halide_buffer_t
        if (call->name == Call::buffer_init && is_const(call->args.at(code), halide_type_float) &&
            is_const(call->args.at(bits), 16)) {
            std::vector<Expr> args = call->args;
            args[code] = make_const(args[code].type(), halide_type_uint);
            return Call::make(call->type, call->name, args, call->call_type);
        }
        return changed;
    }

private:
    static Type bits_of(const Type &half) {
        return half.with_code(Type::UInt);
    }

    static Expr as_bits(const Expr &value) {
        const Type wide = value.type().with_code(Type::Float).with_bits(32);
        return Call::make(bits_of(wide.with_bits(16)), half_of_float, {cast(wide, value)}, Call::PureExtern);
    }

    // The float that a half stands for.
    Expr as_float(const Expr &half) {
        return Call::make(half.type().with_bits(32), float_of_half, {mutate(half)}, Call::PureExtern);
    }
};

}  // namespace

void store_halves(Halide::Pipeline &pipeline, const Halide::Target &target) {
    if (target.has_feature(Halide::Target::OpenCL) && !target.has_feature(Halide::Target::CLHalf)) {
        pipeline.add_custom_lowering_pass(new HalfStorage);
    }
}

}  // namespace tilewright
