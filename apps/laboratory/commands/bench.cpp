// `bench`: which variants it times, on which data, and its command line.
#include "apps/laboratory/benchmark/benchmark.h"
#include "apps/laboratory/benchmark/benchmark_cases.h"
#include "apps/laboratory/benchmark/benchmark_report.h"
#include "apps/laboratory/commands/laboratory.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/foreign/foreign_options.h"
#include "apps/tilewright/pictures/input_and_output.h"
#include "apps/tilewright/processes/interrupt.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "apps/tilewright/timing/energy.h"
#include "apps/tilewright/timing/threads.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct BenchOptions {
    std::vector<std::string> operators;
    std::string devices;
    CaseOptions cases;
    ForeignWords generator;
    ReportFiles files;
    bool peers = false, in_turns = false, only_chosen = false;
    int processes = 1;
    Plan plan;
};

Run run_of(Benchmark &benchmark, const Variant &variant) {
    try {
        return benchmark.variant(variant);
    } catch (const Error &error) {
        return benchmark.failed(variant, error.what());
    }
}

void time_variants(Benchmark &benchmark, const std::vector<const Variant *> &variants, Progress &progress,
    BenchmarkReport &report) {
    for (const Variant *variant : variants) {
        progress.step(variant->name());
        report.add(run_of(benchmark, *variant));
    }
}

void time_in_turns(Benchmark &benchmark, const std::vector<const Variant *> &variants, Progress &progress,
    BenchmarkReport &report) {
    const auto begin = [&](const Variant &variant) { progress.step(variant.name()); };
    for (const Run &run : benchmark.variants_in_turns(variants, begin)) {
        report.add(run);
    }
}

// The variants that serve the data, those with other tunables built. Variants that cannot be built are runs
// that failed.
std::vector<const Variant *> variants_of(const Case &one, const BenchOptions &options, Benchmark &benchmark,
    Progress &progress, BenchmarkReport &report) {
    std::vector<const Variant *> variants;
    for (const AskedVariant &asked : one.variants) {
        const Variant named = asked.named();
        if (options.only_chosen && !benchmark.is_chosen(*asked.variant)) {
            progress.step(named.name());
            continue;
        }
        if (!benchmark.serves(named)) {
            progress.step(named.name());
            report.leave_out(1);
            continue;
        }
        try {
            variants.push_back(
                asked.point.empty() ? asked.variant : &variant_at(*asked.variant, asked.point));
        } catch (const Error &error) {
            progress.step(named.name());
            report.add(benchmark.failed(named, error.what()));
        }
    }
    return variants;
}

void time_case(const Case &one, const BenchOptions &options, Progress &progress, BenchmarkReport &report) {
    for (const std::string &conversion : one.conversions) {
        report.remark(fmt::format("{}: {}", one.data.own->what, conversion));
    }
    Plan plan = options.plan;
    plan.as_called = !options.in_turns && options.cases.tunables.empty();
    Benchmark benchmark(*one.op, one.data, one.device, plan);
    const std::vector<const Variant *> variants = variants_of(one, options, benchmark, progress, report);
    (options.in_turns ? time_in_turns : time_variants)(benchmark, variants, progress, report);
    if (options.peers) {
        const std::vector<Peer> peers = benchmark.peers();
        for (const Peer &peer : peers) {
            report.add(benchmark.peer(peer));
        }
        if (peers.empty() && one.device.backend == Backend::opencl) {
            report.remark(
                fmt::format("no peer computes {} on {}; add --device cpu", one.op->name(), one.device.str()));
        }
    }
}

void print_missing_peers(const std::vector<Device> &devices) {
    const auto has = [&](Backend backend) {
        return std::any_of(
            devices.begin(), devices.end(), [&](const Device &device) { return device.backend == backend; });
    };
    for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        for (const std::string &missing :
            has(backend) ? missing_peers(backend) : std::vector<std::string>()) {
            print_remark(fmt::format("tilewright: bench: no peer {}\n", missing));
        }
    }
}

// The words that this process was started with, without the options that are its own: a process that gets
// them, and writes JSON, times the same. The first word is the program, which in a Python package is Python.
std::vector<std::string> words_of_a_process() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) {
        const size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (name != "--processes" && name != "--json" && name != "--results" && name != "--report") {
            words.push_back(word);
        } else if (equals == std::string::npos) {
            std::getline(file, word, '\0');  // its value
        }
    }
    words.insert(words.end(), {"--json", "-"});
    return words;
}

// What an own process reported. Errors: those of the process, where it gave no report.
Json report_of_a_process(const std::vector<std::string> &words) {
    const Finished done =
        run_program(std::filesystem::read_symlink("/proc/self/exe"), {words.begin() + 1, words.end()});
    Json report = json_in(done.out, "the times of a process");
    if (report.is_discarded()) {
        const std::string said = done.err.substr(0, done.err.find_last_not_of('\n') + 1);
        const std::string last = said.substr(said.rfind('\n') + 1);
        const std::string_view prefix = "tilewright: error: ";
        throw Error(done.code >= 1 && done.code <= 6 ? Fault(done.code) : Fault::failed,
            last.starts_with(prefix) ? last.substr(prefix.size()) :
                                       fmt::format("a process ended with code {}: {}", done.code, last));
    }
    return report;
}

// Each process loads its libraries, places its memory and starts its threads anew.
void bench_in_processes(const BenchOptions &options) {
    const std::vector<std::string> words = words_of_a_process();
    BenchmarkReport report(options.files, {});
    const SaveOnInterrupt interrupts([&] { report.save(); });
    Progress progress("bench", (size_t)options.processes);
    for (int process = 1; process <= options.processes; process++) {
        progress.step(fmt::format("process {} of {}", process, options.processes));
        report.add(report_of_a_process(words), process);
    }
    Progress::hide();
    report.end();
}

void bench(const BenchOptions &options) {
    check_written(options.cases.data.files,
        {{"--json", options.files.json}, {"--results", options.files.results},
            {"--report", options.files.report}},
        "bench");
    if (options.processes > 1) {
        bench_in_processes(options);
        return;
    }
    const auto chosen = chosen_operators(options.operators, options.generator);
    const std::vector<Case> cases = cases_of(chosen, options.cases, named_devices(options.devices));
    const std::vector<Device> devices = devices_of(cases);
    size_t steps = 0;
    for (const Case &one : cases) {
        steps += one.variants.size();
    }
    if (options.plan.energy && !std::any_of(devices.begin(), devices.end(), energy_mj)) {
        throw Error(Fault::device,
            "no device that is timed says what energy it uses: NVML "
            "(libnvidia-ml.so.1, a part of NVIDIA's driver) does for NVIDIA's GPUs",
            {.argument = "--energy"});
    }
    BenchmarkReport report(options.files, devices);
    const SaveOnInterrupt interrupts([&] { report.save(); });  // before the table says that it has begun
    report.begin(pin_threads(), options.plan);
    if (options.peers) {
        print_missing_peers(devices);
    }
    Progress progress("bench", steps);
    try {
        for (const Case &one : cases) {
            time_case(one, options, progress, report);
        }
    } catch (...) {
        Progress::hide();
        if (report.has_runs()) {
            report.save();
        }
        throw;
    }
    Progress::hide();
    report.end();
}

void add_plan_options(Command &command, Plan &plan) {
    command.add("--batch", plan.batch, "Back-to-back calls per measurement").show_default().range(1, 100000);
    command.add("--repeats", plan.repeats, "Measurements").show_default().range(3, 1000000);
    command.add("--limit", plan.limit_s, "About how many seconds a variant may take")
        .show_default()
        .seconds(.001, 1e6);
}

}  // namespace

void add_bench(CommandLine &line) {
    Command command = line.add("bench", "Times the schedules, and verifies what the timed calls computed");
    static BenchOptions options;
    command.add("operator", options.operators, "Operators (default: all)");
    add_generator(command, options.generator);
    add_devices_and_threads(command, options.devices);
    add_variants(command, options.cases.variants);
    command.add_flag("--chosen", options.only_chosen, "Only the variant that `tuned` takes for the data");
    add_plan_options(command, options.plan);
    command
        .add("--processes", options.processes,
            "Time all of it in so many processes, one after another: the runs that `compare` tests")
        .show_default()
        .range(1, 1000);
    command.add_flag("--interleave", options.in_turns,
        "Time the variants in turns, so that a machine whose speed drifts slows all of them");
    command.add_flag("--energy", options.plan.energy,
        "Measure the energy of a call too (GPUs with NVML): a column of --wide and of the JSON");
    command.add_flag(
        "--peers", options.peers, "Also time plain loops and the other libraries that are installed");
    command
        .add("--report", options.files.report,
            "Write a page with plots and tables of the runs (`tilewright report` makes it of files)")
        .value_name("FILE.html");
    command.add("--json", options.files.json,
        "Write JSON to this file (- is standard output, instead of the table), also when interrupted");
    command
        .add(
            "--results", options.files.results, "Append each run to this file as it comes, one JSON per line")
        .value_name("FILE");
    command.add_flag("--wide", options.files.wide, "A table of more than 100 columns, with all numbers");
    add_case_data(command, options.cases);
    add_tunables(command, options.cases.tunables);
    const std::string first = operators().front()->name();
    command.footer(fmt::format(
        "Times on a CPU are of data in its cache where the inputs take at most 2.5 MB, and else of\n"
        "data from memory; times on a GPU are of data that no cache holds.\n"
        "docs/JSON.md describes the fields of the JSON.\n"
        "Examples:\n"
        "  tilewright bench --json times.json\n"
        "  tilewright bench {0} --device cpu --size 4096x4096 --peers\n"
        "  tilewright bench {0} --schedule tuned --processes 7 --json before.json\n"
        "  tilewright bench {0} --schedule tuned,reference --size 512x512,8192x8192\n"
        "  tilewright bench transpose --device cpu --schedule tuned_strips "
        "--tunable height=16,32\n"
        "  tilewright bench {0} --device all --interleave --results times.jsonl\n",
        first));
    command.run([] { bench(options); });
}

}  // namespace tilewright::app
