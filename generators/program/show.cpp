// Prints a part of what Halide makes of a library.
#include "generators/program/show.h"
#include "generators/algorithms/next_block.h"
#include "generators/program/accesses/warp_accesses.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/library.h"
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace tilewright {

namespace {

using namespace Halide::Internal;

// The first of a library's targets: of several instruction sets the widest.
Halide::Target first_target(const Library &library) {
    return Halide::Target(split(targets_of(library, library.tunables), ',').front());
}

// With the plugin of its autoscheduler.
AbstractGeneratorPtr ready_generator(const Library &library) {
    if (!library.variant->autoscheduler.empty()) {
        std::string file = library.variant->autoscheduler;
        std::transform(file.begin(), file.end(), file.begin(), ::tolower);
        Halide::load_plugin(plugins_folder() + "/libautoschedule_" + file + ".so");
    }
    return generator_of(library, first_target(library).to_string(), library.tunables);
}

// Halide prints loop nests on standard error.
void print_loops(const Library &library) {
    const AbstractGeneratorPtr generator = ready_generator(library);
    Halide::Pipeline pipeline = generator->build_pipeline();
    const Halide::GeneratorContext context = generator->context();
    if (!library.variant->autoscheduler.empty()) {
        pipeline.apply_autoscheduler(context.target(), context.autoscheduler_params());
    }
    std::cout.flush();
    const int before = dup(STDERR_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    pipeline.print_loop_nest();
    std::cerr.flush();
    dup2(before, STDERR_FILENO);
    close(before);
}

// The calls that start kernels: halide_cuda_run(module, name, blocks x, y, z, threads x, y, z, shared memory,
// ...).
class Kernels : public IRVisitor {
public:
    std::ostringstream lines;

protected:
    using IRVisitor::visit;

    void visit(const Call *call) override {
        constexpr size_t name = 1, threads = 5, shared = 8;
        const bool starts =
            call->name.starts_with("halide_") && call->name.ends_with("_run") && call->args.size() > shared;
        const auto *kernel = starts ? call->args[name].as<StringImm>() : nullptr;
        if (kernel && known_.insert(kernel->value).second) {
            lines << kernel->value << "\t" << text(call->args[threads]) << " x "
                  << text(call->args[threads + 1]) << " x " << text(call->args[threads + 2]) << "\t"
                  << text(call->args[shared]) << "\n";
        }
        IRVisitor::visit(call);
    }

private:
    // A number, or what is known when it runs only.
    static std::string text(const Halide::Expr &expression) {
        const Halide::Expr simple = simplify(expression);
        const auto number = as_const_int(simple);
        return number ? std::to_string(*number) : "varies";
    }

    std::set<std::string> known_;
};

void print_resources(const Library &library) {
    const Halide::Module module = ready_generator(library)->build_module(library.name);
    Kernels kernels;
    for (const LoweredFunc &function : module.functions()) {
        function.body.accept(&kernels);
    }
    std::cout << kernels.lines.str();
}

void print_accesses(const Library &library, const std::map<std::string, int64_t> &of_call) {
    const Halide::Module module = ready_generator(library)->build_module(library.name);
    std::map<std::string, int64_t> values = of_call;
    // A caller knows an output by its name in the metadata, the statements by that of its Func.
    for (const auto &[of_func, of_argument] : module.get_metadata_name_map()) {
        for (const auto &[name, value] : of_call) {
            if (name.starts_with(of_argument + ".")) {
                values[of_func + name.substr(of_argument.size())] = value;
            }
        }
    }
    std::cout << accesses_in(module.get_conceptual_stmt(), values);
}

void print_file(const Library &library, Halide::OutputFileType type) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tilewright-show-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "shown").string();
    ready_generator(library)->build_module(library.name).compile({{type, file}});
    std::cout << with_instructions(text_of(file));
    std::filesystem::remove_all(folder);
}

}  // namespace

int show(const Library &library, const std::string &part, const std::map<std::string, int64_t> &values) {
    const bool has_kernels = first_target(library).has_gpu_feature();
    if (!has_kernels && (part == "kernels" || part == "resources" || part == "accesses")) {
        std::cerr << "error: " << library.name
                  << " runs on the CPU and has no kernels; show loops, stmt or assembly\n";
        return 1;
    }
    if (part == "loops") {
        print_loops(library);
    } else if (part == "kernels") {
        print_file(library, Halide::OutputFileType::device_code);
    } else if (part == "resources") {
        print_resources(library);
    } else if (part == "accesses") {
        print_accesses(library, values);
    } else if (part == "stmt") {
        print_file(library, Halide::OutputFileType::stmt);
    } else if (part == "assembly") {
        print_file(library, Halide::OutputFileType::assembly);
    } else {
        std::cerr << "error: cannot show '" << part
                  << "'; it takes loops, kernels, resources, accesses, stmt, assembly\n";
        return 2;
    }
    std::cout.flush();
    return std::cout.good() ? 0 : 1;
}

}  // namespace tilewright
