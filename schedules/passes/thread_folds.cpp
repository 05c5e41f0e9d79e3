// Removes the checks of storage that is folded per GPU thread.
#include "schedules/passes/thread_folds.h"
#include <algorithm>
#include <iostream>
#include <set>

namespace tilewright {

namespace {

using namespace Halide::Internal;

// Halide 21.0.0 makes the checks in StorageFolding.cpp: assertions whose error names the Func first.
const char *const fold_errors[] = {"halide_error_fold_factor_too_small", "halide_error_bad_fold"};

bool is_fold_error(const Call &error) {
    return std::any_of(
        std::begin(fold_errors), std::end(fold_errors), [&](const char *name) { return error.name == name; });
}

// Halide warns of such a check where it sees that the check fails, which is before the pass removes it. The
// reporter stays for the rest of the program.
class OtherWarnings : public Halide::CompileTimeErrorReporter {
public:
    void warning(const char *message) override {
        const std::string_view text = message;
        const auto names = [&](const std::string &name) { return text.find(name) != text.npos; };
        const auto names_func = [&](const std::string &func) { return names("(\"" + func + "\""); };
        if (std::none_of(std::begin(fold_errors), std::end(fold_errors), names) ||
            std::none_of(funcs.begin(), funcs.end(), names_func)) {
            std::cerr << message;
        }
    }

    std::set<std::string> funcs;

    [[noreturn]] void error(const char *message) override {
        throw Halide::CompileError(message);
    }
};

class ThreadFolds : public IRMutator, public DescribedPass {
public:
    explicit ThreadFolds(std::vector<std::string> funcs) : funcs_(std::move(funcs)) {}

    std::string description() const override {
        std::string text = "no checks of the folds of";
        for (const std::string &func : funcs_) {
            text += " " + func;
        }
        return text;
    }

protected:
    using IRMutator::visit;

    Stmt visit(const AssertStmt *assertion) override {
        const Call *error = assertion->message.as<Call>();
        if (error && is_fold_error(*error)) {
            const StringImm *func = error->args.at(0).as<StringImm>();
            if (func && std::find(funcs_.begin(), funcs_.end(), func->value) != funcs_.end()) {
                return Evaluate::make(0);
            }
        }
        return IRMutator::visit(assertion);
    }

private:
    std::vector<std::string> funcs_;
};

}  // namespace

void leave_out_fold_checks(Halide::Pipeline &pipeline, const std::vector<std::string> &funcs) {
    if (!funcs.empty()) {
        static OtherWarnings warnings;
        warnings.funcs.insert(funcs.begin(), funcs.end());
        Halide::set_custom_compile_time_error_reporter(&warnings);
        pipeline.add_custom_lowering_pass(new ThreadFolds(funcs));
    }
}

}  // namespace tilewright
