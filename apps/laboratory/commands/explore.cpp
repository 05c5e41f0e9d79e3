// `explore`: which variants, data and devices it searches, its command line, and the table at the end.
#include "apps/laboratory/benchmark/benchmark_cases.h"
#include "apps/laboratory/commands/laboratory.h"
#include "apps/laboratory/explore/ask_tell.h"
#include "apps/laboratory/explore/bundle.h"
#include "apps/laboratory/explore/exploration.h"
#include "apps/laboratory/explore/point_server.h"
#include "apps/laboratory/report/page.h"
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/foreign/foreign_options.h"
#include "apps/tilewright/pictures/input_and_output.h"
#include "apps/tilewright/processes/interrupt.h"
#include "apps/tilewright/terminal/first_error.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "tilewright/files.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <latch>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct ExploreOptions {
    std::vector<std::string> operators;
    std::string devices, results, report, bundle, bundled;
    CaseOptions cases;
    ForeignWords generator;
    int64_t seed = 1, points = 0;
    bool serves_points = false;  // this is the process that measures points
    ExplorationPlan plan;
};

// The devices that the words name; none for `auto`. A bundle runs on another machine, so its devices need not
// be here; without a word it is for CUDA.
std::vector<Device> devices_of(const ExploreOptions &options) {
    if (options.bundle.empty()) {
        return named_devices(options.devices);
    }
    std::vector<Device> devices;
    for (const std::string &word : parted(options.devices == "auto" ? "cuda" : options.devices)) {
        const std::array all = {Backend::cpu, Backend::cuda, Backend::opencl};
        const auto at =
            std::find_if(all.begin(), all.end(), [&](Backend backend) { return name_of(backend) == word; });
        if (at == all.end()) {
            throw Error(Fault::usage,
                "with --bundle it takes cpu, cuda and opencl; which of several GPUs it is, the bundle is "
                "told",
                {.argument = "--device", .value = word});
        }
        devices.push_back({*at, 0});
    }
    return devices;
}

void note(const std::string &text) {
    if (!text.empty()) {
        print_error_line("tilewright: explore: ", text);
    }
}

// Without --schedule, all variants but `reference`, which is there to be right.
std::vector<ExploredCase> cases_of(const ExploreOptions &options) {
    const bool elsewhere = !options.bundle.empty(), all = options.cases.variants.schedules.empty();
    const auto takes = [&](const Variant &variant, Device device) {
        return (!all || variant.schedule != "reference") && (elsewhere || runs_here(variant, device));
    };
    std::vector<ExploredCase> cases;
    for (Case &one : app::cases_of(chosen_operators(options.operators, options.generator), options.cases,
             devices_of(options), takes)) {
        for (const std::string &conversion : one.conversions) {
            note(fmt::format("{}: {}", one.data.own->what, conversion));
        }
        std::vector<ExploredVariant> variants;
        for (const AskedVariant &asked : one.variants) {
            variants.push_back(
                {asked.variant, Search(*asked.variant, (uint64_t)options.seed + variants.size())});
        }
        cases.push_back({one.op, std::move(one.data), one.device, std::move(variants)});
    }
    return cases;
}

std::string ms_of(std::optional<double> ms) {
    return ms ? fmt::format("{:.4f}", *ms) : "-";
}

// A line per variant: its own values beside the best point.
void print_table(const Exploration &exploration) {
    std::vector<std::vector<std::string>> lines = {
        {"variant", "own ms", "best ms", "gain", "points", "failed"},
        {"# Below a variant: its best values, where they are not its own."}};
    for (const ExploredCase &c : exploration.cases()) {
        lines.push_back({fmt::format("# {} on {}:", c.what(), c.device.str())});
        for (const ExploredVariant &variant : c.variants) {
            if (variant.points == 0) {
                continue;
            }
            const bool better = variant.own_ms && variant.best_ms && *variant.best_ms < *variant.own_ms;
            const std::string gain = better ? fmt::format("{:.2f}", *variant.own_ms / *variant.best_ms) :
                                     variant.own_ms ? "1.00" :
                                                      "-";
            lines.push_back({variant.variant->name(), ms_of(variant.own_ms),
                ms_of(variant.own_ms && !better ? variant.own_ms : variant.best_ms), gain,
                std::to_string(variant.points), std::to_string(variant.failed)});
            if (better || (variant.best_ms && !variant.own_ms)) {
                lines.push_back({"    " + words_of(*variant.variant, variant.best)});
            }
        }
    }
    print(table(lines));
}

// What was asked for, for the machine that runs the bundle, and back.
Json words_of(const ExploreOptions &options, const Operator &op) {
    const CaseOptions &cases = options.cases;
    const ForeignGenerator *const theirs = foreign_generator(op.name());
    return {{"operators", options.operators}, {"schedules", cases.variants.schedules},
        {"types", cases.variants.types}, {"sizes", cases.sizes}, {"row_bytes", cases.row_bytes},
        {"options", cases.data.of_operators.given}, {"devices", options.devices},
        {"limit", options.plan.limit_s},
        {"generator", json(theirs ? theirs->words_elsewhere() : ForeignWords())}};
}

void take_words(const Json &words, ExploreOptions &options) {
    options.operators = words["operators"].get<std::vector<std::string>>();
    options.cases.variants.schedules = words["schedules"].get<std::vector<std::string>>();
    options.cases.variants.types = words["types"].get<std::vector<std::string>>();
    options.cases.sizes = words["sizes"].get<std::vector<std::string>>();
    options.cases.row_bytes = words["row_bytes"];
    options.cases.data.of_operators.given = words["options"].get<std::map<std::string, std::string>>();
    options.plan.limit_s = words["limit"];
    options.generator = foreign_words_of(words["generator"]);
    if (options.devices == "auto") {
        options.devices = words["devices"] == "auto" ? "cuda" : words["devices"];
    }
}

// Runs in the folder of a bundle: the cases that it was made for, with the points that it has.
std::vector<ExploredCase> bundled_cases(ExploreOptions &options) {
    const Bundle bundle = read_bundle(options.bundled);
    take_words(bundle.words, options);
    options.plan.bundle = options.bundled;
    std::vector<ExploredCase> cases = cases_of(options);
    for (ExploredCase &c : cases) {
        for (ExploredVariant &variant : c.variants) {
            for (const auto &[name, point] : bundle.points) {
                if (name == variant.variant->name()) {
                    variant.prepared.push_back(point);
                }
            }
        }
    }
    return cases;
}

// Before anything is searched. Errors: MissingTool, where no point of a variant could be built.
void check_tools_of(const std::vector<ExploredCase> &cases) {
    for (const ExploredCase &c : cases) {
        for (const ExploredVariant &variant : c.variants) {
            if (variant.search.size() > 1) {
                check_tools(*variant.variant);
            }
        }
    }
}

// Table and report show what was measured also where the search ended in an error.
void search(Exploration &exploration, const ExploreOptions &options) {
    FirstError first("explore");
    if (options.plan.asked) {
        first.keep([&] { ask_and_tell(exploration); });
    } else {
        first.keep([&] { exploration.run(); });
        Progress::hide();
        first.keep([&] { print_table(exploration); });
    }
    if (!options.report.empty() && exploration.points() > 0) {
        first.keep([&] { write_report(options.report, {read_timed_file(options.results)}); });
    }
    first.end();
}

// The page of a report, and the results that it is made of. A report that is no .html file is a folder that
// has both.
void place_report(ExploreOptions &options) {
    if (options.report.empty()) {
        return;
    }
    const ErrorContext context = {.operation = "explore", .argument = "--report", .value = options.report};
    const std::filesystem::path place = options.report;
    if (place.extension() != ".html") {
        std::error_code error;
        if (!std::filesystem::is_directory(place, error) &&
            !std::filesystem::create_directory(place, error)) {
            throw Error(Fault::failed,
                fmt::format("the folder cannot be made: {}; name another one, in a folder that exists",
                    error ? error.message() : "it is a file"),
                context);
        }
        options.report = (place / "report.html").string();
        options.results = options.results.empty() ? (place / "results.jsonl").string() : options.results;
    }
    if (options.results.empty()) {
        throw Error(
            Fault::usage, "a page is made of the file of --results; name one, or a folder for both", context);
    }
    check_writable(options.report);
}

// Errors: usage, for words that do not go together.
void check_words(const ExploreOptions &options) {
    const auto refuse = [](const std::string &why, const std::string &option, const std::string &value) {
        throw Error(Fault::usage, why, {.operation = "explore", .argument = option, .value = value});
    };
    if (options.operators.empty() && options.generator.program.empty() && options.bundled.empty()) {
        refuse(fmt::format("name at least one operator: {}", joined(operator_names(), ", ")), "", "");
    }
    if (options.plan.asked && options.points > 0) {
        refuse("with --ask-tell the other program says which points are tried", "--points",
            std::to_string(options.points));
    }
    check_written(options.cases.data.files,
        {{"--results", options.results}, {"--report", options.report}, {"--bundle", options.bundle}},
        "explore");
    if (options.bundle.empty()) {
        return;
    }
    if (options.plan.asked) {
        refuse("a bundle is searched elsewhere, by the points that it has; leave --ask-tell out", "--bundle",
            options.bundle);
    }
    for (const auto &[option, value] :
        {std::pair{"--report", options.report}, {"--results", options.results}}) {
        if (!value.empty()) {
            refuse("a bundle writes it where it runs; give it the option there", option, value);
        }
    }
    if (!options.cases.data.files.empty()) {
        refuse(
            "a bundle has no files; leave one of the two out", "--input", options.cases.data.files.front());
    }
    if (!options.generator.against.empty()) {
        refuse("a bundle has no function of yours; name another generator of the program by --reference, or "
               "leave it out",
            "--against", options.generator.against);
    }
}

void make_bundle(ExploreOptions options) {
    constexpr int64_t usual = 200;
    if (!options.generator.program.empty()) {
        options.generator.host = any_machine;
    }
    const std::vector<ExploredCase> cases = cases_of(options);
    check_tools_of(cases);
    write_bundle(cases, (size_t)(options.points > 0 ? options.points : usual),
        words_of(options, *cases.front().op), options.bundle);
}

void explore(ExploreOptions options) {
    if (options.serves_points) {
        serve_points();
        return;
    }
    check_words(options);
    if (!options.bundle.empty()) {
        make_bundle(options);
        return;
    }
    std::vector<ExploredCase> cases = options.bundled.empty() ? cases_of(options) : bundled_cases(options);
    if (options.bundled.empty()) {
        check_tools_of(cases);
    }
    place_report(options);  // after all that refuses words, because it may make a folder
    std::unique_ptr<ResultsFile> results;
    if (!options.results.empty()) {
        results = std::make_unique<ResultsFile>(options.results, true);
        note(results->note());
    }
    options.plan.points = (size_t)options.points;
    Exploration exploration(std::move(cases), options.plan, results.get());
    if (exploration.known() > 0 || exploration.left_aside() > 0) {
        note(fmt::format("{} has {} points of this search, and {} that another device, machine or commit "
                         "measured and that do not count here",
            options.results, exploration.known(), exploration.left_aside()));
    }
    std::latch printed(1);
    const SaveOnInterrupt table([&] {  // the program ends when this returns
        exploration.interrupt();
        printed.wait();
    });
    try {
        search(exploration, options);
    } catch (...) {
        printed.count_down();
        throw;
    }
    printed.count_down();
}

}  // namespace

void add_explore(CommandLine &line) {
    Command command =
        line.add("explore", "Searches the tunables of schedules for faster values, and verifies each point");
    static ExploreOptions options;
    command.add("operator", options.operators, "Operators");
    add_generator(command, options.generator);
    add_devices_and_threads(command, options.devices);
    add_variants(command, options.cases.variants);
    command.add("--budget", options.plan.budget_s, "Seconds to search").show_default().seconds(.001, 1e7);
    command.add("--seed", options.seed, "The order of the points")
        .show_default()
        .range(int64_t(0), std::numeric_limits<int64_t>::max());
    command.add("--limit", options.plan.limit_s, "Seconds that timing a point may take, about")
        .show_default()
        .seconds(.001, 1e6);
    command.add("--hang", options.plan.hang_s, "Seconds after which a point is ended")
        .show_default()
        .seconds(.1, 1e6);
    command.add("--results", options.results,
        "Add each point to this file, one JSON object per line, and go on from what it has");
    command
        .add("--report", options.report,
            "Write a page with plots and tables of all that the file of --results has; or a folder for the "
            "page (report.html) and, without --results, the results (results.jsonl)")
        .value_name("FILE.html|FOLDER");
    command.add("--bundle", options.bundle,
        "Write a program to this file that searches on another machine, which needs only a driver");
    command
        .add("--points", options.points,
            "How many points are tried at most, as far as there is time; with --bundle: about how many it "
            "has")
        .default_text("as many as there is time for; 200")
        .range(1, 1000000);
    command.add_flag("--ask-tell", options.plan.asked,
        "Let another program search: it writes points to standard input, one JSON object per line, and "
        "reads what became of each from standard output");
    command.add("--bundled", options.bundled).group("");
    command.add_flag(serve_points_option, options.serves_points, "").group("");
    add_case_data(command, options.cases);
    const std::string first = operators().front()->name();
    command.footer(fmt::format(
        "A tunable takes all values of its range. Of a wide range it takes the variant's own value, "
        "its doubles and halves, and both\n"
        "ends. Wide means more than 8 values where the own value is a power of two, and more "
        "than 64 otherwise. Combinations\n"
        "that no kernel can have are refused when they are built, and count as failed.\n"
        "Examples:\n"
        "  tilewright explore {0} --budget 120 --results {0}.jsonl\n"
        "  tilewright explore {0} --schedule tuned --size 512x512,4096x4096 --device cpu\n"
        "  tilewright explore gaussian_blur --input photo.png --sigma 3 --budget 60\n"
        "A generator of your own (docs/GENERATORS.md):\n"
        "  tilewright explore --generator ./blur.generator -g blur --values tile=8,16,32\n",
        first));
    command.run([] { explore(options); });
}

}  // namespace tilewright::app
