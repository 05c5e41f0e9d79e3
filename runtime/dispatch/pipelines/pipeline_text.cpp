// Parsing of pipelines: text into stages and words, and each stage's words into an operator, its settings and
// the arrays of files.
#include "runtime/dispatch/pipelines/pipeline_text.h"
#include "runtime/dispatch/options/option_text.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

namespace {

// A word of a stage without its quotes, and the position of the first '=' outside of quotes.
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

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string trimmed(const std::string &text) {
    const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
    const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), is_blank).base();
    return {first, last};
}

std::vector<StageText> split(std::string_view text) {
    std::vector<StageText> stages(1);
    char quote = 0;
    bool in_word = false;
    for (const char c : text) {
        StageText &stage = stages.back();
        if (!quote && c == '|') {
            stages.emplace_back();
            in_word = false;
            continue;
        }
        stage.text += c;
        if (!quote && is_blank(c)) {
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
        throw Error(
            Fault::usage, fmt::format("a quote ({}) is not closed", quote), {.operation = "pipeline"});
    }
    for (StageText &stage : stages) {
        stage.text = trimmed(stage.text);
    }
    return stages;
}

// A word as it is written in a stage: in quotes, where it has characters that are none of a word.
std::string quoted(const std::string &word) {
    const char quote = word.find('"') == std::string::npos ? '"' : '\'';
    return word.find_first_of(" \t\r\n|\"'") == std::string::npos ? word : quote + word + quote;
}

// Reads the words of one stage.
class StageReader {
public:
    // Errors: usage, for an operator that there is not.
    explicit StageReader(const StageText &text) : op_(find_operator(text.words.front().text)) {
        stage_.text = text.text;
        stage_.op = &op_;
        for (const Option &option : op_.options()) {
            names_.push_back(option.name);
        }
        if (op_.optional_input()) {
            names_.push_back(op_.optional_input()->name);
        }
        names_.push_back("schedule");
    }

    // A word after the operator's name. Errors: usage.
    void read(const Word &word) {
        if (word.is_setting()) {
            read_setting(word.name(), word.value());
        } else if (const Option *option = find_option(word.text); option && option->is_flag) {
            stage_.settings.set(word.text, "yes");
        } else if (is_known(word.text)) {
            refuse(fmt::format("'{0}' has no value; write {0}=VALUE, without blanks", word.text));
        } else if (word.text.starts_with("--")) {
            refuse(fmt::format("'{}': in a stage, options are written name=value", word.text));
        } else {
            stage_.files.push_back(word.text);
        }
    }

    // What a program gives in the place of words. Errors: usage.
    void take(const StageArgument &given) {
        if (const Array *array = std::get_if<Array>(&given.value)) {
            stage_.arrays.push_back(*array);
        } else if (const Settings *settings = std::get_if<Settings>(&given.value)) {
            for (const auto &[name, value] : settings->all()) {
                take_setting(name, text_of(value));
            }
        } else if (next_option_ == op_.options().size()) {
            refuse(fmt::format("'{}' is the value of no option; they are {}", text_of(given.value),
                fmt::join(names_, ", ")));
        } else {
            take_setting(op_.options()[next_option_++].name, text_of(given.value));
        }
    }

    // The stage, once all words are read. Errors: usage, for a wrong number of files or arrays; input, for
    // files that cannot be read.
    PipelineStage finish(const FileLimits &limits = {}) {
        const int further = (int)op_.inputs().size() - 1, named = (int)stage_.files.size();
        const int given = (int)stage_.arrays.size(), optional = op_.optional_input() ? 1 : 0;
        if (given > 0 && given != further && given != further + optional) {
            refuse(fmt::format("it takes {} array{} besides the one that flows, and {} are given",
                further + optional, further + optional == 1 ? "" : "s", given));
        }
        if (further == 0 && named > 0) {
            const std::string &file = stage_.files.front();
            refuse(fmt::format("'{}': it takes nothing but options (name=value){}; they are {}", file,
                did_you_mean(file, names_), fmt::join(names_, ", ")));
        }
        if (named > 0 && named != further) {
            refuse(fmt::format("it takes {} array{} besides the one that flows, and {} are named", further,
                further == 1 ? "" : "s", named));
        }
        stage_.from_call = named + given > 0 ? 0 : further;
        if (!optional_file_.empty()) {
            stage_.files.push_back(optional_file_);
        }
        for (const std::string &file : stage_.files) {
            stage_.arrays.push_back(read_array(file, nullptr, limits));
        }
        return std::move(stage_);
    }

private:
    [[noreturn]] void refuse(const std::string &message) const {
        throw Error(Fault::usage, message, {.operation = op_.name()});
    }

    template<typename... Kinds>
    static std::string text_of(const std::variant<Kinds...> &value) {
        const double *number = std::get_if<double>(&value);
        return number ? fmt::format("{}", *number) : std::get<std::string>(value);
    }

    // As read() does with the words `name=value`, which become a part of the text.
    void take_setting(const std::string &name, const std::string &value) {
        const Option *option = find_option(name);
        if (!option || !option->is_flag || value != "no") {
            stage_.text += " " + name + "=" + quoted(value);
            read_setting(name, value);
        }
    }

    const Option *find_option(const std::string &name) const {
        const std::vector<Option> &options = op_.options();
        const auto at = std::find_if(
            options.begin(), options.end(), [&](const Option &option) { return option.name == name; });
        return at == options.end() ? nullptr : &*at;
    }

    bool is_known(const std::string &name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }

    bool is_optional_input(const std::string &name) const {
        return op_.optional_input() && op_.optional_input()->name == name;
    }

    void read_setting(const std::string &name, const std::string &value) {
        if (stage_.settings.has(name) || (name == "schedule" && !stage_.schedule.empty()) ||
            (is_optional_input(name) && !optional_file_.empty())) {
            refuse(fmt::format("'{}' is given twice", name));
        }
        if (value.empty()) {
            refuse(fmt::format("'{}' has no value", name));
        }
        const Option *option = find_option(name);
        if (option && option->is_flag && value != "yes") {
            throw Error(Fault::usage, "takes yes, or is left out",
                {.operation = op_.name(), .argument = name, .value = value});
        }
        if (option) {
            stage_.settings.set(name, value_of(op_, *option, value, name));
        } else if (is_optional_input(name)) {
            optional_file_ = value;
        } else if (name == "schedule") {
            op_.check_schedule(value);
            stage_.schedule = value;
        } else {
            refuse(fmt::format(
                "no option '{}'{}; it takes {}", name, did_you_mean(name, names_), fmt::join(names_, ", ")));
        }
    }

    const Operator &op_;
    std::vector<std::string> names_;  // what may be in front of a '='
    std::string optional_file_;       // of the optional input
    size_t next_option_ = 0;          // that take() has a value for
    PipelineStage stage_;
};

PipelineStage read_stage(const StageText &text, const FileLimits &limits) {
    if (text.words.empty()) {
        throw Error(Fault::usage, "it is empty; write operators with a bar between two of them: "
                                  "'gaussian_blur sigma=2 | transpose'");
    }
    StageReader reader(text);
    for (size_t i = 1; i < text.words.size(); i++) {
        reader.read(text.words[i]);
    }
    return reader.finish(limits);
}

}  // namespace

std::string stage_name(size_t i, size_t count, const std::string &text) {
    return fmt::format("stage {} of {}, '{}'", i + 1, count, text);
}

PipelineStage made_stage(const std::string &op, std::span<const StageArgument> given, size_t before) try {
    StageReader reader({op, {{op}}});
    for (const StageArgument &argument : given) {
        reader.take(argument);
    }
    return reader.finish();
} catch (const Error &error) {
    throw Error(error.fault(), error.what(), {.operation = stage_name(before, before + 1, op)});
}

std::vector<PipelineStage> read_stages(std::string_view text, const FileLimits &limits) {
    const std::vector<StageText> texts = split(text);
    std::vector<PipelineStage> stages;
    for (size_t i = 0; i < texts.size(); i++) {
        try {
            stages.push_back(read_stage(texts[i], limits));
        } catch (const Error &error) {
            throw Error(
                error.fault(), error.what(), {.operation = stage_name(i, texts.size(), texts[i].text)});
        }
    }
    return stages;
}

}  // namespace tilewright
