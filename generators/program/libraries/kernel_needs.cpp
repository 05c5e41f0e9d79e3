#include "generators/program/libraries/kernel_needs.h"
#include "generators/algorithms/opencl_functions.h"
#include "generators/algorithms/tensor_product.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/kernel_limits.h"
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilewright {

namespace {

using namespace Halide::Internal;

bool is_double(const Halide::Type &type) {
    return type.is_float() && type.bits() == 64;
}

class FindDoubles : public IRGraphVisitor {
public:
    bool found = false;

protected:
    void include(const Halide::Expr &expression) override {
        found = found || is_double(expression.type());
        IRGraphVisitor::include(expression);
    }
};

std::string file_of(const std::string &library, const std::string &folder) {
    return (std::filesystem::path(folder) / (library + ".needs")).string();
}

}  // namespace

bool computes_doubles(const Halide::Pipeline &pipeline) {
    std::vector<Function> outputs;
    for (const Halide::Func &output : pipeline.outputs()) {
        outputs.push_back(output.function());
    }
    FindDoubles doubles;
    for (const auto &[name, function] : build_environment(outputs)) {
        function.accept(&doubles);
        for (const Halide::Type &type : function.output_types()) {
            doubles.found = doubles.found || is_double(type);
        }
    }
    return doubles.found;
}

std::string text_of_arguments(
    const std::vector<LoweredArgument> &arguments, const std::map<std::string, std::string> &names) {
    std::ostringstream text;
    for (const LoweredArgument &one : arguments) {
        const auto known = names.find(one.name);
        text << "{\"" << (known == names.end() ? one.name : known->second) << "\", " << (int)one.kind << ", "
             << (int)one.dimensions << ", halide_type_t(halide_type_code_t(" << (int)one.type.code() << "), "
             << one.type.bits() << "), nullptr, nullptr, nullptr, nullptr, nullptr}, ";
    }
    return text.str();
}

void write_needs(const Library &library, const std::string &target, const std::string &folder,
    const std::string &arguments) {
    if (!is_gpu(library.backend)) {
        return;
    }
    const Halide::Target built(target);
    const KernelNeeds &needs = kernel_needs();
    const auto word = [](bool value) { return value ? "true" : "false"; };
    const bool opencl = library.backend == "opencl";
    std::ofstream(file_of(library.name, folder))
        << "{" << needs.threads << ", " << needs.shared_bytes << ", "
        << (!opencl                                         ? built.get_cuda_capability_lower_bound() :
               needs.lane_products || needs.tensor_products ? lane_product_capability :
                                                              0)
        << ", " << word(opencl && built.has_feature(Halide::Target::CLDoubles)) << ", " << word(needs.images)
        << ", " << word(opencl && built.has_feature(Halide::Target::CLHalf)) << ", "
        << (needs.tensor_products ? TensorProduct::capability : 0) << "}\n"
        << arguments;
}

bool write_needs_header(const Selection &selection, const std::string &backend,
    const std::vector<Library> &libraries, const std::string &folder) {
    if (!is_gpu(backend)) {
        return true;
    }
    std::ostringstream text;
    text << "// Made by " << only_table().op
         << "'s generator: what its kernels need of a device.\n#pragma once\n"
         << "#include \"tilewright/variant.h\"\n#include <HalideRuntime.h>\n\nnamespace tilewright {\n\n";
    std::map<std::string, std::string> metadata;  // the name of the function, by the arguments
    for (const Library &library : libraries) {
        std::string needs, arguments;
        std::ifstream file(file_of(library.name, folder));
        std::getline(file, needs);
        std::getline(file, arguments);
        text << "constexpr Variant::Needs " << library.name << "_needs" << needs << ";\n";
        if (arguments.empty()) {  // the library has metadata
            continue;
        }
        const auto [known, is_new] = metadata.try_emplace(arguments, library.name + "_metadata");
        if (!is_new) {
            text << "constexpr auto " << library.name << "_metadata = " << known->second << ";\n";
            continue;
        }
        text << "static const halide_filter_metadata_t *" << known->second
             << "() {\n    static constexpr halide_filter_argument_t arguments[] = {" << arguments
             << "};\n    static constexpr halide_filter_metadata_t metadata = "
                "{halide_filter_metadata_t::VERSION,\n"
             << "        (int32_t)std::size(arguments), arguments, \"\", \"\"};\n    return &metadata;\n}\n";
    }
    text << "\n}  // namespace tilewright\n";
    const auto header = std::filesystem::path(folder) / (selection.name + "_" + backend + "_needs.h");
    return write_text(header.string(), text.str());
}

}  // namespace tilewright
