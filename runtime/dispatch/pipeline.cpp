#include "tilewright/pipeline.h"
#include "runtime/arrays/copy.h"
#include "runtime/devices/hooks.h"
#include "runtime/process/inside.h"
#include "runtime/errors/leaving.h"
#include "runtime/dispatch/option_text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <utility>

namespace tilewright {

// ----------------------------------------------------------------------------------------------------------- the text

namespace {

// A word of a stage, its quotes taken away, and where its first '=' outside of quotes stands.
struct Word {
    std::string text;
    size_t equals = std::string::npos;

    bool is_setting() const {
        return equals != std::string::npos;
    }
    std::string name() const {
        return text.substr(0, equals);
    }
    std::string value() const {
        return text.substr(equals + 1);
    }
};

struct StageText {
    std::string text;  // as it was written
    std::vector<Word> words;
};

[[noreturn]] void refuse(Fault fault, const std::string &stage, const std::string &message) {
    throw Error(fault, message, {.operation = stage});
}

std::string trimmed(const std::string &text) {
    const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<StageText> split(std::string_view text) {
    std::vector<StageText> stages(1);
    char quote = 0;
    bool in_word = false;
    for (const char c : text) {
        StageText &stage = stages.back();
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (!quote && c == '|') {
            stages.emplace_back();
            in_word = false;
            continue;
        }
        stage.text += c;
        if (!quote && blank) {
            in_word = false;
            continue;
        }
        if (!in_word) {
            stage.words.emplace_back();
            in_word = true;
        }
        Word &word = stage.words.back();
        if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? 0 : c;
            continue;
        }
        if (c == '=' && !quote && !word.is_setting()) {
            word.equals = word.text.size();
        }
        word.text += c;
    }
    if (quote) {
        refuse(Fault::usage, "pipeline", fmt::format("a quote ({}) is not closed", quote));
    }
    for (StageText &stage : stages) {
        stage.text = trimmed(stage.text);
    }
    return stages;
}

std::string stage_name(size_t i, size_t count, const std::string &text) {
    return fmt::format("stage {} of {}, '{}'", i + 1, count, text);
}

// The names that may stand before a '='.
std::vector<std::string> settings_of(const Operator &op) {
    std::vector<std::string> names;
    for (const Option &option : op.options()) {
        names.push_back(option.name);
    }
    if (const std::optional<Option> more = op.optional_input()) {
        names.push_back(more->name);
    }
    names.push_back("schedule");
    return names;
}

const Option *find(const std::vector<Option> &options, const std::string &name) {
    const auto at = std::find_if(options.begin(), options.end(), [&](const Option &o) { return o.name == name; });
    return at == options.end() ? nullptr : &*at;
}

void check_schedule(const Operator &op, const std::string &name) {
    std::vector<std::string> known;
    for (const Row &row : op.rows()) {
        if (row.belongs_to(name)) {
            return;
        }
        if (std::find(known.begin(), known.end(), row.schedule) == known.end()) {
            known.push_back(row.schedule);
        }
    }
    throw Error(Fault::usage, fmt::format("no such schedule{}; known: {}", did_you_mean(name, known), fmt::join(known, ", ")),
                {.operation = op.name(), .argument = "schedule", .value = name});
}

// Reads the words after the operator's name.
Pipeline::Stage stage_of(const StageText &text, const FileLimits &limits) {
    if (text.words.empty()) {
        throw Error(Fault::usage, "it is empty; write operators with a bar between two of them: 'gaussian_blur sigma=2 | transpose'");
    }
    Pipeline::Stage stage;
    stage.text = text.text;
    stage.op = &find_operator(text.words.front().text);
    const Operator &op = *stage.op;
    const std::vector<Option> options = op.options();
    const std::optional<Option> more = op.optional_input();
    const std::vector<std::string> known = settings_of(op);
    std::string optional_file;
    for (size_t i = 1; i < text.words.size(); i++) {
        const Word &word = text.words[i];
        const std::string name = word.name();
        const Option *option = find(options, name);
        const bool again = stage.settings.has(name) || (name == "schedule" && !stage.schedule.empty()) ||
                           (more && name == more->name && !optional_file.empty());
        if (!word.is_setting() && option && option->is_flag) {
            stage.settings.set(name, "yes");
        } else if (!word.is_setting() && std::find(known.begin(), known.end(), name) != known.end()) {
            throw Error(Fault::usage, fmt::format("'{0}' has no value; write {0}=VALUE, without blanks", name), {.operation = op.name()});
        } else if (!word.is_setting() && word.text.starts_with("--")) {
            throw Error(Fault::usage, fmt::format("'{}': in a stage, options are written name=value", word.text), {.operation = op.name()});
        } else if (!word.is_setting()) {
            stage.files.push_back(word.text);
        } else if (again) {
            throw Error(Fault::usage, fmt::format("'{}' is given twice", name), {.operation = op.name()});
        } else if (word.value().empty()) {
            throw Error(Fault::usage, fmt::format("'{}' has no value", name), {.operation = op.name()});
        } else if (option && option->is_flag && word.value() != "yes") {
            throw Error(Fault::usage, "takes yes, or is left out", {.operation = op.name(), .argument = name, .value = word.value()});
        } else if (option) {
            stage.settings.set(name, value_of(op, *option, word.value(), name));
        } else if (more && name == more->name) {
            optional_file = word.value();
        } else if (name == "schedule") {
            stage.schedule = word.value();
            check_schedule(op, stage.schedule);
        } else {
            throw Error(Fault::usage, fmt::format("no option '{}'{}; it takes {}", name, did_you_mean(name, known), fmt::join(known, ", ")),
                        {.operation = op.name()});
        }
    }

    const int further = op.inputs() - 1;
    if (further == 0 && !stage.files.empty()) {
        throw Error(Fault::usage, fmt::format("'{}': it takes nothing but options (name=value){}; they are {}", stage.files.front(),
                                              did_you_mean(stage.files.front(), known), fmt::join(known, ", ")), {.operation = op.name()});
    }
    if (!stage.files.empty() && (int)stage.files.size() != further) {
        throw Error(Fault::usage, fmt::format("it takes {} array{} besides the one that flows, and {} are named", further, further == 1 ? "" : "s",
                                              stage.files.size()), {.operation = op.name()});
    }
    stage.from_call = stage.files.empty() ? further : 0;
    if (!optional_file.empty()) {
        stage.files.push_back(optional_file);
    }
    for (const std::string &file : stage.files) {
        stage.arrays.push_back(read_array(file, nullptr, limits));
    }
    return stage;
}

}  // namespace

Pipeline::Pipeline(std::string_view text, const FileLimits &limits) try : kept_(std::make_shared<Kept>()) {
    const std::vector<StageText> texts = split(text);
    for (const StageText &stage : texts) {
        try {
            stages_.push_back(stage_of(stage, limits));
        } catch (const Error &error) {
            refuse(error.fault(), stage_name(stages_.size(), texts.size(), stage.text), error.what());
        }
    }
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

int Pipeline::inputs() const {
    int count = 1;
    for (const Stage &stage : stages_) {
        count += stage.from_call;
    }
    return count;
}

std::string Pipeline::name_of_stage(size_t i) const {
    return stage_name(i, stages_.size(), stages_[i].text);
}

// ----------------------------------------------------------------------------------------------------------- the plan

// Arrays that are between stages while no call is, and the device that they were last used on.
struct Pipeline::Kept {
    std::mutex mutex;
    std::vector<std::pair<Device, Array>> arrays;
};

struct Pipeline::Plan {
    // Beyond what a stage gets and gives: how alpha stands there.
    struct Alpha {
        const Operator *unpremultiply = nullptr;  // before the stage, by this operator
        Type to = Type::u8;                       // as this type
        bool premultiply = false;                 // before the stage, and after unpremultiply
    };
    std::vector<Step> steps;
    std::vector<Alpha> alphas;  // one a stage, and one for the result
    Array result;               // an array for it; it has no values yet

    Array current;        // what flows to the next stage
    bool is_between = false;  // it belongs to the plan, not to the caller
    bool has_alpha = false;
    const Operator *premultiplied_by = nullptr;
    Type straight = Type::u8, premultiplied = Type::u8;

    bool reuses = true;
    std::vector<Array> between;  // arrays that are free for the next stages

    Array take(Type type, const std::vector<int64_t> &shape) {
        const auto at = std::find_if(between.begin(), between.end(), [&](const Array &a) { return a.type() == type && a.shape() == shape; });
        if (at == between.end()) {
            return Array(type, shape);
        }
        Array array = *at;
        between.erase(at);
        return array;
    }
};

namespace {

int64_t channels_of(const std::vector<int64_t> &shape) {
    return shape.size() == 3 ? shape[2] : 1;
}

// The type that the operator wants an image with alpha in, if it wants it premultiplied.
std::optional<Type> premultiplied_type(const Operator &op, const Array &image) {
    const Array pixel(image.type(), {1, 1, channels_of(image.shape())});
    const Array made = op.premultiplied(pixel);
    return made.storage() == pixel.storage() ? std::nullopt : std::optional(made.type());
}

}  // namespace

void Pipeline::plan_stage(Plan &plan, size_t i, std::span<const Array> &further, const Array &output, const Call &call, Device device) const {
    const Stage &stage = stages_[i];
    const Operator &op = *stage.op;
    Plan::Alpha &alpha = plan.alphas[i];
    const std::optional<Type> wanted = plan.has_alpha ? premultiplied_type(op, plan.current) : std::nullopt;
    if (plan.premultiplied_by && !wanted) {
        alpha.unpremultiply = plan.premultiplied_by;
        alpha.to = plan.current.type() == plan.premultiplied ? plan.straight : plan.current.type();
        plan.current = Array(alpha.to, plan.current.shape());
        plan.premultiplied_by = nullptr;
        plan.is_between = false;
    } else if (!plan.premultiplied_by && wanted) {
        alpha.premultiply = true;
        plan.straight = plan.current.type();
        plan.premultiplied = *wanted;
        plan.current = Array(*wanted, plan.current.shape());
        plan.premultiplied_by = &op;
        plan.is_between = false;
    }

    Step &step = plan.steps[i];
    step.inputs = {plan.current};
    step.inputs.insert(step.inputs.end(), further.begin(), further.begin() + stage.from_call);
    further = further.subspan((size_t)stage.from_call);
    step.inputs.insert(step.inputs.end(), stage.arrays.begin(), stage.arrays.end());
    step.settings = stage.settings;
    op.type_of(step.inputs, step.settings);
    const bool last = i + 1 == stages_.size();
    if (last && !call.kind_of_file.empty()) {
        step.settings = op.settings_for(call.kind_of_file, step.inputs, step.settings);
        op.type_of(step.inputs, step.settings);
    }
    const auto [type, shape] = op.output_of(step.inputs, step.settings);
    const bool keeps_alpha = plan.has_alpha && shape.size() == 3 && channels_of(shape) == channels_of(plan.current.shape());
    const bool is_result = last && !(keeps_alpha && plan.premultiplied_by);
    if (!is_result) {
        step.output = plan.take(type, shape);
    } else if (output.empty()) {
        step.output = Array(type, shape);
    } else if (output.type() != type || output.shape() != shape) {
        throw Error(Fault::input, fmt::format("the output must be {} ({})", tilewright::name_of(type), fmt::join(shape, ", ")),
                    {.operation = op.name(), .argument = "output", .value = output.describe()});
    } else {
        step.output = output;
    }
    step.row = &op.choose(step.inputs, step.output, step.settings, stage.schedule.empty() ? call.schedule : stage.schedule, device);

    if (plan.is_between && plan.reuses) {
        plan.between.push_back(plan.current);
    }
    plan.current = step.output;
    plan.is_between = !is_result;
    plan.has_alpha = keeps_alpha;
    if (!keeps_alpha) {
        plan.premultiplied_by = nullptr;
    }
}

std::vector<Array> Pipeline::take_kept(Device device) const {
    std::vector<Array> taken;
    const std::lock_guard lock(kept_->mutex);
    std::erase_if(kept_->arrays, [&](const auto &kept) {
        const bool here = kept.first == device;
        if (here) {
            taken.push_back(kept.second);
        }
        return here;
    });
    return taken;
}

Pipeline::Plan Pipeline::plan(std::span<const Array> inputs, const Array &output, const Call &call, Device device, std::vector<Array> kept) const {
    if ((int)inputs.size() != this->inputs()) {
        throw Error(Fault::usage, fmt::format("it takes {} input{}: the array that flows, and the further inputs that no stage names a file for",
                                              this->inputs(), this->inputs() == 1 ? "" : "s"),
                    {.operation = "pipeline", .argument = "inputs", .value = std::to_string(inputs.size())});
    }
    for (const Array &input : inputs) {
        if (input.empty()) {
            throw Error(Fault::input, "an input is empty", {.operation = "pipeline", .argument = "input"});
        }
        if (output.overlaps(input)) {
            throw Error(Fault::usage, "it shares memory with an input; give it memory of its own",
                        {.operation = "pipeline", .argument = "output", .value = output.describe()});
        }
    }
    Plan plan;
    plan.steps.resize(stages_.size());
    plan.alphas.resize(stages_.size() + 1);
    plan.current = inputs[0];
    plan.has_alpha = call.alpha && channels_of(inputs[0].shape()) > 1;
    plan.reuses = !call.steps;
    plan.between = std::move(kept);
    std::span<const Array> further = inputs.subspan(1);
    for (size_t i = 0; i < stages_.size(); i++) {
        const std::string got = fmt::format("; it gets {} from {}", plan.current.describe(), i == 0 ? "the input" : fmt::format("stage {}", i));
        try {
            plan_stage(plan, i, further, output, call, device);
        } catch (const Error &error) {
            refuse(error.fault(), name_of_stage(i), error.what() + (error.fault() == Fault::input ? got : ""));
        }
    }
    plan.result = plan.current;
    if (plan.premultiplied_by) {
        Plan::Alpha &alpha = plan.alphas.back();
        alpha.unpremultiply = plan.premultiplied_by;
        alpha.to = plan.current.type() == plan.premultiplied ? plan.straight : plan.current.type();
        plan.result = output.empty() ? Array(alpha.to, plan.current.shape()) : output;
        if (plan.result.type() != alpha.to || plan.result.shape() != plan.current.shape()) {
            refuse(Fault::input, name_of_stage(stages_.size() - 1),
                   fmt::format("the output must be {} ({}), not {}", tilewright::name_of(alpha.to), fmt::join(plan.current.shape(), ", "), output.describe()));
        }
    }
    return plan;
}

std::vector<Pipeline::Step> Pipeline::check(std::span<const Array> inputs, const Call &call) const try {
    const Inside inside;
    const Device device = call.device ? *call.device : best_device();
    driver::open(device);
    return plan(inputs, {}, call, device, {}).steps;
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

std::pair<Type, std::vector<int64_t>> Pipeline::output_of(std::span<const Array> inputs, const Call &call) const try {
    const Inside inside;
    const Device device = call.device ? *call.device : best_device();
    driver::open(device);
    const Plan planned = plan(inputs, {}, call, device, {});
    return {planned.result.type(), planned.result.shape()};
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

// ----------------------------------------------------------------------------------------------------------- the call

void Pipeline::run(Plan &plan, Device device, const Call &call) const {
    Array current = plan.steps.front().inputs.front();
    for (size_t i = 0; i < stages_.size(); i++) {
        const Stage &stage = stages_[i];
        const Plan::Alpha &alpha = plan.alphas[i];
        Step &step = plan.steps[i];
        try {
            if (alpha.unpremultiply) {
                current = alpha.unpremultiply->unpremultiplied(current, alpha.to);
            }
            if (alpha.premultiply) {
                current = stage.op->premultiplied(current);
            }
            step.inputs.front() = current;
            Statistics statistics;
            (*stage.op)(step.inputs, step.output, step.settings,
                        {.device = device,
                         .schedule = stage.schedule.empty() ? call.schedule : stage.schedule,
                         .statistics = call.statistics ? &statistics : nullptr});
            if (call.statistics) {
                call.statistics->push_back(statistics);
            }
        } catch (const Error &error) {
            refuse(error.fault(), name_of_stage(i), error.what());
        }
        current = step.output;
    }
    const Plan::Alpha &alpha = plan.alphas.back();
    if (alpha.unpremultiply) {
        const Array made = alpha.unpremultiply->unpremultiplied(current, alpha.to);
        copy(made, plan.result);
    }
}

void Pipeline::operator()(std::span<const Array> inputs, Array &output, const Call &call) const try {
    const Inside inside;
    const Device device = call.device ? *call.device : best_device();
    driver::open(device);
    Plan planned = plan(inputs, output, call, device, call.steps ? std::vector<Array>() : take_kept(device));
    planned.steps.front().inputs.front() = inputs[0];  // where alpha is multiplied in, the plan has an array without values there
    if (call.statistics) {
        call.statistics->clear();
    }
    run(planned, device, call);
    output = planned.result;
    if (call.steps) {
        *call.steps = std::move(planned.steps);
        return;
    }
    // What was between the stages is free again, once each; what this call had no use for goes.
    std::vector<Array> between;
    for (size_t i = 0; i + 1 < planned.steps.size(); i++) {
        const Array &array = planned.steps[i].output;
        const auto same = [&](const Array &other) { return other.storage() == array.storage(); };
        if (std::none_of(between.begin(), between.end(), same)) {
            between.push_back(array);
        }
    }
    const std::lock_guard lock(kept_->mutex);
    for (const Array &array : between) {
        kept_->arrays.emplace_back(device, array);
    }
} catch (...) {
    leave_with_error([] { return "pipeline"; });
}

}  // namespace tilewright
