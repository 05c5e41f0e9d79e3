// The codes of Halide's errors in place of their words.
#include "generators/program/errors/error_codes.h"
#include "schedules/passes/thread_folds.h"
#include <HalideRuntime.h>

namespace tilewright {

namespace {

using namespace Halide::Internal;

// The functions of Halide's runtime that report an error by a message and return its code. They are those of
// the checks that Halide 21.0.0 makes of arguments, bounds, folds and splits. Other errors keep their words:
// those that the runtime itself finds, such as a lack of memory.
const std::map<std::string, int> &codes() {
    static const std::map<std::string, int> codes = {
        {"halide_error_access_out_of_bounds", halide_error_code_access_out_of_bounds},
        {"halide_error_bad_dimensions", halide_error_code_bad_dimensions},
        {"halide_error_bad_fold", halide_error_code_bad_fold},
        {"halide_error_bad_type", halide_error_code_bad_type},
        {"halide_error_buffer_allocation_too_large", halide_error_code_buffer_allocation_too_large},
        {"halide_error_buffer_argument_is_null", halide_error_code_buffer_argument_is_null},
        {"halide_error_buffer_extents_negative", halide_error_code_buffer_extents_negative},
        {"halide_error_buffer_extents_too_large", halide_error_code_buffer_extents_too_large},
        {"halide_error_constraint_violated", halide_error_code_constraint_violated},
        {"halide_error_constraints_make_required_region_smaller",
            halide_error_code_constraints_make_required_region_smaller},
        {"halide_error_device_dirty_with_no_device_support",
            halide_error_code_device_dirty_with_no_device_support},
        {"halide_error_explicit_bounds_too_small", halide_error_code_explicit_bounds_too_small},
        {"halide_error_fold_factor_too_small", halide_error_code_fold_factor_too_small},
        {"halide_error_host_is_null", halide_error_code_host_is_null},
        {"halide_error_specialize_fail", halide_error_code_specialize_fail},
        {"halide_error_split_factor_not_positive", halide_error_code_split_factor_not_positive},
        {"halide_error_storage_bound_too_small", halide_error_code_storage_bound_too_small},
        {"halide_error_unaligned_host_ptr", halide_error_code_unaligned_host_ptr}};
    return codes;
}

class ErrorCodes : public IRMutator, public DescribedPass {
public:
    explicit ErrorCodes(bool bounds_queries) : bounds_queries_(bounds_queries) {}

    std::string description() const override {
        std::string text = bounds_queries_ ? "a check per code, also behind lets, of" :
                                             "no bounds queries; a check per code, also behind lets, of";
        for (const auto &[words, code] : codes()) {
            text += " " + words;
        }
        return text;
    }

protected:
    using IRMutator::visit;

    Halide::Expr visit(const Call *call) override {
        const bool is_query = call->name == Call::buffer_is_bounds_query;
        return is_query && !bounds_queries_ ? const_false() : IRMutator::visit(call);
    }

    // Where the numbers of a message are computed from others, as in a loop with specializations, they are
    // named before the call: let t = ... in halide_error_...(t).
    Stmt visit(const AssertStmt *check) override {
        Halide::Expr message = check->message;
        while (const Let *let = message.as<Let>()) {
            message = let->body;
        }
        const Call *error = message.as<Call>();
        const auto known = error ? codes().find(error->name) : codes().end();
        return known == codes().end() ? IRMutator::visit(check) :
                                        AssertStmt::make(mutate(check->condition), known->second);
    }

    // Halide makes a number of all checks that follow one another, a bit per check, and looks for the first
    // bit: about 40 bytes of code per check. Checks with the same code need no bit each.
    Stmt visit(const Block *block) override {
        const Stmt first = mutate(block->first), rest = mutate(block->rest);
        const Stmt joined = with_check(first.as<AssertStmt>(), rest);
        return joined.defined() ? joined : Block::make(first, rest);
    }

private:
    // What begins with checks, one of which has the code of `check`: that one checks both conditions.
    // Undefined where there is none. Conditions read fields of arguments that were found to be there, so that
    // their order says only which code is returned where several fail.
    static Stmt with_check(const AssertStmt *check, const Stmt &behind) {
        const Block *block = behind.as<Block>();
        const AssertStmt *other = block ? block->first.as<AssertStmt>() : nullptr;
        if (!is_plain(check) || !is_plain(other)) {
            return {};
        }
        if (equal(check->message, other->message)) {
            return Block::make(
                AssertStmt::make(check->condition && other->condition, other->message), block->rest);
        }
        const Stmt rest = with_check(check, block->rest);
        return rest.defined() ? Block::make(block->first, rest) : rest;
    }

    static bool is_plain(const AssertStmt *check) {
        return check && is_const(check->message) && is_pure(check->condition);
    }

    const bool bounds_queries_;
};

}  // namespace

void shorten_errors(Halide::Pipeline &pipeline, bool bounds_queries) {
    pipeline.add_custom_lowering_pass(new ErrorCodes(bounds_queries));
}

}  // namespace tilewright
