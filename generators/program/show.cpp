#include "generators/program/show.h"
#include "generators/algorithms/tensor_text.h"
#include "generators/program/accesses.h"
#include "generators/program/written.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace tilewright {

namespace {

using namespace Halide::Internal;

AbstractGeneratorPtr generator_of(const Shown &shown) {
    const Halide::Target target(shown.target);
    Halide::AutoschedulerParams autoscheduler;
    if (!shown.autoscheduler.empty()) {
        std::string file = shown.autoscheduler;
        std::transform(file.begin(), file.end(), file.begin(), ::tolower);
        Halide::load_plugin(shown.plugins + "/libautoschedule_" + file + ".so");
        autoscheduler.name = shown.autoscheduler;
    }
    AbstractGeneratorPtr generator =
        GeneratorRegistry::create(shown.form, Halide::GeneratorContext(target, autoscheduler));
    for (const auto &[name, value] : shown.parameters) {
        generator->set_generatorparam_value(name, value);
    }
    return generator;
}

// Halide prints loop nests on standard error.
void print_loops(const Shown &shown) {
    const AbstractGeneratorPtr generator = generator_of(shown);
    Halide::Pipeline pipeline = generator->build_pipeline();
    const Halide::GeneratorContext context = generator->context();
    if (!shown.autoscheduler.empty()) {
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

void print_resources(const Shown &shown) {
    const Halide::Module module = generator_of(shown)->build_module(shown.name);
    Kernels kernels;
    for (const LoweredFunc &function : module.functions()) {
        function.body.accept(&kernels);
    }
    std::cout << kernels.lines.str();
}

void print_accesses(const Shown &shown) {
    const Halide::Module module = generator_of(shown)->build_module(shown.name);
    std::map<std::string, int64_t> values = shown.values;
    // A caller knows an output by its name in the metadata, the statements by that of its Func.
    for (const auto &[of_func, of_argument] : module.get_metadata_name_map()) {
        for (const auto &[name, value] : shown.values) {
            if (name.starts_with(of_argument + ".")) {
                values[of_func + name.substr(of_argument.size())] = value;
            }
        }
    }
    std::cout << accesses_in(module.get_conceptual_stmt(), values);
}

void print_file(const Shown &shown, Halide::OutputFileType type) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tilewright-show-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "shown").string();
    generator_of(shown)->build_module(shown.name).compile({{type, file}});
    std::cout << with_tensor_products(text_of(file));
    std::filesystem::remove_all(folder);
}

}  // namespace

int show(const Shown &shown, const std::string &part) {
    const bool is_gpu = Halide::Target(shown.target).has_gpu_feature();
    if (!is_gpu && (part == "kernels" || part == "resources" || part == "accesses")) {
        std::cerr << "error: " << shown.name
                  << " runs on the CPU and has no kernels; show loops, stmt or assembly\n";
        return 1;
    }
    if (part == "loops") {
        print_loops(shown);
    } else if (part == "kernels") {
        print_file(shown, Halide::OutputFileType::device_code);
    } else if (part == "resources") {
        print_resources(shown);
    } else if (part == "accesses") {
        print_accesses(shown);
    } else if (part == "stmt") {
        print_file(shown, Halide::OutputFileType::stmt);
    } else if (part == "assembly") {
        print_file(shown, Halide::OutputFileType::assembly);
    } else {
        std::cerr << "error: cannot show '" << part
                  << "'; it takes loops, kernels, resources, accesses, stmt, assembly\n";
        return 2;
    }
    std::cout.flush();
    return std::cout.good() ? 0 : 1;
}

}  // namespace tilewright
