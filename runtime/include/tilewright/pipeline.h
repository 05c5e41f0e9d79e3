#pragma once
#include "tilewright/files.h"
#include "tilewright/operator.h"
#include "tilewright/prepared.h"
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tilewright/stages.h>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// A stage as it is written.
struct PipelineStage {
    const Operator *op = nullptr;    // which operator it is
    std::string text;                // as it was written
    Settings settings;               // of the operator
    std::string schedule;            // empty: the call's
    std::vector<std::string> files;  // that the text names; the file of an optional input is the last one
    std::vector<Array> arrays;       // what the files hold
    int from_call = 0;               // further inputs, which the call gives
};

// What a stage gets and gives, and the variant that does it.
struct PipelineStep {
    std::vector<Array> inputs;               // what it gets
    Settings settings;                       // of the operator
    Array output;                            // what it gives
    const Variant *variant = nullptr;        // what runs
    std::shared_ptr<const Request> request;  // inputs and settings, as the operator has read them
};

// How and where a pipeline runs.
struct PipelineCall {
    std::optional<Device> device = {};  // unset: Pipeline::choose_device()
    std::string schedule = "tuned";     // of the stages that name none
    bool alpha = false;                 // the last channel of the first input is alpha
    // "png" or "npy", where the result goes to a file: see Operator::settings_for
    std::string kind_of_file = {};
    std::vector<Statistics> *statistics = nullptr;  // one per stage
    // receives what each stage got and gave; no array between them is then used twice
    std::vector<PipelineStep> *steps = nullptr;
    bool pinned = false;  // an output that a call on CUDA makes is in page-locked memory (Array::pinned)
    // as Call::progress (operator.h), of all stages together
    std::function<bool(double done)> progress = {};
};

// What a stage is given by Pipeline::then(), beside its operator: the value of an option; an array that the
// operator takes after the result of the stage before; or options by their names.
struct StageArgument {
    std::variant<double, std::string, Array, Settings> value;

    // Numbers, flags and words are values of options.
    template<typename Number>
        requires std::is_arithmetic_v<Number>
    StageArgument(Number number) : value((double)number) {}
    StageArgument(bool flag) : value(flag ? "yes" : "no") {}
    StageArgument(const char *word) : value(word) {}
    StageArgument(std::string word) : value(std::move(word)) {}
    StageArgument(Array array) : value(std::move(array)) {}
    StageArgument(Settings settings) : value(std::move(settings)) {}
};

class CheckedPipeline;

// Operators one after another, each on the result of the one before; what is between them stays on the
// device.
//
//     const Pipeline pipeline("gaussian_blur sigma=2 | transpose | column_sum");
//     Array sums;
//     pipeline(image, sums);
//
// The same pipeline without text, where the compiler knows the names of the operators that are linked:
//
//     const Pipeline pipeline = Pipeline().gaussian_blur(2).transpose().column_sum();
//
// In the text, a stage is the name of a linked operator and words of the form name=value: the operator's own
// options, with the names and values of the command line, and `schedule=NAME`, the schedule of this stage. A
// flag is its name alone, or `name=yes`. An operator that takes more arrays than the result of the stage
// before gets them after it, from files that the stage names (`matmul b.npy`), or else from the inputs of the
// call, in the order of the stages; an optional one is an option (`accumulate=c.npy`). Quotes, ' or ", keep
// blanks and bars in a word.
//
// On a GPU the inputs are copied to the device once, where they are not there yet, and the result stays there
// until it is asked for (data() or sync()), as with every operator. Tables that an operator keeps (the
// weights of a blur) are copied when they are first used.
//
// An image whose last channel is alpha (PipelineCall::alpha) is multiplied by it before the first of the
// stages that mix pixels, and divided by it after the last of them, on the host; what other stages get is
// colour beside alpha, as they would get by themselves. After a stage that treats alpha as a colour
// (`invert`) the image gets the alpha back that the stage got, on the host as well.
//
// A pipeline keeps the arrays between its stages for its next call; where types and shapes allow, two of them
// serve any number of stages. It may be called from several threads. Values and errors are those of the
// operators called one by one.
//
// Errors: usage, of the constructor and of then(), for text that is no pipeline, unknown operators, options,
// values and words, and files that cannot be read (input); of a call, before anything is computed, whatever
// an operator refuses of the type, the shape, the settings or the schedule that reach it. The message begins
// with the number and the text of the stage, and says what it gets.
class Pipeline : public OperatorStages<Pipeline> {
public:
    // The parts of a pipeline, and how it is called.
    using Stage = PipelineStage;
    using Step = PipelineStep;
    using Call = PipelineCall;

    // A pipeline without stages, which is refused when it is called: then() and the functions that have the
    // names of operators (stages.h) add stages to it.
    Pipeline();

    // This pipeline and one stage more, which is the one that the text would give: `stages()` has that text.
    // `given`: numbers, words and flags are the values of the operator's options in their order
    // (`tilewright OP --help`, Operator::options()). Settings give options by their names, and the option
    // `schedule`. Arrays are what the operator takes besides the result of the stage before, the optional one
    // last; without them, calls give them.
    //
    //     Pipeline().then("gaussian_blur", 2, "mirror").matmul(b, Settings{{"schedule", "tuned_any"}})
    template<typename... Given>
    [[nodiscard]] Pipeline then(std::string_view op, Given &&...given) const {
        return with_stage(op, {StageArgument(std::forward<Given>(given))...});
    }

    // `limits` are for the files that the stages name.
    explicit Pipeline(std::string_view stages, const FileLimits &limits = {});

    const std::vector<Stage> &stages() const {
        return stages_;
    }

    // How many arrays a call gives: the first stage's input, and the further inputs that no stage names a
    // file for.
    int inputs() const;

    // Checks a call without computing anything. The arrays of the steps have the right types and shapes and
    // no values, but for the call's own. Errors: those of the call.
    std::vector<Step> check(std::span<const Array> inputs, const Call &call = {}) const;

    // Type and shape of the result. Errors: those of the call.
    std::pair<Type, std::vector<int64_t>> output_of(
        std::span<const Array> inputs, const Call &call = {}) const;

    // The device that a call with `device` unset runs on: that of the environment (default_device()). Where
    // it names none, the best one, in the order of best_device(), that has a variant of its schedule for each
    // stage; the CPU, for the first small calls of a process, which start no driver. Errors: those of the
    // call.
    Device choose_device(std::span<const Array> inputs, const Call &call = {}) const;

    // A call that is checked now, and runs later, once. `inputs` and the pipeline outlive it. Errors: those
    // of the call, but for what only computing can show.
    CheckedPipeline checked(std::span<const Array> inputs, const Call &call = {}) const;

    // Makes `output` if it is empty. Errors: as above; usage, where the output shares memory with an input;
    // device and memory, as every operator. A call that fails leaves an empty output empty.
    void operator()(std::span<const Array> inputs, Array &output, const Call &call = {}) const;
    void operator()(const Array &input, Array &output, const Call &call = {}) const {
        (*this)(std::span(&input, 1), output, call);
    }

    // Makes the call, and returns it as one that runs again with less work of the host, on these arrays or on
    // others of the same types and shapes (tilewright/prepared.h). `call.steps` is not filled. Errors: those
    // of the call.
    Prepared prepare(std::span<const Array> inputs, Array &output, const Call &call = {}) const;
    Prepared prepare(const Array &input, Array &output, const Call &call = {}) const {
        return prepare(std::span(&input, 1), output, call);
    }

private:
    friend class CheckedPipeline;
    struct Kept;
    class Plan;
    Pipeline with_stage(std::string_view op, const std::vector<StageArgument> &given) const;
    void check_inputs(std::span<const Array> inputs, const Array &output) const;
    std::unique_ptr<Plan> plan(
        std::span<const Array> inputs, const Array &output, const Call &call, bool computes) const;
    std::unique_ptr<Plan> plan_on(Device device, std::span<const Array> inputs, const Array &output,
        const Call &call, bool computes) const;
    Array run(Plan &plan, const Call &call) const;
    std::string name_of_stage(size_t i) const;

    std::vector<Stage> stages_;
    std::shared_ptr<Kept> kept_;  // arrays between stages, for the next call
};

// What Pipeline::checked() returns: a call that was checked. It is made there alone, and may be moved.
class CheckedPipeline {
public:
    // For Pipeline::checked().
    CheckedPipeline(const Pipeline &pipeline, std::unique_ptr<Pipeline::Plan> plan, PipelineCall call);
    CheckedPipeline(CheckedPipeline &&) noexcept;
    ~CheckedPipeline();

    Device device() const;                           // that it will run on
    const std::vector<PipelineStep> &steps() const;  // as those of Pipeline::check()
    const Array &result() const;                     // its type and shape; it has no values yet

    // Runs it, once, and returns the result. Errors: those of the call.
    Array run();

private:
    const Pipeline &pipeline_;
    std::unique_ptr<Pipeline::Plan> plan_;
    PipelineCall call_;
};

}  // namespace tilewright
#pragma GCC visibility pop
