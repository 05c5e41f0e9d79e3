// `list`: the schedules of every operator with one sentence each, or all variants as JSON.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct ListOptions {
    std::string op;
    VariantOptions variants;
    std::vector<std::string> backends;
    bool as_json = false;

    bool ask_for(const Variant &variant) const {
        const auto is_of_variant = [&](const std::string &backend) {
            return backend.substr(0, backend.find(':')) == name_of(variant.backend);
        };
        return variants.ask_for(variant) &&
               (backends.empty() || std::any_of(backends.begin(), backends.end(), is_of_variant));
    }
};

// "Tunables: tile 16 (4 to 32), pad 1."
std::string tunable_words(const Variant &variant) {
    std::vector<std::string> all;
    for (const Variant::Tunable &t : variant.tunables) {
        all.push_back(t.low == t.high ? fmt::format("{} {}", t.name, t.value) :
                                        fmt::format("{} {} ({} to {})", t.name, t.value, t.low, t.high));
    }
    return all.empty() ? "" : " Tunables: " + joined(all, ", ") + ".";
}

// For what a variant stays that `tuned` takes at no measured call.
std::string reason_of(const Variant &variant) {
    return variant.kept_for.empty() ? "" : " Kept for " + variant.kept_for + ".";
}

void add_word(std::string &words, const std::string &word) {
    if ((" " + words + " ").find(" " + word + " ") == std::string::npos) {
        words += (words.empty() ? "" : " ") + word;
    }
}

// The operator's schedules: variants that differ only in type and backend are one line. Where schedules are
// named, their tunables are listed too.
std::string schedules_of(const Operator &op, const ListOptions &options) {
    struct Line {
        std::string schedule, backends, types, sentence;
    };
    std::vector<Line> schedules;
    for (const Variant &variant : op.variants()) {
        if (!options.ask_for(variant)) {
            continue;
        }
        const std::string sentence =
            variant.summary +
            (options.variants.schedules.empty() ? "" : tunable_words(variant) + reason_of(variant));
        auto line = std::find_if(schedules.begin(), schedules.end(),
            [&](const Line &l) { return l.schedule == variant.schedule && l.sentence == sentence; });
        if (line == schedules.end()) {
            line = schedules.insert(schedules.end(), {variant.schedule, "", "", sentence});
        }
        add_word(
            line->backends, std::string(name_of(variant.backend)) + (variant.needs_vnni ? "(VNNI)" : ""));
        add_word(line->types, variant.type);
    }
    if (schedules.empty()) {
        return "";
    }
    std::vector<std::vector<std::string>> lines = {{"schedule", "backends", "types", "how"}};
    for (const Line &line : schedules) {
        lines.push_back({line.schedule, line.backends, line.types, line.sentence});
    }
    return wrapped_table({{fmt::format("{}: {}", op.name(), op.summary())}}) + wrapped_table(lines);
}

// The operator with those of its variants that were asked for.
Json json(const Operator &op, const ListOptions &options) {
    Json variants = Json::array();
    for (const Variant &variant : op.variants()) {
        if (options.ask_for(variant)) {
            variants.push_back(listed(variant));
        }
    }
    Json settings = Json::array();
    for (const Option &o : op.options()) {
        settings.push_back(
            {{"name", o.name}, {"help", o.help}, {"default", o.value}, {"choices", o.choices}});
    }
    Json one = {{"operator", op.name()}, {"summary", op.summary()}, {"inputs", op.inputs().size()},
        {"options", settings}, {"variants", variants}};
    if (const std::optional<Input> &more = op.optional_input()) {
        one["optional_input"] = {{"name", more->name}, {"help", more->help}};
    }
    return one;
}

void check_backends(const std::vector<std::string> &words) {
    const std::vector<std::string> known = {"cpu", "cuda", "opencl"};
    for (const std::string &word : words) {
        if (std::find(known.begin(), known.end(), word.substr(0, word.find(':'))) == known.end()) {
            throw Error(Fault::usage, "takes cpu, cuda or opencl" + did_you_mean(word, known),
                {.argument = "--backend", .value = word});
        }
    }
}

void print_list(const ListOptions &options) {
    const std::vector<const Operator *> chosen =
        options.op.empty() ? operators() : std::vector{&find_operator(options.op)};
    check_variants(chosen, options.variants);
    check_backends(options.backends);
    if (options.as_json) {
        Json all = Json::array();
        for (const Operator *op : chosen) {
            all.push_back(json(*op, options));
        }
        print({{"version", json_version}, {"operators", all}});
        return;
    }
    std::string text;
    for (const Operator *op : chosen) {
        const std::string one = schedules_of(*op, options);
        text += (text.empty() || one.empty() ? "" : "\n") + one;
    }
    if (text.empty()) {
        throw Error(Fault::usage,
            "no variant is of these schedules, types and backends at once; leave one of them out",
            {.operation = "list"});
    }
    print(text);
}

}  // namespace

void add_list(CommandLine &line) {
    Command command = line.add("list", "Lists every schedule of every operator, with what it does");
    static ListOptions options;
    command.add("operator", options.op, "Only this operator's variants");
    add_variants(command, options.variants);
    command
        .add("--backend,--device", options.backends, "Only variants of these: cpu, cuda, opencl, with commas")
        .commas()
        .one_word()
        .value_name("NAME,...");
    command.add_flag("--json", options.as_json, "Print JSON: one variant per library, with its tunables");
    const std::string first = operators().front()->name();
    command.footer(fmt::format("Examples:\n"
                               "  tilewright list\n"
                               "  tilewright list {0}\n"
                               "  tilewright list {0} --backend cpu --schedule tuned\n"
                               "  tilewright list {0} --json\n",
        first));
    command.run([] { print_list(options); });
}

}  // namespace tilewright::app
