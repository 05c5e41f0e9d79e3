#pragma once
// What a prepared call (tilewright/prepared.h) is made of. Not installed.
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/recorded_kernels.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/prepared.h"
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct Prepared::State {
    // What an operator or a pipeline says of the call that it has made:
    std::string name;
    Device device;
    bool pinned = false;                   // an output that a call makes
    std::vector<std::string> input_names;  // for errors
    std::vector<Array> arguments;          // the inputs of the last call, and its output
    // Makes the call without the plan.
    std::function<void(std::span<const Array> inputs, Array &output)> call;
    // Refuses inputs of other types and shapes, as the call does. It may take some of them.
    std::function<void(std::span<const Array> inputs)> check_inputs;
    // Refuses inputs for their values; none where every value is taken.
    std::function<void(std::span<const Array> inputs)> check_elements;

    // Takes the plan of the call, if it can run on other arrays: if it is libraries alone, on arrays that can
    // be told from each other. `of_images`: its libraries work on parts of the arguments, and write all of
    // the output (Operator::plan_of_images).
    void take(Plan made, bool of_images = false);

    // The same for KeptCalls: the plan lets go of all arrays, and runs no more than it is asked to. False
    // where it cannot run on other arrays, and where it has large ones between its libraries.
    bool keep(Plan made);

    // Runs a plan that is kept, which has the arrays only meanwhile. Its kernels are started without its
    // libraries from the second time on, by CUDA as one launch, where they alone are the plan. False for
    // arrays in another layout.
    bool run_kept(std::span<const Array> inputs, const Array &result);

    // Runs the call on the arguments.
    void run();

    // Checks other arrays, makes them the arguments, and runs the call.
    void run_on(std::span<const Array> others, const Array &result);

    std::span<const Array> inputs() const {
        return std::span(arguments).first(arguments.size() - 1);
    }
    const Array &output() const {
        return arguments.back();
    }

    mutable std::mutex mutex;
    std::unique_ptr<driver::RecordedKernels> kernels;  // of the plan

private:
    // A storage that the plan works on.
    struct Buffer {
        std::shared_ptr<Storage> storage;
        bool is_written, is_overwritten;
        std::optional<size_t> argument;  // the storage is that of this argument

        // Whether libraries of the plan alone use it, and not constant tables.
        bool is_on_the_way() const {
            return is_written && !argument;
        }
    };
    // What a front may have looked at when it bound an array, besides type, shape and strides.
    struct Layout {
        explicit Layout(const Array &array);
        bool operator==(const Layout &) const = default;

        MemoryLayout memory;
        size_t bytes;
        bool is_owned, is_wrapped;
        int offset_in_row, place_in_word;
    };
    bool bind(Plan made, bool of_images);
    void let_go();
    void forget() noexcept;
    std::optional<size_t> argument_of(const Array &array) const;
    bool sees_whole_arguments(const Plan &made, bool of_images);
    void check(std::span<const Array> others, const Array &result) const;
    bool can_take_arguments() const;
    void bind_arguments();
    void find_buffers(bool of_images);
    bool can_record() const;
    void record();
    uint64_t begin_of(const Buffer &buffer) const;
    template<typename Work>
    void with_buffers(const Work &work);
    void launch();

    std::optional<Plan> plan_;
    std::vector<Array> bound_;         // the arguments that the plan has
    std::vector<Layout> layouts_;      // of the first ones that it had
    std::vector<Array> nowhere_;       // those of a plan that is kept, between calls
    bool was_recorded_ = false;        // a plan that is kept
    std::vector<Buffer> buffers_;      // of a plan on a GPU, and of one that is kept
    bool may_begin_elsewhere_ = true;  // the libraries see each argument from its first element on
};

}  // namespace tilewright
