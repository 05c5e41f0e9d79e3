// cuda_peers: times and verifies the published kernels and functions of the CUDA toolkit's libraries on one
// CUDA device, and says what it timed as `tilewright bench` says it. `bench --peers` starts it.
#include "apps/laboratory/cuda_peers/peers.h"
#include "apps/laboratory/published_kernels/device.h"
#include "apps/laboratory/published_kernels/measure.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace peers {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::vector<std::string> asked;
    std::string size, data, json;
    int device = 0;
    bool list = false, published = false;
    published::Plan plan;
};

const std::string of_published = "published kernel, ";

std::vector<Kernel> all_peers(std::vector<std::string> &missing, bool only_published) {
    std::vector<Kernel> all;
    for (Kernel &kernel : published::kernels()) {
        kernel.step = of_published + kernel.step;
        all.push_back(std::move(kernel));
    }
    if (!only_published) {
        for (const auto &some :
            {cublas_peers(missing), cufft_peers(missing), npp_peers(missing), cub_peers()}) {
            all.insert(all.end(), some.begin(), some.end());
        }
    }
    return all;
}

// Whether `asked` is the operator, the operator and the step, or both and the type.
bool is_asked(const Kernel &kernel, const std::string &asked) {
    const std::string step =
        kernel.step.starts_with(of_published) ? kernel.step.substr(of_published.size()) : kernel.step;
    return asked == kernel.op || asked == kernel.op + "/" + step ||
           asked == kernel.op + "/" + step + "/" + kernel.type;
}

std::vector<Kernel> chosen_peers(const Options &options, std::vector<std::string> &missing) {
    const std::vector<Kernel> all = all_peers(missing, options.published);
    std::vector<Kernel> chosen;
    for (const std::string &name : options.asked) {
        const auto is_it = [&](const Kernel &kernel) { return is_asked(kernel, name); };
        // An operator has no peers for its own reasons; a step is misspelt.
        if (name.find('/') != std::string::npos && std::none_of(all.begin(), all.end(), is_it)) {
            throw Failure(Fault::usage, name + ": no such kernel; --list names them");
        }
    }
    for (const Kernel &kernel : all) {
        const auto asks_for_it = [&](const std::string &name) { return is_asked(kernel, name); };
        if (options.asked.empty() || std::any_of(options.asked.begin(), options.asked.end(), asks_for_it)) {
            chosen.push_back(kernel);
        }
    }
    return chosen;
}

// "640x480". Throws Failure where a side is not from 1 to 1048576.
Size size_of(const std::string &text) {
    constexpr long most = 1 << 20;
    Size size;
    const char *const end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
        const auto height = std::from_chars(width.ptr + 1, end, size.height);
        if (height.ec == std::errc() && height.ptr == end && size.width >= 1 && size.width <= most &&
            size.height >= 1 && size.height <= most) {
            return size;
        }
    }
    throw Failure(Fault::usage,
        "--size " + text + ": takes WIDTHxHEIGHT from 1x1 to 1048576x1048576, for example 8192x8192");
}

// The time now, in UTC: "2026-11-22T12:34:56Z".
std::string date() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    char text[32];
    return {text, std::strftime(text, sizeof text, "%FT%TZ", gmtime_r(&now, &utc))};
}

Json run_of(const Options &options, const Kernel &kernel, Size size) {
    Json run = {{"peer", kernel.step}, {"operator", kernel.op}, {"type", kernel.type}, {"backend", "cuda"},
        {"device", "cuda:" + std::to_string(options.device)}, {"data", kernel.data(size)},
        {"width", size.width}, {"height", size.height}};
    try {
        const std::unique_ptr<published::Problem> problem = kernel.prepare(size);
        const published::Times times = published::measure(*problem, options.plan);
        const std::string wrong = problem->difference(times.calls);
        run["real_time"] = times.median;
        run["time_unit"] = "ms";
        run["iterations"] = times.batch;
        run["repetitions"] = times.repeats;
        run["batch"] = {{"median", times.median}, {"p10", times.p10}, {"p90", times.p90}};
        run["verified"] = wrong.empty();
        run["verified_by"] = "a plain loop of cuda_peers";
        run["wrong"] = wrong;
    } catch (const Failure &failure) {
        run["failed"] = failure.what();
    }
    return run;
}

void print_line(const Json &run) {
    const auto text = [&](const char *name) { return run.value(name, ""); };
    const Json batch = run.value("batch", Json());
    const auto time = [&](const char *name) { return batch.is_object() ? batch[name].get<double>() : 0.; };
    const std::string ended = !text("failed").empty() ? "FAILED: " + text("failed") :
                              !text("wrong").empty()  ? "WRONG: " + text("wrong") :
                                                        "yes";
    std::printf("%-20s %-6s %-32s %-38s %10.4f %10.4f %10.4f  %s\n", text("operator").c_str(),
        text("type").c_str(), text("peer").c_str(), text("data").c_str(), time("median"), time("p10"),
        time("p90"), ended.c_str());
    std::fflush(stdout);
}

void list(const std::vector<Kernel> &chosen) {
    for (const Kernel &kernel : chosen) {
        std::printf("%-22s %-8s %-36s %s\n", kernel.op.c_str(), kernel.type.c_str(), kernel.step.c_str(),
            kernel.takes.c_str());
    }
}

std::string text_of(const Json &all) {
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The JSON with the runs that there are, in place of an older one: a file is whole at any time. What is no
// file, as a pipe or /dev/null, is written to. Throws Failure where it cannot be written.
void write(const Json &all, const std::string &path) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(path, error);
    const bool is_replaced = !exists(status) || is_regular_file(status);
    const std::string made = is_replaced ? path + ".part" : path;
    std::ofstream file(made);
    file << text_of(all);
    file.close();
    bool is_written = !file.fail();
    if (is_replaced) {
        is_written = is_written && std::rename(made.c_str(), path.c_str()) == 0;
        std::filesystem::remove(made, error);
    }
    if (!is_written) {
        throw Failure(Fault::failed, "--json " + path + ": cannot be written");
    }
}

// Adds the runs to the JSON, and keeps it in the file.
void time_all(const Options &options, const std::vector<Kernel> &chosen, Json &all) {
    for (const Kernel &kernel : chosen) {
        const auto sizes = options.size.empty() ? kernel.sizes : std::vector<Size>{size_of(options.size)};
        for (const Size size : sizes) {
            if (!kernel.serves(size)) {
                std::fprintf(stderr, "cuda_peers: %s/%s/%s: not timed at %s: it takes %s\n",
                    kernel.op.c_str(), kernel.step.c_str(), kernel.type.c_str(), text_of(size).c_str(),
                    kernel.takes.c_str());
            } else if (options.data.empty() || options.data == kernel.data(size)) {
                all["runs"].push_back(run_of(options, kernel, size));
                if (options.json != "-") {
                    print_line(all["runs"].back());
                }
                if (!options.json.empty() && options.json != "-") {
                    write(all, options.json);
                }
            }
        }
    }
}

void run(const Options &options) {
    std::vector<std::string> missing;
    const std::vector<Kernel> chosen = chosen_peers(options, missing);
    if (!options.size.empty()) {
        size_of(options.size);
    }
    if (options.list) {
        list(chosen);
        return;
    }
    const published::DeviceNames device = published::use_device(options.device);
    Json all = {{"version", 2}, {"program", "cuda_peers"},
        {"context", {{"date", date()}, {"commit", PEERS_COMMIT}, {"toolkit", device.toolkit},
                        {"device_name", device.name}, {"driver", device.driver}}},
        {"missing", missing}, {"complete", false}, {"runs", Json::array()}};
    if (options.json != "-") {
        std::printf(
            "# %s, %s; toolkit %s; tilewright %s\n"
            "# ms: a call in a batch of %d back to back, median of %d with p10 and p90; fewer of each "
            "where that would take more than %g s\n",
            device.name.c_str(), device.driver.c_str(), device.toolkit.c_str(), PEERS_COMMIT,
            options.plan.batch, options.plan.repeats, options.plan.limit_s);
    }
    time_all(options, chosen, all);
    all["complete"] = true;
    if (options.json == "-") {
        std::fputs(text_of(all).c_str(), stdout);
    } else if (!options.json.empty()) {
        write(all, options.json);
    }
    const Json &runs = all["runs"];
    const auto wrong = std::count_if(
        runs.begin(), runs.end(), [](const Json &run) { return !run.value("wrong", "").empty(); });
    if (wrong > 0) {
        throw Failure(Fault::mismatch,
            std::to_string(wrong) + " of " + std::to_string(runs.size()) + " runs gave a wrong result");
    }
    if (runs.empty() && options.data.empty()) {
        throw Failure(Fault::input, "none of the chosen kernels takes this size; --list says what they take");
    }
}

void add_options(CLI::App &line, Options &options) {
    line.add_option("kernel", options.asked,
        "OPERATOR, OPERATOR/STEP or OPERATOR/STEP/TYPE; several may be given (default: all)");
    line.add_flag("--published", options.published, "Only the published kernels");
    line.add_option("--size", options.size, "WIDTHxHEIGHT; of vectors Nx1 (default: each peer's own sizes)");
    line.add_option("--data", options.data, "Only what has exactly this data: \"u8 8192x8192\"");
    line.add_option("--device", options.device, "The number of the CUDA device")->capture_default_str();
    line.add_option("--batch", options.plan.batch, "Back-to-back calls per measurement")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    line.add_option("--repeats", options.plan.repeats, "Measurements")
        ->capture_default_str()
        ->check(CLI::Range(3, 1000000));
    line.add_option("--limit", options.plan.limit_s, "Seconds that the timing of a peer may take, about")
        ->capture_default_str()
        ->check(CLI::Range(.001, 1e6));
    line.add_option("--json", options.json,
        "Write JSON to this file, after each run anew (- is standard output, instead of the table)");
    line.add_flag("--list", options.list, "Only list the peers and the sizes that they take");
    line.footer("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no kernel takes the size, 4 no CUDA device,\n"
                "5 out of memory, 6 wrong result.");
}

int program(int argc, char **argv) {
    Options options;
    CLI::App line(
        "Times the published kernels, and functions of cuBLAS, cuFFT, NPP and CUB, on a CUDA device, "
        "and verifies what the timed calls computed.");
    add_options(line, options);
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : (int)Fault::usage;
    }
    run(options);
    return 0;
}

int failed(Fault fault, const char *message) {
    std::fprintf(stderr, "cuda_peers: error: %s\n", message);
    return (int)fault;
}

}  // namespace

}  // namespace peers

int main(int argc, char **argv) {
    using namespace peers;
    try {
        return program(argc, argv);
    } catch (const Failure &failure) {
        return failed(failure.fault, failure.what());
    } catch (const std::bad_alloc &) {
        return failed(Fault::memory, "out of memory on the host; take a smaller --size");
    } catch (const std::exception &error) {
        return failed(Fault::failed, error.what());
    }
}
