#pragma once
// What a prepared call (tilewright/prepared.h) is made of. Not installed.
#include "runtime/devices/cuda/graph.h"
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
    std::unique_ptr<driver::CudaGraph> graph;  // of the plan

private:
    // A storage that the plan works on.
    struct Buffer {
        std::shared_ptr<Storage> storage;
        bool is_written, is_overwritten;
        std::optional<size_t> argument;  // the storage is that of this argument
    };
    std::optional<size_t> argument_of(const Array &array) const;
    bool sees_whole_arguments(const Plan &made, bool of_images);
    void check(std::span<const Array> others, const Array &result) const;
    bool can_take_arguments() const;
    void bind_arguments();
    void find_buffers(bool of_images);
    void record();
    uint64_t begin_of(const Buffer &buffer) const;
    template<typename Work>
    void with_buffers(const Work &work);
    void launch();

    std::optional<Plan> plan_;
    std::vector<Array> bound_;         // the arguments that the plan has
    std::vector<Buffer> buffers_;      // of a plan on CUDA
    bool may_begin_elsewhere_ = true;  // the libraries see each argument from its first element on
};

}  // namespace tilewright
