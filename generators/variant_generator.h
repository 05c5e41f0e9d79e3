#pragma once
#include "Halide.h"
#include "generators/algorithms/element_type.h"
#include "generators/program/errors/error_codes.h"
#include "generators/program/libraries/kernel_limits.h"
#include "generators/program/libraries/kernel_ptx.h"
#include "schedules/passes/half_storage.h"
#include "schedules/passes/loads_ahead.h"
#include "schedules/passes/native_functions.h"
#include "schedules/passes/own_memory.h"
#include "schedules/passes/own_registers.h"
#include "schedules/passes/thread_folds.h"
#include "schedules/schedule.h"

namespace tilewright {

// What the generators of all forms share: the variant they are built for, and its element type.
template<typename Self>
class VariantGenerator : public Halide::Generator<Self> {
public:
    Halide::GeneratorParam<std::string> schedule{"schedule", "reference"};
    Halide::GeneratorParam<std::string> type{"type", "u8"};
    Halide::GeneratorParam<std::string> backend{"backend", "cpu"};
    // "tile:16,pad:4": values in place of the variant's own
    Halide::GeneratorParam<std::string> tunables{"tunables", ""};
    Halide::GeneratorParam<Errors> errors{"errors", Errors::words, errors_by_word};

protected:
    // As Halide's, with our own passes.
    Halide::Pipeline build_pipeline() override {
        _halide_user_assert(!this->get_target().has_feature(Halide::Target::NoAsserts))
            << only_table().op << "/" << variant().name
            << ": no_asserts would leave out the checks of launches and allocations too: a launch "
            << "that fails would give a wrong result without a word. Leave it out; "
               "ScheduleContext::fold_per_thread is for folds that Halide refuses\n";
        Halide::Pipeline pipeline = Halide::Generator<Self>::build_pipeline();
        leave_out_fold_checks(pipeline, folded_per_thread_);
        store_halves(pipeline, this->get_target());
        if (errors == Errors::codes) {
            // Of our own GPU libraries, the runtime asks only those of autoschedulers whether they take a
            // size.
            shorten_errors(
                pipeline, !this->get_target().has_gpu_feature() || !variant().autoscheduler.empty());
        }
        if (variant().native_functions) {
            call_native_functions(pipeline);
        }
        check_kernel_limits(pipeline, this->get_target(),
            only_table().op + "/" + variant().name + " for " + std::string(type), variant().has_ptx());
        for (const auto &[func, first_steps] : loaded_ahead_) {
            pipeline.add_custom_lowering_pass(new LoadsAhead(func, first_steps));
        }
        for (const std::string &func : own_memory_) {
            pipeline.add_custom_lowering_pass(new OwnMemory(func));
        }
        for (const auto &[func, places] : own_registers_) {
            pipeline.add_custom_lowering_pass(new OwnRegisters(func, places));
        }
        keep_kernels(pipeline, this->get_target());
        return pipeline;
    }

    const ScheduleVariant &variant() const {
        return find_variant(only_table(), schedule, type, backend);
    }

    // The variant's tunables, with the values that the caller of the generator set.
    std::vector<Tunable> settings() const {
        return with_values(variant().tunables, tunables);
    }

    // One of them.
    int setting(const std::string &name) const {
        return ScheduleContext{{}, {}, {}, settings()}[name];
    }

    // What the variant says of its form.
    template<typename Configuration>
    Configuration configuration() const {
        return variant().template configuration<Configuration>();
    }

    // Schedules the form as the variant says. `buffers` are the ones that the schedule may constrain: inputs,
    // then output.
    template<typename Form>
    void apply(Form &form, std::vector<Halide::OutputImageParam> buffers) {
        if (!this->using_autoscheduler()) {
            ScheduleContext context{
                this->get_target(), type, std::move(buffers), settings(), {}, variant().configured};
            variant().apply(&form, context);
            folded_per_thread_ = context.folded_per_thread;
            loaded_ahead_ = context.loaded_ahead;
            own_memory_ = context.own_memory;
            own_registers_ = context.own_registers;
        }
    }

private:
    std::vector<std::string> folded_per_thread_, own_memory_;
    std::vector<std::pair<std::string, int>> loaded_ahead_, own_registers_;
};

}  // namespace tilewright
