// `show`: what is in the library of a variant: the loop nest, the source of the kernels, and the registers
// and memory that a kernel needs. This program does not contain Halide, so it runs the operator's generator,
// which is another program.
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/explanation/warp_accesses.h"
#include "apps/tilewright/foreign/foreign_options.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/terminal/printing.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/tensor_text.h"
#include "runtime/dispatch/choice/kernel_needs.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <sstream>

namespace tilewright::app {

namespace {

struct ShowOptions {
    std::string op, schedule = "tuned", target;
    std::vector<std::string> parts, tunables;
    DataOptions data;
    ForeignWords generator;
};

const std::vector<std::string> known_parts = {
    "loops", "kernels", "resources", "accesses", "stmt", "assembly"};

bool is_of_kernels(const std::string &part) {
    return part == "kernels" || part == "resources" || part == "accesses";
}

// ----------------------------------------------------------------------------------------- the variant

// A variant, and the data that it was chosen for, where it was.
struct Shown {
    const Variant *variant;
    std::optional<CallData> data;
};

// The backend of the best device that has such a variant; where none can run one, that of the first such
// variant.
std::string best_target(const Operator &op, const ShowOptions &options) {
    std::vector<const Variant *> variants;
    for (const Variant &variant : op.variants()) {
        if (variant.belongs_to(options.schedule) &&
            (options.data.type.empty() || variant.type == options.data.type)) {
            variants.push_back(&variant);
        }
    }
    const std::optional<Device> best = best_device_for(variants);
    return name_of(best ? best->backend : variants.empty() ? Backend::cpu : variants.front()->backend);
}

// The variants that the words name. Errors: usage, when there are none.
std::vector<const Variant *> named_variants(const Operator &op, const ShowOptions &options) {
    check_schedule({&op}, options.schedule);
    check_type({&op}, options.data.type);
    std::vector<const Variant *> fit;
    std::vector<std::string> elsewhere;
    const std::string &type = options.data.type;
    for (const Variant &variant : op.variants()) {
        if (!variant.belongs_to(options.schedule)) {
            continue;
        }
        if (name_of(variant.backend) == options.target && (type.empty() || variant.type == type)) {
            fit.push_back(&variant);
        }
        add_once(elsewhere, variant.type + " on " + (variant.needs_vnni ? "vnni" : name_of(variant.backend)));
    }
    if (fit.empty()) {
        throw Error(Fault::usage,
            fmt::format("there is no variant{} on {}; there are: {}", type.empty() ? "" : " for " + type,
                options.target, joined(elsewhere, ", ")),
            {.operation = op.name(), .argument = "schedule", .value = options.schedule});
    }
    return fit;
}

// The variant that the words name; where they name several, or files, the one that a call would run.
Shown chosen_variant(const Operator &op, const ShowOptions &options) {
    const std::vector<const Variant *> fit = named_variants(op, options);
    DataOptions data = options.data;
    if (data.type.empty() && data.files.empty()) {
        data.type = fit.front()->type;
    }
    const auto others = std::count_if(
        fit.begin(), fit.end(), [&](const Variant *variant) { return variant->type == data.type; });
    Shown shown{fit.front(), {}};
    const bool of_a_call = std::count(options.parts.begin(), options.parts.end(), "accesses") > 0;
    if (!data.files.empty() || others > 1 || of_a_call) {
        shown.data = call_data(op, data);
        const Array output(shown.data->request->output_type, shown.data->request->output_shape);
        shown.variant = &op.choose(*shown.data->request, output, options.schedule, {fit.front()->backend, 0});
    }
    return shown;
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
        if (const std::vector<std::string> cells = parted(line, '\t'); cells.size() >= 3) {
            kernels.push_back({cells[0], cells[1], cells[2]});
        }
    }
    return kernels;
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

std::string cap_of(const Variant &variant, const std::string &kernel) {
    for (const Variant::RegisterCap &cap : variant.register_caps) {
        if (kernel.find(cap.kernel) != std::string::npos) {
            return std::to_string(cap.most);
        }
    }
    return "none";
}

std::string resources(const std::string &generator, const Variant &variant) {
    const std::vector<Kernel> kernels = kernels_of(generated(generator, variant, "resources"));
    const std::string ptxas =
        variant.backend == Backend::cuda ? program_in_path("ptxas", "/usr/local/cuda/bin") : "";
    if (ptxas.empty()) {
        std::vector<std::vector<std::string>> lines = {{"kernel", "threads", "shared bytes"}};
        for (const Kernel &k : kernels) {
            lines.push_back({k.name, k.threads, k.shared});
        }
        return table(lines) + (variant.backend == Backend::cuda ?
                                      "Registers and spills: ptxas says them; it "
                                      "comes with the CUDA toolkit and is neither on "
                                      "PATH nor in /usr/local/cuda/bin.\n" :
                                      "");
    }
    const std::string ptx =
        with_register_caps(generated(generator, variant, "kernels"), variant.register_caps);
    std::vector<std::vector<std::string>> lines = {{"kernel", "for", "registers", "cap", "stack bytes",
        "spill stores", "spill loads", "threads", "shared bytes"}};
    const std::vector<std::string> architectures = has_tensor_products(ptx) ?
                                                       std::vector<std::string>{"sm_90a"} :
                                                       std::vector<std::string>{"sm_80", "sm_90"};
    for (const std::string &arch : architectures) {
        std::map<std::string, Assembled> assembled = assemble(ptxas, ptx, arch);
        for (const Kernel &k : kernels) {
            const Assembled &a = assembled[k.name];
            lines.push_back({k.name, arch, a.registers, cap_of(variant, k.name), a.stack, a.stores, a.loads,
                k.threads, k.shared});
        }
    }
    return table(lines);
}

// ------------------------------------------------------------------------------------- the command

std::vector<std::string> parts_of(const ShowOptions &options, const Variant &variant) {
    std::vector<std::string> parts = options.parts;
    if (parts.empty()) {
        return variant.backend == Backend::cpu ? std::vector<std::string>{"loops"} :
                                                 std::vector<std::string>{"loops", "kernels", "resources"};
    }
    for (const std::string &part : parts) {
        if (std::find(known_parts.begin(), known_parts.end(), part) == known_parts.end()) {
            throw Error(Fault::usage,
                fmt::format("takes {}, with commas between them{}", joined(known_parts, ", "),
                    did_you_mean(part, known_parts)),
                {.argument = "--source", .value = part});
        }
        if (variant.backend == Backend::cpu && is_of_kernels(part)) {
            throw Error(Fault::usage, "a variant of the CPU has no kernels; take loops, stmt or assembly",
                {.argument = "--source", .value = part});
        }
    }
    return parts;
}

// The libraries that a call of the variant runs on its data, or on the first sample that it serves, where
// they are others than its own.
std::string libraries_of_a_call(const Operator &op, const Shown &shown) {
    const Variant &variant = *shown.variant;
    if (!variant.autoscheduler.empty()) {
        return "";  // it is always one library, which would be asked what it takes, on a device that may not
                    // be here
    }
    const auto libraries = [&](const Request &request) {
        Array output(request.output_type, request.output_shape);
        return op.serves(variant, request, output) ?
                   std::optional(other_libraries(
                       variant, op.plan(variant, {variant.backend, 0}, request, output).variants())) :
                   std::nullopt;
    };
    if (shown.data) {
        return libraries(*shown.data->request).value_or("");
    }
    for (const Sample &sample : workload_of(op).samples(variant.type)) {
        if (const auto found = libraries(*op.parse(sample.inputs, sample.settings))) {
            return *found;
        }
    }
    return "";
}

void show(ShowOptions options) {
    const Operator &op = chosen_operator(options.op, options.generator, options.data.files);
    const std::vector<std::string> targets = {"cpu", "cuda", "opencl"};
    if (options.target.empty()) {
        options.target = best_target(op, options);
    } else if (std::find(targets.begin(), targets.end(), options.target) == targets.end()) {
        throw Error(Fault::usage,
            fmt::format("takes cpu, cuda or opencl{}", did_you_mean(options.target, targets)),
            {.argument = "--target", .value = options.target});
    }
    const Shown shown = chosen_variant(op, options);
    const TunableValues values = single_values_of(op, options.tunables);
    const Variant variant = values.empty() ? *shown.variant : with_tunables(*shown.variant, values);
    const std::vector<std::string> parts = parts_of(options, variant);
    const std::string generator = generator_of(*shown.variant);
    const std::map<std::string, std::string> headings = {{"loops", "loop nest"},
        {"kernels", variant.backend == Backend::cuda ? "PTX" : "OpenCL C"}, {"resources", "kernels"},
        {"accesses", "how a warp of 32 threads reaches memory"}, {"stmt", "Halide's statements"},
        {"assembly", "assembly"}};
    std::string text = variant.name() + "\n";
    if (shown.data) {
        text += fmt::format("The variant that a call on {} runs.\n", shown.data->what);
    }
    if (const std::string others = values.empty() ? libraries_of_a_call(op, shown) : ""; !others.empty()) {
        text += "A call of this variant runs " + others + ".\n";
    }
    for (const std::string &part : parts) {
        text += fmt::format("\n==== {}\n", headings.at(part));
        text += part == "resources" ? resources(generator, variant) :
                part == "accesses"  ? accesses_of_call(op, *shown.data->request, variant, *shown.variant) :
                                      generated(generator, variant, part);
    }
    print(text);
}

}  // namespace

void add_show(CommandLine &line) {
    Command command = line.add("show",
        "Shows what is in a variant's library: loop nest, kernel source, registers and shared memory");
    const auto options = std::make_shared<ShowOptions>();
    command.add("operator", options->op, "The operator");
    add_generator(command, options->generator);
    command
        .add("--schedule", options->schedule,
            "A schedule, or a family, of which the variant that serves the data is shown")
        .show_default();
    add_tunables(command, options->tunables)
        .description("With this value of a tunable in place of the variant's own: tile=32; repeat the option "
                     "for others")
        .value_name("NAME=VALUE");
    add_data(command, options->data);
    command.add("--target", options->target,
        "cpu, cuda or opencl; without it that of the best device that has such a variant");
    command
        .add("--source", options->parts,
            "What to show: loops (Halide's loop nest), kernels (PTX or OpenCL C), resources (threads, shared "
            "memory and, by ptxas, registers and "
            "spills), accesses (sectors of memory and passes of shared memory per warp, of a call on the "
            "data; it "
            "needs no GPU), stmt (Halide's statements), assembly (of the CPU, the widest instruction set). "
            "Without "
            "it loops, and on GPUs kernels and "
            "resources")
        .commas()
        .one_word()
        .value_name("PART,...");
    const std::string first = operators().front()->name();
    command.footer(
        fmt::format("It asks the operator's generator program, which is looked for beside the program, in "
                    "../libexec/tilewright and in "
                    "TILEWRIGHT_GENERATORS.\n"
                    "Examples:\n"
                    "  tilewright show {0} --target cuda --size 1000x700\n"
                    "  tilewright show {0} --schedule reference --target cpu --source loops,assembly\n"
                    "  tilewright show {0} --target cuda --source resources\n"
                    "  tilewright show transpose --schedule direct --target cuda --source accesses\n"
                    "  tilewright show transpose --schedule padded --target cuda --tunable tile=8\n",
            first));
    command.run([options] { show(*options); });
}

}  // namespace tilewright::app
