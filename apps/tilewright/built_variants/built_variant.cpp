// Runs a generator program, links what it makes to a shared object, and loads it.
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace tilewright::app {

namespace {

// What the names of the functions of all these libraries begin with. They do not meet each other: each
// library is loaded by itself.
const std::string prefix = "built";

std::string function_of(const Variant &variant) {
    return fmt::format("{}_{}_{}_{}", prefix, variant.schedule, variant.type, place_of(variant));
}

// The path of a program that links.
std::string find_linker(const Variant &variant) {
    for (const char *name : {"ld", "ld.lld", "ld.gold", "ld.bfd", "ld.mold"}) {
        if (const std::string program = program_in_path(name); !program.empty()) {
            return program;
        }
    }
    throw MissingTool(Fault::failed,
        "a library that is built on the spot needs a linker, and PATH has neither ld nor ld.lld: install "
        "binutils or lld",
        {.operation = variant.name()});
}

// The functions of Halide's runtime stay open: this program has them, and shows them to what it loads.
void link(const Variant &variant, const std::string &archive, const std::string &file) {
    const std::string linker = find_linker(variant);
    const Finished ran = run_program(
        linker, {"-shared", "-Bsymbolic", "-z", "noexecstack", "-o", file, "--whole-archive", archive});
    if (ran.code != 0) {
        throw Error(Fault::failed, fmt::format("{} failed ({}): {}", linker, ran.code, one_line(ran.err)),
            {.operation = variant.name()});
    }
}

// What the generator wrote into the file LIBRARY.needs, "{256, 1024, 80, false, false, false, 0, 0}": the
// first members of Variant::Needs. Only libraries of GPUs have the file; the others need what their variant
// needs.
Variant::Needs read_needs(const std::string &path, Variant::Needs needs) {
    std::ifstream file(path);
    char brace = 0, comma = 0;
    if (file >> brace) {
        file >> needs.threads >> comma >> needs.shared_bytes >> comma >> needs.capability >> comma >>
            std::boolalpha >> needs.fp64 >> comma >> needs.images >> comma >> needs.half >> comma >>
            needs.only_capability >> comma >> needs.ptx;
        if (!file) {
            throw Error(Fault::failed,
                "the generator wrote it in a form that is not known; build the "
                "generators and this program of the same commit",
                {.argument = std::filesystem::path(path).filename().string()});
        }
    }
    return needs;
}

// By variant and tunables; none where libraries are made.
std::map<std::pair<std::string, std::string>, PreparedLibrary> &prepared() {
    static std::map<std::pair<std::string, std::string>, PreparedLibrary> libraries;
    return libraries;
}

// The variant `of` with these values, with its library. Errors: failed, where the file cannot be loaded.
std::unique_ptr<const Variant> loaded_variant(
    const Variant &of, const TunableValues &values, const std::string &file) {
    auto varied = std::make_unique<Variant>(with_tunables(of, values));
    varied->needs = read_needs(file + ".needs", of.needs);
    void *const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        throw Error(Fault::failed, fmt::format("the library cannot be loaded: {}", one_line(dlerror())),
            {.operation = varied->name()});
    }
    const auto find = [&](const std::string &name, auto &function) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name.c_str()));
        if (!function) {
            throw Error(Fault::failed, fmt::format("the library has no function {}", name),
                {.operation = varied->name()});
        }
    };
    find(function_of(of) + "_argv", varied->entry);
    find(function_of(of) + "_metadata", varied->metadata);
    return varied;
}

}  // namespace

void check_tools(const Variant &variant) {
    generator_of(variant);
    find_linker(variant);
}

void build_library(const Variant &variant, const TunableValues &values, const std::string &file) {
    const Variant varied = with_tunables(variant, values);
    const TemporaryFolder folder;
    make_library(generator_of(variant), varied, prefix, folder.path());
    const std::string library = folder.file(function_of(variant));
    link(varied, library + ".a", file);
    if (std::filesystem::exists(library + ".needs")) {
        std::filesystem::copy_file(library + ".needs", file + ".needs");
    }
}

void use_prepared_libraries(const std::vector<PreparedLibrary> &libraries) {
    for (const PreparedLibrary &library : libraries) {
        prepared()[{library.variant, library.tunables}] = library;
    }
}

std::unique_ptr<const Variant> built_variant(const Variant &variant, const TunableValues &values) {
    if (prepared().empty()) {
        const TemporaryFolder folder;
        const std::string file = folder.file("library.so");
        build_library(variant, values, file);
        return loaded_variant(variant, values, file);
    }
    const Variant varied = with_tunables(variant, values);
    const auto at = prepared().find({variant.name(), text_of(tunables_of(varied))});
    if (at == prepared().end()) {
        throw Error(Fault::failed, "the bundle has no library of these values", {.operation = varied.name()});
    }
    if (!at->second.failure.empty()) {
        throw Error(Fault::failed, at->second.failure);
    }
    return loaded_variant(variant, values, at->second.file);
}

}  // namespace tilewright::app
