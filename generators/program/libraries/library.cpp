#include "generators/program/libraries/library.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/next_block.h"
#include "generators/algorithms/text_lines.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/child_process.h"
#include "generators/program/libraries/host_side.h"
#include "generators/program/libraries/kernel_limits.h"
#include "generators/program/libraries/kernel_needs.h"
#include "generators/program/libraries/kernel_ptx.h"
#include "generators/program/libraries/kernel_texts.h"
#include "generators/program/targets.h"
#include "schedules/passes/thread_folds.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <link.h>
#include <set>
#include <sstream>
#include <typeinfo>

namespace tilewright {

namespace {

std::string lower(std::string text) {
    std::transform(
        text.begin(), text.end(), text.begin(), [](unsigned char c) { return (char)std::tolower(c); });
    return text;
}

int run_halide(const Library &library, const std::string &folder, const std::string &files,
    const std::string &targets, const std::string &tunables) {
    const ScheduleVariant &variant = *library.variant;
    std::vector<std::string> args = {only_table().op, "-g", variant.form, "-f", library.name, "-o", folder,
        "-e", files, "target=" + targets, "schedule=" + variant.name, "type=" + library.type,
        "backend=" + library.backend, "errors=" + library.errors};
    if (!tunables.empty()) {
        std::string values = tunables;  // Halide's own program takes one '=' in an argument
        std::replace(values.begin(), values.end(), '=', ':');
        args.push_back("tunables=" + values);
    }
    if (!variant.autoscheduler.empty()) {
        args.push_back("autoscheduler=" + variant.autoscheduler);
    }
    std::vector<char *> argv;
    for (std::string &a : args) {
        argv.push_back(a.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

// FNV-1a of 64 bits.
class Hash {
public:
    void add(const void *bytes, size_t size) {
        for (size_t i = 0; i < size; i++) {
            value_ = (value_ ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
        }
    }
    void add(const std::string &text) {
        add(text.c_str(), text.size() + 1);
    }
    std::string str() const {
        std::ostringstream text;
        text << std::hex << value_;
        return text.str();
    }

private:
    uint64_t value_ = 14695981039346656037u;
};

}  // namespace

std::string plugins_folder() {
    // They are where Halide itself is, which the dynamic linker knows.
    std::string folder;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *folder) {
            const std::filesystem::path file = info->dlpi_name;
            const bool is_halide = file.filename() == "libHalide.so";
            if (is_halide) {
                *static_cast<std::string *>(folder) = file.parent_path().string();
            }
            return is_halide ? 1 : 0;
        },
        &folder);
    return folder;
}

Halide::Internal::AbstractGeneratorPtr generator_of(
    const Library &library, const std::string &target, const std::string &tunables) {
    const ScheduleVariant &variant = *library.variant;
    auto generator = Halide::Internal::GeneratorRegistry::create(variant.form,
        Halide::GeneratorContext(Halide::Target(target), Halide::AutoschedulerParams(variant.autoscheduler)));
    for (const auto &[parameter, value] :
        {std::pair<std::string, std::string>{"schedule", variant.name}, {"type", library.type},
            {"backend", library.backend}, {"tunables", tunables}, {"errors", library.errors}}) {
        generator->set_generatorparam_value(parameter, value);
    }
    return generator;
}

bool needs_avx2(const Library &library) {
    const ScheduleVariant &variant = *library.variant;
    if (library.backend == "cpu" && (variant.needs_avx2 || !variant.autoscheduler.empty())) {
        return true;
    }
    const auto runs_instead = [&](const ScheduleVariant &other) {
        const std::vector<std::string> types = split(other.types, ' ');
        return other.name == variant.family + "_any" && other.where == Backends::cpu &&
               std::find(types.begin(), types.end(), library.type) != types.end();
    };
    const ScheduleVariants &variants = only_table().variants();
    return library.backend == "cpu" && variant.name != variant.family + "_any" &&
           std::any_of(variants.begin(), variants.end(), runs_instead);
}

// The first one of Halide targets, separated by commas, that this machine runs; the last one where it runs
// none of them.
static std::string target_of_this_machine(const std::string &targets) {
    using Halide::Target;
    const Target host = Halide::get_host_target();
    const auto runs = [&](const Target &target) {
        const auto has = [&](Target::Feature feature) {
            return host.has_feature(feature) || !target.has_feature(feature);
        };
        return has(Target::SSE41) && has(Target::AVX) && has(Target::F16C) && has(Target::FMA) &&
               has(Target::AVX2) && has(Target::AVX512) && has(Target::AVX512_Skylake);
    };
    const std::vector<std::string> all = split(targets, ',');
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const std::string &target) { return runs(Target(target)); });
    return first == all.end() ? all.back() : *first;
}

// All but whether there are doubles in it, which follows from the pipeline.
static TargetChoice choice_of(const Library &library) {
    const bool is_reference = library.variant->name == "reference";  // it is there to be right
    TargetChoice choice;
    choice.capability = library.capability;
    choice.sets.oldest = !needs_avx2(library);
    choice.sets.avx2 = !is_reference;
    choice.sets.avx512 = !is_reference && !library.variant->without_avx512;
    // Whether a variant of an autoscheduler takes a size is asked by a bounds query (Plan::fits()).
    choice.bounds_queries = !library.is_own || !library.variant->autoscheduler.empty();
    return choice;
}

static std::string targets_of(const Library &library, const TargetChoice &choice) {
    const std::string targets = target_of(library.backend, library.variant->features, choice);
    return library.host_cpu && library.backend == "cpu" ? target_of_this_machine(targets) : targets;
}

std::string targets_of(const Library &library, const std::string &tunables) {
    TargetChoice choice = choice_of(library);
    const auto targets = [&] { return targets_of(library, choice); };
    if (library.backend == "opencl") {
        // In a process of its own, because the names in a pipeline depend on those that were made before it.
        choice.doubles = answer_of_child([&] {
            return computes_doubles(generator_of(library, targets(), tunables)->build_pipeline()) ? "yes" :
                                                                                                    "no";
        }) != "no";
    }
    return targets();
}

// The text of a GPU library's kernels, from that which Halide has in the module.
static std::string kernels_of(const Library &library, const Halide::Buffer<void> &text) {
    const std::string halides = static_cast<const char *>(text.data());  // it ends with a zero byte
    const ScheduleVariant &variant = *library.variant;
    if (library.backend != "opencl" || !variant.has_ptx()) {
        return halides;
    }
    TargetChoice choice;
    choice.capability = library.capability;
    return with_ptx(halides, Halide::Target(target_of("cuda", variant.features, choice)));
}

// The archive of a GPU library in `folder`. The text of the kernels of an own one is in a file beside it
// (kernel_texts.h); Halide's own generator program would write that text and metadata into the archive.
// `files`: what else there is to be: c_header, device_code (the text as Halide has it), ptx (of OpenCL).
// Returns the compute capability that the PTX of a library for OpenCL is for; 0 without PTX.
static int make_gpu_library(const Library &library, const std::string &folder, const std::string &target,
    const std::string &tunables, const std::set<std::string> &files) {
    const std::string file = (std::filesystem::path(folder) / library.name).string();
    if (library.is_own) {
        compile_for_size(library.name + "_argv");
    }
    const Halide::Module module = generator_of(library, target, tunables)->build_module(library.name);
    if (files.contains("device_code")) {
        module.compile({{Halide::OutputFileType::device_code, file + ".device_code"}});
    }
    if (files.contains("c_header")) {
        module.compile({{Halide::OutputFileType::c_header, file + ".h"}});
    }
    Halide::Module changed(module.name(), module.target(), module.get_metadata_name_map());
    changed.set_any_strict_float(module.any_strict_float());
    int capability = 0;
    for (const Halide::Buffer<void> &buffer : module.buffers()) {
        if (!buffer.name().ends_with("_gpu_source_kernels")) {
            changed.append(buffer);
            continue;
        }
        std::string text = kernels_of(library, buffer);
        if (const std::string ptx = OpenClText(text).assembly; !ptx.empty()) {
            capability = number_behind(ptx, before_capability);
            if (files.contains("ptx")) {
                write_text(file + ".ptx", with_tensor_products(ptx));
            }
        }
        text = library.is_own ? put_text_elsewhere(library.name, folder, text) : text + '\0';
        Halide::Buffer<uint8_t> instead((int)text.size(), buffer.name());
        std::memcpy(instead.data(), text.data(), text.size());
        changed.append(instead);
    }
    for (const Halide::Internal::LoweredFunc &function : module.functions()) {
        const bool is_called =
            library.is_own && function.linkage == Halide::LinkageType::ExternalPlusMetadata;
        changed.append(is_called ? called_by_addresses(function) : function);
    }
    changed.compile({{Halide::OutputFileType::static_library, file + ".a"}});
    return capability;
}

// The source that Halide made of a GPU library gets the name of its language.
static void name_source(const Library &library, const std::string &folder) {
    const bool is_ptx = library.backend == "cuda";
    const std::string made = (std::filesystem::path(folder) / library.name).string(),
                      file = made + (is_ptx ? ".ptx" : ".cl");
    std::filesystem::rename(made + ".device_code", file);
    if (is_ptx) {
        write_text(file, with_instructions(text_of(file)));
    }
}

int make_library(const Library &library, const std::string &folder, const std::string &files,
    const std::string &tunables) {
    const std::string source = library.backend == "cuda"   ? "ptx" :
                               library.backend == "opencl" ? "opencl_c" :
                                                             "";
    const std::string targets = targets_of(library, tunables),
                      first_target = targets.substr(0, targets.find(','));
    const std::string autoscheduler = lower(library.variant->autoscheduler);
    if (!autoscheduler.empty()) {  // the option -p of Halide's own program takes no folder with a comma
        Halide::load_plugin(plugins_folder() + "/libautoschedule_" + autoscheduler + ".so");
    }
    std::string archive, looks;
    const std::vector<std::string> wanted = split(files, ',');
    const bool wants_archive = std::ranges::count(wanted, "static_library") > 0,
               by_module = wants_archive && is_gpu(library.backend) &&
                           (library.is_own || library.backend == "opencl");
    bool wants_source = false;
    std::set<std::string> of_module;
    for (const std::string &file : wanted) {
        if (by_module &&
            (file == "static_library" || file == "c_header" || (file == "ptx" && source != "ptx"))) {
            of_module.insert(file);
        } else if (file == "static_library" || file == "c_header") {
            archive += (archive.empty() ? "" : ",") + file;
        } else if (file == "stmt_html" || file == "assembly") {
            looks += (looks.empty() ? "" : ",") + file;
        } else if (file == "ptx" || file == "opencl_c") {
            wants_source = wants_source || file == source;
        } else {
            fail("cannot emit '" + file +
                 "'; it takes static_library, c_header, stmt_html, assembly, ptx, opencl_c");
        }
    }
    int ptx = 0;
    if (by_module) {
        if (wants_source) {
            of_module.insert("device_code");
        }
        ptx = make_gpu_library(library, folder, first_target, tunables, of_module);
    } else if (wants_source) {
        looks += std::string(looks.empty() ? "" : ",") + "device_code";
    }
    const bool one_run = targets == first_target;
    if (one_run && !archive.empty() && !looks.empty()) {
        archive += "," + looks;
        looks.clear();
    }
    if (int code = archive.empty() ? 0 : run_halide(library, folder, archive, targets, tunables)) {
        return code;
    }
    // Of a library for several instruction sets, what there is to look at is that of the widest.
    if (int code = looks.empty() ? 0 : run_halide(library, folder, looks, first_target, tunables)) {
        return code;
    }
    write_needs(library, first_target, folder, ptx);
    if (wants_source) {
        name_source(library, folder);
    }
    return 0;
}

// What a library requires of its inputs, which Halide leaves out when it writes a pipeline.
static void add_constraints(const std::vector<Halide::Parameter> &parameters, std::ostream &text) {
    for (const Halide::Parameter &parameter : parameters) {
        if (!parameter.is_buffer()) {
            continue;
        }
        text << " align " << parameter.host_alignment();
        for (int d = 0; d < parameter.dimensions(); d++) {
            text << " " << parameter.min_constraint(d) << " " << parameter.extent_constraint(d) << " "
                 << parameter.stride_constraint(d);
        }
    }
}

// An argument of a generator as initializers of VariantArgument, one per buffer or number, or array of them.
static std::string argument_text(
    Halide::Internal::AbstractGenerator &generator, const Halide::Internal::AbstractGenerator::ArgInfo &one) {
    using namespace Halide::Internal;
    std::ostringstream text;
    const auto add = [&](const std::string &name, halide_argument_kind_t kind, const Halide::Type &type,
                         size_t count) {
        text << "{\"" << name << "\", " << kind << ", " << one.dimensions << ", " << (int)type.code() << ", "
             << type.bits() << ", " << count << "}, ";
    };
    if (one.dir == ArgInfoDirection::Input) {
        const std::vector<Halide::Parameter> all = generator.input_parameter(one.name);
        const bool is_array = all.front().name() == one.name + "_0";
        add(one.name,
            one.kind == ArgInfoKind::Scalar ? halide_argument_kind_input_scalar :
                                              halide_argument_kind_input_buffer,
            one.types.front(), is_array ? all.size() : 0);
        return text.str();
    }
    const size_t count = generator.output_func(one.name).size();
    for (size_t i = 0; i < count; i++) {
        for (size_t part = 0; part < one.types.size(); part++) {  // of a tuple
            add(one.name + (count == 1 ? "" : "_" + std::to_string(i)) +
                    (one.types.size() == 1 ? "" : "." + std::to_string(part)),
                halide_argument_kind_output_buffer, one.types[part], 0);
        }
    }
    return text.str();
}

std::string arguments_of(const std::string &key) {
    return key.substr(key.find(' ') + 1);
}

std::string key_of(const Library &library, const std::string &files, const std::string &tunables) {
    using namespace Halide::Internal;
    const ScheduleVariant &variant = *library.variant;
    const std::string targets = targets_of(library, choice_of(library));
    Hash key;
    // TILEWRIGHT_PASSES stands for the sources of this program that change what Halide makes of a pipeline.
    for (const std::string &word : {library.name, variant.form, variant.autoscheduler, targets, files,
             tunables, std::string(TILEWRIGHT_PASSES),
             std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
                 std::to_string(HALIDE_VERSION_PATCH)}) {
        key.add(word);
    }
    std::string arguments;
    for (const std::string &target : split(targets, ',')) {
        arguments.clear();
        const AbstractGeneratorPtr generator = generator_of(library, target, tunables);
        Halide::Pipeline pipeline = generator->build_pipeline();
        std::vector<uint8_t> bytes;
        Halide::serialize_pipeline(pipeline, bytes);
        key.add(bytes.data(), bytes.size());
        for (const Halide::CustomLoweringPass &custom : pipeline.custom_lowering_passes()) {
            const auto *described = dynamic_cast<const DescribedPass *>(custom.pass);
            key.add(described ? described->description() : typeid(*custom.pass).name());
        }
        for (const auto &argument : generator->arginfos()) {
            std::ostringstream text;
            text << argument.name << (int)argument.dir << (int)argument.kind << argument.dimensions;
            for (const Halide::Type &type : argument.types) {
                text << type;
            }
            if (argument.dir == ArgInfoDirection::Input) {
                add_constraints(generator->input_parameter(argument.name), text);
            }
            key.add(text.str());
            arguments += argument_text(*generator, argument);
        }
    }
    return key.str() + " " + arguments;
}

}  // namespace tilewright
