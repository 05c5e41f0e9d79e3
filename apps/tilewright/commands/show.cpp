// `show`: what is in the library of a row: the loop nest, the source of the kernels, and the registers and
// memory that a kernel needs. This program does not contain Halide, so it runs the operator's generator,
// which is another program.
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/support/command_line.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/subprocess.h"
#include "runtime/devices/register_caps.h"
#include "runtime/dispatch/option_text.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace tilewright::app {

namespace {

namespace fs = std::filesystem;

struct Request {
    std::string op, schedule = "tuned", type, target;
    std::vector<std::string> parts;
};

const std::vector<std::string> known_parts = {"loops", "kernels", "resources", "stmt", "assembly"};

std::string place_of(const Row &row) {
    return row.needs_vnni ? "vnni" : name_of(row.backend);
}

// ----------------------------------------------------------------------------------------- the row

// The row of that name, or, where there is none, the first row of that family.
const Row &chosen_row(const Operator &op, const Request &request) {
    check_schedule({&op}, request.schedule);
    std::vector<const Row *> fit;
    std::vector<std::string> elsewhere;
    for (const Row &row : op.rows()) {
        if (!row.belongs_to(request.schedule)) {
            continue;
        }
        const bool here =
            name_of(row.backend) == request.target && (request.type.empty() || row.type == request.type);
        if (here) {
            fit.push_back(&row);
        }
        elsewhere.push_back(row.type + " on " + place_of(row));
    }
    if (fit.empty()) {
        const std::string type = request.type.empty() ? "" : " for " + request.type;
        throw Error(Fault::usage,
            fmt::format(
                "there is no row{} on {}; there are: {}", type, request.target, joined(elsewhere, ", ")),
            {.operation = op.name(), .argument = "schedule", .value = request.schedule});
    }
    const auto exact = std::find_if(
        fit.begin(), fit.end(), [&](const Row *row) { return row->schedule == request.schedule; });
    const Row &row = exact == fit.end() ? *fit.front() : **exact;
    if (!row.declined.empty()) {
        throw Error(Fault::device,
            fmt::format(
                "there is nothing to show: {} does not accept it: {}", row.autoscheduler, row.declined),
            {.operation = row.name()});
    }
    return row;
}

// ----------------------------------------------------------------------------------- the generator

// The path of the row's generator: LIBRARY.generator for a library with schedules of its own, else
// OP.generator.
std::string generator_of(const Row &row) {
    std::vector<fs::path> folders;
    if (const char *named = getenv("TILEWRIGHT_GENERATORS"); named && *named) {
        folders.emplace_back(named);
    }
    std::error_code none;
    const fs::path here = fs::read_symlink("/proc/self/exe", none).parent_path();
    // The first is for a project's build, the second for an installed program and for our own build folder.
    // Only folders that belong to the program are searched: it must not run what somebody else put into
    // another one.
    for (const char *beside : {".", "../libexec/tilewright"}) {
        folders.push_back((here / beside).lexically_normal());
    }
    for (const fs::path &folder : folders) {
        for (const std::string &name : {row.origin, row.op}) {
            const fs::path program = folder / (name + ".generator");
            if (fs::is_regular_file(program, none) && access(program.c_str(), X_OK) == 0) {
                return program.string();
            }
        }
    }
    std::vector<std::string> looked;
    for (const fs::path &folder : folders) {
        looked.push_back(folder.string());
    }
    throw Error(Fault::failed,
        fmt::format("{0}.generator was not found in {1}: install it (`cmake --install BUILD --component "
                    "Generators`), or build it (`cmake --build "
                    "BUILD --target {0}.generator`) and set TILEWRIGHT_GENERATORS to its folder",
            row.op, joined(looked, ", ")),
        {.operation = "show"});
}

std::string generated(const std::string &generator, const Row &row, const std::string &part) {
    std::vector<std::string> tunables;
    for (const Row::Tunable &t : row.tunables) {
        tunables.push_back(fmt::format("{}={}", t.name, t.value));
    }
    std::vector<std::string> arguments = {
        "show", part, "schedule=" + row.schedule, "type=" + row.type, "backend=" + place_of(row)};
    if (!tunables.empty()) {
        arguments.push_back("tunables=" + joined(tunables, ","));
    }
    const Finished ran = run_program(generator, arguments);
    if (ran.code != 0) {
        throw Error(Fault::failed,
            fmt::format("{} show {} failed ({}): {}", generator, part, ran.code,
                one_line(ran.err.empty() ? ran.out : ran.err)),
            {.operation = row.name()});
    }
    return ran.out;
}

// --------------------------------------------------------------------------------------- resources

// What a kernel needs, in the words of the generator.
struct Kernel {
    std::string name, threads, shared;
};

// Reads lines of name, threads and bytes of shared memory, with tabs between them.
std::vector<Kernel> kernels_of(const std::string &text) {
    std::vector<Kernel> kernels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        Kernel kernel;
        if (std::getline(cells, kernel.name, '\t') && std::getline(cells, kernel.threads, '\t') &&
            std::getline(cells, kernel.shared, '\t')) {
            kernels.push_back(kernel);
        }
    }
    return kernels;
}

std::string find_ptxas() {
    std::istringstream path(getenv("PATH") ? getenv("PATH") : "");
    std::vector<std::string> folders;
    for (std::string folder; std::getline(path, folder, ':');) {
        folders.push_back(folder);
    }
    folders.emplace_back("/usr/local/cuda/bin");
    for (const std::string &folder : folders) {
        const std::string program = folder + "/ptxas";
        if (access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return "";
}

struct Assembled {
    std::string registers, stack, stores, loads;
};

// The digits in front of `words`: "32" of "Used 32 registers, 400 bytes cmem[0]". Empty where there are none.
std::string number_before(const std::string &line, const std::string &words) {
    const size_t end = line.find(words);
    if (end == std::string::npos) {
        return "";
    }
    size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') {
        begin--;
    }
    return line.substr(begin, end - begin);
}

// What `ptxas -v` prints about each kernel, by the kernel's name.
std::map<std::string, Assembled> assemble(
    const std::string &ptxas, const std::string &ptx, const std::string &arch) {
    const Finished ran = run_program(ptxas, {"-v", "-arch=" + arch, "-o", "/dev/null", "/dev/stdin"}, ptx);
    const std::string said = ran.err + ran.out;
    if (ran.code != 0) {
        throw Error(Fault::failed, fmt::format("it does not assemble for {}: {}", arch, one_line(said)),
            {.argument = ptxas});
    }
    std::map<std::string, Assembled> kernels;
    std::string name;
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) {
        const std::string entry = "Compiling entry function '";
        if (const size_t at = line.find(entry); at != std::string::npos) {
            name = line.substr(at + entry.size(), line.find('\'', at + entry.size()) - at - entry.size());
        } else if (const std::string stack = number_before(line, " bytes stack frame"); !stack.empty()) {
            kernels[name].stack = stack;
            kernels[name].stores = number_before(line, " bytes spill stores");
            kernels[name].loads = number_before(line, " bytes spill loads");
        } else if (const std::string registers = number_before(line, " registers");
            !registers.empty() && line.find("Used ") != std::string::npos) {
            kernels[name].registers = registers;
        }
    }
    return kernels;
}

std::string cap_of(const Row &row, const std::string &kernel) {
    for (const Row::RegisterCap &cap : row.register_caps) {
        if (kernel.find(cap.kernel) != std::string::npos) {
            return std::to_string(cap.most);
        }
    }
    return "none";
}

std::string resources(const std::string &generator, const Row &row) {
    const std::vector<Kernel> kernels = kernels_of(generated(generator, row, "resources"));
    const std::string ptxas = row.backend == Backend::cuda ? find_ptxas() : "";
    if (ptxas.empty()) {
        std::vector<std::vector<std::string>> lines = {{"kernel", "threads", "shared bytes"}};
        for (const Kernel &k : kernels) {
            lines.push_back({k.name, k.threads, k.shared});
        }
        return table(lines) + (row.backend == Backend::cuda ? "Registers and spills: ptxas says them; it "
                                                              "comes with the CUDA toolkit and is neither on "
                                                              "PATH nor in /usr/local/cuda/bin.\n" :
                                                              "");
    }
    const std::string ptx =
        driver::with_register_caps(generated(generator, row, "kernels"), row.register_caps);
    std::vector<std::vector<std::string>> lines = {{"kernel", "for", "registers", "cap", "stack bytes",
        "spill stores", "spill loads", "threads", "shared bytes"}};
    for (const char *arch : {"sm_80", "sm_90"}) {
        std::map<std::string, Assembled> assembled = assemble(ptxas, ptx, arch);
        for (const Kernel &k : kernels) {
            const Assembled &a = assembled[k.name];
            lines.push_back({k.name, arch, a.registers, cap_of(row, k.name), a.stack, a.stores, a.loads,
                k.threads, k.shared});
        }
    }
    return table(lines);
}

// ------------------------------------------------------------------------------------- the command

std::vector<std::string> parts_of(const Request &request, const Row &row) {
    std::vector<std::string> parts = request.parts;
    if (parts.empty()) {
        return row.backend == Backend::cpu ? std::vector<std::string>{"loops"} :
                                             std::vector<std::string>{"loops", "kernels", "resources"};
    }
    for (const std::string &part : parts) {
        if (std::find(known_parts.begin(), known_parts.end(), part) == known_parts.end()) {
            throw Error(Fault::usage,
                fmt::format("takes {}, with commas between them{}", joined(known_parts, ", "),
                    did_you_mean(part, known_parts)),
                {.argument = "--source", .value = part});
        }
        if (row.backend == Backend::cpu && (part == "kernels" || part == "resources")) {
            throw Error(Fault::usage, "a row of the CPU has no kernels; take loops, stmt or assembly",
                {.argument = "--source", .value = part});
        }
    }
    return parts;
}

// The libraries that a call of the row runs on the first sample that it serves, where they are others than
// its own.
std::string libraries_of_a_call(const Operator &op, const Row &row) {
    if (!row.autoscheduler.empty()) {
        return "";  // it is always one library, which would be asked what it takes, on a device that may not
                    // be here
    }
    for (const Sample &sample : workload_of(op).samples(row.type)) {
        const auto request = op.parse(sample.inputs, sample.settings);
        Array output(request->output_type, request->output_shape);
        if (op.serves(row, *request, output)) {
            return other_libraries(row, op.planned(row, {row.backend, 0}, *request, output));
        }
    }
    return "";
}

void show(Request request) {
    const Operator &op = find_operator(request.op);
    const std::vector<std::string> targets = {"cpu", "cuda", "opencl"};
    if (request.target.empty()) {
        request.target = name_of(best_device().backend);
    } else if (std::find(targets.begin(), targets.end(), request.target) == targets.end()) {
        throw Error(Fault::usage,
            fmt::format("takes cpu, cuda or opencl{}", did_you_mean(request.target, targets)),
            {.argument = "--target", .value = request.target});
    }
    const Row &row = chosen_row(op, request);
    const std::vector<std::string> parts = parts_of(request, row);
    const std::string generator = generator_of(row);
    const std::map<std::string, std::string> headings = {{"loops", "loop nest"},
        {"kernels", row.backend == Backend::cuda ? "PTX" : "OpenCL C"}, {"resources", "kernels"},
        {"stmt", "Halide's statements"}, {"assembly", "assembly"}};
    std::string text = row.name() + "\n";
    if (const std::string others = libraries_of_a_call(op, row); !others.empty()) {
        text += "A call of this row runs " + others + ".\n";
    }
    for (const std::string &part : parts) {
        text += fmt::format("\n==== {}\n", headings.at(part));
        text += part == "resources" ? resources(generator, row) : generated(generator, row, part);
    }
    print(text);
}

}  // namespace

void add_show(CommandLine &line) {
    Command command = line.add(
        "show", "Shows what is in a row's library: loop nest, kernel source, registers and shared memory");
    const auto request = std::make_shared<Request>();
    command.add("operator", request->op, "The operator").required();
    command.add("--schedule", request->schedule, "A schedule of it").show_default();
    command.add("--type", request->type, "A type of the table; the first one without it");
    command.add("--target", request->target, "cpu, cuda or opencl; that of the best device without it");
    command
        .add("--source", request->parts,
            "What to show: loops (Halide's loop nest), kernels (PTX or OpenCL C), resources (threads, shared "
            "memory and, by ptxas, registers and "
            "spills), stmt (Halide's statements), assembly (of the CPU, the widest instruction set). Without "
            "it loops, and on GPUs kernels and "
            "resources")
        .commas()
        .value_name("PART,...");
    const std::string first = operators().front()->name();
    command.footer(
        fmt::format("It asks the operator's generator program, which is looked for beside the program, in "
                    "../libexec/tilewright and in "
                    "TILEWRIGHT_GENERATORS.\n"
                    "Examples:\n"
                    "  tilewright show {0} --target cuda\n"
                    "  tilewright show {0} --schedule reference --target cpu --source loops,assembly\n"
                    "  tilewright show {0} --target cuda --source resources\n",
            first));
    command.run([request] { show(*request); });
}

}  // namespace tilewright::app
