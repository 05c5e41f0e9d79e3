#include "generators/program/libraries/kernel_needs.h"
#include "generators/algorithms/block_clusters.h"
#include "generators/algorithms/tensor_product.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/kernel_limits.h"
#include "generators/program/libraries/library.h"
#include <algorithm>
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

void write_needs(const Library &library, const std::string &target, const std::string &folder, int ptx) {
    if (!is_gpu(library.backend)) {
        return;
    }
    const Halide::Target built(target);
    const KernelNeeds &needs = kernel_needs();
    const auto word = [](bool value) { return value ? "true" : "false"; };
    const bool opencl = library.backend == "opencl";
    const int built_for = opencl ? 0 : built.get_cuda_capability_lower_bound(),
              of_instructions = needs.clusters                               ? cluster_capability :
                                needs.lane_products || needs.tensor_products ? LaneProduct::capability :
                                                                               0;
    std::ofstream(file_of(library.name, folder))
        << "{" << needs.threads << ", " << needs.shared_bytes << ", " << std::max(built_for, of_instructions)
        << ", " << word(opencl && built.has_feature(Halide::Target::CLDoubles)) << ", " << word(needs.images)
        << ", " << word(opencl && built.has_feature(Halide::Target::CLHalf)) << ", "
        << (needs.tensor_products ? TensorProduct::capability : 0) << ", " << ptx << "}\n";
}

bool write_needs_header(const Selection &selection, const std::string &target,
    const std::vector<Library> &libraries, const std::map<std::string, std::string> &keys,
    const std::string &folder) {
    std::ostringstream text;
    text << "// Made by " << only_table().op
         << "'s generator: what its libraries need of a device, and their arguments.\n#pragma once\n"
         << "#include \"tilewright/variant.h\"\n\nnamespace tilewright {\n\n";
    std::map<std::string, std::string> metadata;  // the name of the function, by the arguments
    for (const Library &library : libraries) {
        std::string needs = needs_avx2(library) ? "{.avx2 = true}" : "{}";
        if (is_gpu(target)) {
            std::ifstream file(file_of(library.name, folder));
            std::getline(file, needs);
        }
        text << "constexpr Variant::Needs " << library.name << "_needs" << needs << ";\n";
        if (!library.is_own) {  // Halide's metadata serve
            continue;
        }
        const std::string arguments = arguments_of(keys.at(library.name));
        const auto [known, is_new] = metadata.try_emplace(arguments, library.name + "_metadata");
        if (!is_new) {
            text << "constexpr auto " << library.name << "_metadata = " << known->second << ";\n";
            continue;
        }
        text << "static const halide_filter_metadata_t *" << known->second
             << "() {\n    static constexpr VariantArgument arguments[] = {" << arguments
             << "};\n    static std::atomic<const halide_filter_metadata_t *> made;\n"
                "    return metadata_of(arguments, made);\n}\n";
    }
    text << "\n}  // namespace tilewright\n";
    const auto header = std::filesystem::path(folder) / (selection.name + "_" + target + "_needs.h");
    return write_text(header.string(), text.str());
}

}  // namespace tilewright
