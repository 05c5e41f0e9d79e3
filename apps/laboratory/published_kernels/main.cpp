// The command line of published_kernels: times and verifies the published kernels on one CUDA device.
#include "apps/laboratory/published_kernels/command_line.h"
#include "apps/laboratory/published_kernels/device.h"
#include "apps/laboratory/published_kernels/report.h"
#include <algorithm>
#include <cstdio>

namespace published {

namespace {

struct Options {
    std::vector<std::string> kernels;
    std::string json, size;
    int device = 0;
    bool list = false;
    Plan plan;
};

// Whether `asked` is the operator, the operator and the step, or the whole name.
bool is_asked(const Kernel &kernel, const std::string &asked) {
    return asked == kernel.op || asked == kernel.op + "/" + kernel.step || asked == kernel.name();
}

std::vector<Kernel> chosen_kernels(const std::vector<std::string> &asked) {
    std::vector<Kernel> all = kernels(), chosen;
    for (const std::string &name : asked) {
        const auto is_it = [&](const Kernel &kernel) { return is_asked(kernel, name); };
        if (std::none_of(all.begin(), all.end(), is_it)) {
            throw Failure(Fault::usage, "--kernel " + name + ": no such kernel; --list names them");
        }
    }
    for (Kernel &kernel : all) {
        const auto asks_for_it = [&](const std::string &name) { return is_asked(kernel, name); };
        if (asked.empty() || std::any_of(asked.begin(), asked.end(), asks_for_it)) {
            chosen.push_back(std::move(kernel));
        }
    }
    return chosen;
}

void run(const Options &options) {
    const std::vector<Kernel> chosen = chosen_kernels(options.kernels);
    const std::vector<Size> asked =
        options.size.empty() ? std::vector<Size>{} : std::vector<Size>{size_of(options.size)};
    if (options.list) {
        for (const Kernel &kernel : chosen) {
            std::printf("%-34s %s\n", kernel.name().c_str(), kernel.takes.c_str());
        }
        return;
    }
    Report report(options.json, use_device(options.device), options.plan);
    size_t runs = 0;
    for (const Kernel &kernel : chosen) {
        for (const Size size : asked.empty() ? kernel.sizes : asked) {
            if (!kernel.serves(size)) {
                std::fprintf(stderr, "published_kernels: %s: not timed at %s: it takes %s\n",
                    kernel.name().c_str(), text_of(size).c_str(), kernel.takes.c_str());
                continue;
            }
            const std::unique_ptr<Problem> problem = kernel.prepare(size);
            const Times times = measure(*problem, options.plan);
            report.add(kernel, size, times, problem->difference(times.calls));
            runs++;
        }
    }
    if (runs == 0) {
        throw Failure(Fault::input, "none of the chosen kernels takes this size; --list says what they take");
    }
    report.end();
}

int program(int argc, char **argv) {
    Options options;
    CLI::App line(
        "Times the published kernels, compiled by nvcc, and verifies what the timed calls computed.");
    line.add_option("--kernel", options.kernels,
        "OPERATOR, OPERATOR/STEP or OPERATOR/STEP/TYPE; several may be given (default: all)");
    line.add_option(
        "--size", options.size, "WIDTHxHEIGHT; of vectors Nx1 (default: each kernel's own sizes)");
    add_timing(line, options.device, options.plan, "a kernel");
    line.add_option("--json", options.json, "Write JSON to this file");
    line.add_flag("--list", options.list, "Only list the kernels and the sizes that they take");
    line.footer("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no kernel takes the size, 4 no CUDA device,\n"
                "5 out of memory, 6 wrong result.");
    return parse_and_run(line, argc, argv, [&] { run(options); });
}

}  // namespace

}  // namespace published

int main(int argc, char **argv) {
    return published::run_program("published_kernels", published::program, argc, argv);
}
