// The native_ functions of OpenCL C in place of those with a stated error.
#include "schedules/passes/native_functions.h"
#include "schedules/passes/thread_folds.h"
#include <map>

namespace tilewright {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

class NativeFunctions : public IRMutator, public DescribedPass {
public:
    std::string description() const override {
        return "native functions";
    }

protected:
    using IRMutator::visit;

    Stmt visit(const For *loop) override {
        const bool outside = !in_kernel_;
        in_kernel_ = in_kernel_ || is_gpu(loop->for_type);
        const Stmt changed = IRMutator::visit(loop);
        in_kernel_ = !outside;
        return changed;
    }

    Expr visit(const Call *op) override {
        // Halide's names of the functions that OpenCL C has a native_ one for, of one argument.
        static const std::map<std::string, std::string> natives = {{"exp_f32", "native_exp"},
            {"log_f32", "native_log"}, {"sin_f32", "native_sin"}, {"cos_f32", "native_cos"},
            {"tan_f32", "native_tan"}, {"sqrt_f32", "native_sqrt"}};
        const auto native = natives.find(op->name);
        if (!in_kernel_ || native == natives.end()) {
            return IRMutator::visit(op);
        }
        return Call::make(op->type, native->second, {mutate(op->args.at(0))}, Call::PureExtern);
    }

private:
    bool in_kernel_ = false;
};

}  // namespace

void call_native_functions(Halide::Pipeline &pipeline) {
    pipeline.add_custom_lowering_pass(new NativeFunctions);
}

}  // namespace tilewright
