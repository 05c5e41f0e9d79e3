// `verify`: which variants are run on which devices, and what is printed about each.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/foreign/foreign_options.h"
#include "apps/tilewright/processes/interrupt.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "apps/tilewright/timing/machine.h"
#include "apps/tilewright/timing/measure.h"
#include "apps/tilewright/verification/verification.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

namespace tilewright::app {

namespace {

struct VerifyOptions {
    std::vector<std::string> operators;
    std::string devices;
    VariantOptions variants;
    ForeignWords generator;
    int repeat = 10;
    int64_t largest = Verification::largest_sample;
    int64_t random = 0, side = 256, seconds = 0;
    bool as_json = false;
};

bool is_slow(const Result &result) {
    return result.of_reference.value_or(0) > slower_than_reference;
}

std::string line_of(const Result &result) {
    const std::string head =
        fmt::format("{:<8} {:<44} {:<9}", name_of(result.verdict), result.variant->name(), result.device);
    std::string line;
    if (result.samples > 0) {
        line += fmt::format(" {} samples", result.samples);
    }
    if (result.error > 0) {
        line += fmt::format(", off by up to {:.1e} of the largest number", result.error);
    }
    if (!result.libraries.empty()) {
        line += ", the last one by " + result.libraries;
    }
    if (is_slow(result)) {
        line += fmt::format(", SLOWER than reference: {:.2f} times its time", *result.of_reference);
    }
    if (!result.why.empty()) {
        line += (line.empty() ? " " : "; ") + result.why;
    }
    constexpr size_t width = 100;
    if (!line.empty() && head.size() + line.size() > width) {  // the rest is below, behind the column of the
                                                               // verdicts
        return table({{head}}) + wrapped_table({{"       ", line.substr(line.find_first_not_of(", "))}});
    }
    return table({{head + line}});
}

Json json(const Result &result) {
    Json one = app::json(*result.variant);
    one.update({{"device", result.device}, {"verdict", name_of(result.verdict)}, {"samples", result.samples},
        {"runs", result.runs}, {"error", result.error}, {"libraries", result.libraries},
        {"against", result.against}, {"why", result.why}});
    for (const auto &[size, error] : result.errors) {
        one["errors"].push_back({size, error});
    }
    if (result.of_reference) {
        one["of_reference"] = *result.of_reference;
    }
    return one;
}

// What of the tables was asked for. `places` are the devices that --device names, or all that can be used.
struct Asked {
    std::vector<Device> places;
    bool by_name;  // --device names them: variants of other backends were not asked for
    VariantOptions options;

    bool has(const Variant &variant) const {
        const auto is_of_variant = [&](const Device &device) { return device.backend == variant.backend; };
        return options.ask_for(variant) &&
               (!by_name || std::any_of(places.begin(), places.end(), is_of_variant));
    }

    std::vector<const Variant *> variants(const Operator &op, const std::string &type) const {
        std::vector<const Variant *> variants;
        for (const Variant &variant : op.variants()) {
            if (variant.type == type && has(variant)) {
                variants.push_back(&variant);
            }
        }
        return variants;
    }
};

// All variants have a sample before the next one is made, so that few are in memory, and all had as many when
// the seconds are over (0: no limit).
void run_on_random_samples(
    Verification &verification, RandomSamples samples, std::span<Verification::Turn> turns, int64_t seconds) {
    const auto start = std::chrono::steady_clock::now();
    const auto is_over = [&] {
        return seconds > 0 && std::chrono::steady_clock::now() - start >= std::chrono::seconds(seconds);
    };
    while (!is_over()) {
        const std::optional<Sample> sample = samples.next();
        if (!sample) {
            break;
        }
        verification.run_on(*sample, turns);
    }
}

// Runs the variants of one operator and type on the devices, and hands each result to `report`.
void verify_type(const Operator &op, const std::string &type, const VerifyOptions &options,
    const Asked &asked, Progress &progress, const std::function<void(Result)> &report) {
    const auto variants = asked.variants(op, type);
    if (variants.empty()) {
        return;
    }
    Verification verification(op, type, options.repeat, options.largest);
    std::vector<Verification::Turn> turns;
    for (const Variant *variant : variants) {
        progress.step(variant->name());
        const std::string reason = why_not_here(*variant, asked.places, asked.by_name);
        if (!reason.empty()) {
            report({.variant = variant, .verdict = Verdict::not_run, .why = reason});
            continue;
        }
        for (const Device &device : asked.places) {
            if (device.backend != variant->backend) {
                continue;
            }
            const std::string lacking = why_not_on(*variant, device);
            if (!lacking.empty()) {
                report({.variant = variant,
                    .device = device.str(),
                    .verdict = Verdict::not_run,
                    .why = lacking});
            } else if (options.random == 0) {
                report(verification.run(*variant, device));
            } else {
                turns.push_back(verification.begin(*variant, device));
            }
        }
    }
    if (!turns.empty()) {
        run_on_random_samples(verification, RandomSamples(op, type, (size_t)options.random, options.side),
            turns, options.seconds);
    }
    for (Verification::Turn &turn : turns) {
        report(Verification::end(std::move(turn)));
    }
}

// How many variants had which verdict.
class Sum {
public:
    Sum(const std::vector<Result> &results, size_t not_asked) : not_asked_(not_asked) {
        for (const Result &result : results) {
            count_[result.verdict]++;
            comparisons_ += result.samples;
            by_reference_ += result.verdict == Verdict::ok && result.against == "reference variant";
            slow_ += is_slow(result);
            device_fault_ = device_fault_ || result.device_fault;
        }
    }

    std::string text() const {
        std::string text = fmt::format("{} ok{}, {} wrong, {} failed", count(Verdict::ok),
            by_reference_ ? fmt::format(" ({} of them against their reference variant only)", by_reference_) :
                            "",
            count(Verdict::wrong), count(Verdict::failed));
        text += count(Verdict::untried) ?
                    fmt::format(", {} untried (no sample is of their sizes)", count(Verdict::untried)) :
                    "";
        text += count(Verdict::unheld) ?
                    fmt::format(", {} with nothing to compare them with", count(Verdict::unheld)) :
                    "";
        text += slow_ ? fmt::format(", {} slower than reference", slow_) : "";
        text += fmt::format(", {} not run here", count(Verdict::not_run));
        text += fmt::format(", {} results compared", comparisons_);
        return text + (not_asked_ ? fmt::format(", {} not asked for", not_asked_) : "");
    }

    Json json() const {
        Json all = Json::object();
        for (const Verdict verdict : {Verdict::ok, Verdict::wrong, Verdict::failed, Verdict::untried,
                 Verdict::unheld, Verdict::not_run}) {
            all[name_of(verdict)] = count(verdict);
        }
        return all;
    }

    // Errors: those that the exit code of the command stands for.
    void check(const std::string &device) const {
        if (count_.empty()) {
            throw Error(Fault::device,
                "no variant is of this device, schedule and type at once; `tilewright list` shows what there "
                "is",
                {.device = device});
        }
        if (count(Verdict::wrong) > 0) {
            throw Error(Fault::mismatch,
                text() + "; run one alone with `tilewright verify OP --schedule NAME --device D`");
        }
        if (count(Verdict::failed) > 0) {
            throw Error(Fault::failed,
                text() + (device_fault_ ? "; `tilewright doctor` says what is wrong with a device" :
                                          "; the FAILED lines say why"));
        }
        if (count(Verdict::untried) > 0) {
            throw Error(Fault::failed, text() + "; add a sample of their sizes to the operator's samples()");
        }
        if (count(Verdict::ok) + count(Verdict::unheld) == 0) {
            throw Error(Fault::device,
                "none of these variants can run here: " + text() + "; `tilewright devices` says why",
                {.device = device});
        }
    }

private:
    size_t count(Verdict verdict) const {
        const auto at = count_.find(verdict);
        return at == count_.end() ? 0 : at->second;
    }

    std::map<Verdict, size_t> count_;
    size_t comparisons_ = 0, by_reference_ = 0, slow_ = 0, not_asked_ = 0;
    bool device_fault_ = false;
};

void verify(const VerifyOptions &options) {
    if (options.seconds > 0 && options.random == 0) {
        throw Error(Fault::usage, "is the time for the samples of --random, which is not given",
            {.argument = "--seconds"});
    }
    const auto chosen = chosen_operators(options.operators, options.generator);
    check_variants(chosen, options.variants);
    const bool by_name = !options.devices.empty() && options.devices != "all";
    const Asked asked{chosen_devices(options.devices), by_name, options.variants};

    std::mutex mutex;  // of the results
    std::vector<Result> results;
    const auto report = [&](Result result) {
        const bool is_fine = result.verdict == Verdict::ok || result.verdict == Verdict::not_run;
        if (!options.as_json && !(is_quiet() && is_fine && !is_slow(result))) {
            print_verdicts(line_of(result));  // a signal must not wait for this
        }
        const std::lock_guard lock(mutex);
        results.push_back(std::move(result));
    };
    size_t steps = 0, not_asked = 0;
    for (const Operator *op : chosen) {
        for (const Variant &variant : op->variants()) {
            (asked.has(variant) ? steps : not_asked)++;
        }
    }
    Progress progress("verify", steps);
    std::optional<SaveOnInterrupt> interrupts(std::in_place, [&] {
        const std::lock_guard lock(mutex);
        print_remark(fmt::format("tilewright: verify: a signal ended it after {} results were compared; of "
                                 "variants that had all their samples: {}\n",
            Verification::comparisons(), Sum(results, not_asked).text()));
    });
    for (const Operator *op : chosen) {
        for (const std::string &type : type_names(*op)) {
            verify_type(*op, type, options, asked, progress, report);
        }
    }
    interrupts.reset();
    Progress::hide();

    const Sum sum(results, not_asked);
    if (options.as_json) {
        Json variants = Json::array();
        for (const Result &result : results) {
            variants.push_back(json(result));
        }
        print({{"version", json_version},
            {"context", context(by_name ? asked.places : std::vector<Device>())}, {"summary", sum.text()},
            {"count", sum.json()}, {"not_asked", not_asked}, {"variants", variants}});
    }
    sum.check(options.devices);
    print_remark(fmt::format("tilewright: verify: {}\n", sum.text()));
}

void add_samples(Command &command, VerifyOptions &options) {
    command
        .add("--largest", options.largest,
            "The largest samples, in bytes of their inputs. A variant that serves none of them runs the "
            "smallest that it serves. A small number is for tools under which kernels take long, such as "
            "compute-sanitizer")
        .value_name("BYTES")
        .show_default()
        .range(int64_t{1}, int64_t{1'000'000'000'000});
    command
        .add("--random", options.random,
            "How many samples of random sizes each type has besides, with the settings of the others; the "
            "same ones each time, and others for another --side")
        .value_name("COUNT")
        .show_default()
        .range(int64_t{0}, int64_t{1'000'000});
    command.add("--side", options.side, "The longest side of the samples of --random")
        .value_name("PIXELS")
        .show_default()
        .range(int64_t{1}, int64_t{1'000'000});
    command
        .add("--seconds", options.seconds,
            "How long the samples of --random of each type take at most: all its variants have as many until "
            "then (default: no limit)")
        .range(int64_t{1}, int64_t{1'000'000});
}

}  // namespace

void add_verify(CommandLine &line) {
    Command command =
        line.add("verify", "Runs every schedule on this machine and compares it with the definition");
    static VerifyOptions options;
    command.add("operator", options.operators, "Operators (default: all)");
    add_generator(command, options.generator);
    options.devices = devices_of_environment();
    command
        .add("--device", options.devices,
            "auto, cpu, cuda[:i] or opencl[:i], several with commas, or all (default: TILEWRIGHT_DEVICE, or "
            "else all that can be used)")
        .offer({"auto", "cpu", "cuda", "opencl", "all"});
    add_variants(command, options.variants);
    command
        .add("--repeat", options.repeat,
            "How often each variant runs the largest of its samples, which must give the same bytes each "
            "time")
        .show_default()
        .range(1, 100000);
    add_samples(command, options);
    command.add_flag("--json", options.as_json, "Print JSON");
    command.footer(
        fmt::format("One line per variant and device: ok, WRONG, FAILED, UNTRIED (no sample is of its "
                    "sizes), or 'not run' with the reason. Variants "
                    "that were not asked for are counted. With --quiet only what is not ok has a line.\n"
                    "'Off by' is the largest difference that the bound of the operator allowed, "
                    "divided by the largest number of that result.\n"
                    "'SLOWER' is a variant of `tuned` that takes more than {1} times as long as `reference` "
                    "on the sample that both repeat.\n"
                    "A signal that ends it (Ctrl-C) prints how many results were compared until then.\n"
                    "Exit code 6 if a result is wrong, 1 if a variant failed or is untried. Threads "
                    "that race may still agree by chance: raise --repeat.\n"
                    "Examples:\n"
                    "  tilewright verify\n"
                    "  tilewright verify {0} --device cpu\n"
                    "  tilewright verify --schedule tuned,reference --type u8 --json > verified.json\n",
            operators().front()->name(), slower_than_reference));
    command.run([] { verify(options); });
}

}  // namespace tilewright::app
