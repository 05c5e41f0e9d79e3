// Finds generator programs, and runs them.
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/foreign/foreign_generator.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/process/environment.h"
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

namespace tilewright::app {

namespace fs = std::filesystem;

std::string place_of(const Variant &variant) {
    return variant.needs_vnni ? "vnni" : name_of(variant.backend);
}

namespace {

// The words that choose the variant's library, with the values of its tunables.
std::vector<std::string> selection_of(const Variant &variant) {
    std::vector<std::string> words = {
        "schedule=" + variant.schedule, "type=" + variant.type, "backend=" + place_of(variant)};
    if (const std::string tunables = text_of(tunables_of(variant)); !tunables.empty()) {
        words.push_back("tunables=" + tunables);
    }
    return words;
}

std::vector<fs::path> program_folders() {
    std::vector<fs::path> folders;
    if (const std::string named = environment_value("TILEWRIGHT_GENERATORS"); !named.empty()) {
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
    return folders;
}

// What a generator says of its failure: the first line that begins with "error: ", before which there may be
// warnings of Halide. Without such a line, the first one.
std::string reason_of(const Finished &ran) {
    const std::string said = "\n" + (ran.err.empty() ? ran.out : ran.err), begin = "\nerror: ";
    const size_t at = said.find(begin), from = at == std::string::npos ? 1 : at + begin.size();
    return one_line(said.substr(from, said.find('\n', from) - from));
}

}  // namespace

std::string find_program(const std::string &name) {
    std::error_code none;
    for (const fs::path &folder : program_folders()) {
        const fs::path program = folder / name;
        if (fs::is_regular_file(program, none) && access(program.c_str(), X_OK) == 0) {
            return program.string();
        }
    }
    return "";
}

std::string generator_of(const Variant &variant) {
    if (const ForeignGenerator *theirs = foreign_generator(variant.op)) {
        return theirs->words().program;
    }
    for (const std::string &name : {variant.origin, variant.op}) {
        if (const std::string program = find_program(name + ".generator"); !program.empty()) {
            return program;
        }
    }
    std::vector<std::string> looked;
    for (const fs::path &folder : program_folders()) {
        looked.push_back(folder.string());
    }
    throw MissingTool(Fault::failed,
        fmt::format("{0}.generator was not found in {1}: install it (the package tilewright-generators, or "
                    "`cmake --install BUILD --component Generators`), or build it (`cmake --build "
                    "BUILD --target {0}.generator`) and set TILEWRIGHT_GENERATORS to its folder",
            variant.op, joined(looked, ", ")),
        {.operation = variant.name()});
}

// The same of a generator that is not ours, by the files that Halide writes.
static std::string shown_by(
    const ForeignGenerator &generator, const Variant &variant, const std::string &part) {
    const std::map<std::string, std::pair<std::string, std::string>> files = {
        {"loops", {"conceptual_stmt", ".conceptual.stmt"}}, {"stmt", {"stmt", ".stmt"}},
        {"kernels", {"device_code", ".device_code"}}, {"assembly", {"assembly", ".s"}}};
    const auto file = files.find(part);
    if (file == files.end()) {
        throw Error(Fault::usage, "a generator that is not ours shows loops, stmt, kernels and assembly",
            {.argument = "--source", .value = part});
    }
    const TemporaryFolder folder;
    const auto &[kind, ending] = file->second;
    generator.emit(variant, kind, "shown", folder.path());
    return text_of_file(folder.file("shown" + ending));
}

std::string generated(const std::string &generator, const Variant &variant, const std::string &part,
    const std::vector<std::string> &more) {
    if (const ForeignGenerator *theirs = foreign_generator(variant.op)) {
        return shown_by(*theirs, variant, part);
    }
    std::vector<std::string> arguments = {"show", part};
    for (const std::string &word : selection_of(variant)) {
        arguments.push_back(word);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished ran = run_program(generator, arguments);
    if (ran.code != 0) {
        throw Error(Fault::failed,
            fmt::format("{} show {} failed ({}): {}", generator, part, ran.code,
                one_line(ran.err.empty() ? ran.out : ran.err)),
            {.operation = variant.name()});
    }
    return ran.out;
}

void make_library(const std::string &generator, const Variant &variant, const std::string &prefix,
    const std::string &folder) {
    if (const ForeignGenerator *theirs = foreign_generator(variant.op)) {
        theirs->emit(variant, "static_library",
            fmt::format("{}_{}_{}_{}", prefix, variant.schedule, variant.type, place_of(variant)), folder);
        return;
    }
    std::vector<std::string> arguments = {"build", folder, "static_library", "name=" + prefix};
    for (const std::string &word : selection_of(variant)) {
        arguments.push_back(word);
    }
    if (variant.needs.capability > 0) {  // of the oldest devices that the variant's own library is for
        arguments.push_back(fmt::format("capability={}", variant.needs.capability));
    }
    const Finished ran = run_program(generator, arguments);
    constexpr int cannot_run = 126, cannot_start = 127;  // the loader's words: a library is missing
    if (ran.code == cannot_run || ran.code == cannot_start) {
        throw MissingTool(Fault::failed, fmt::format("its generator does not run here: {}", reason_of(ran)),
            {.operation = variant.name()});
    }
    if (ran.code != 0) {
        throw Error(Fault::failed,
            ran.code > 128 ? fmt::format("its generator was ended by signal {}", ran.code - 128) :
                             fmt::format("its generator refuses it: {}", reason_of(ran)),
            {.operation = variant.name()});
    }
}

}  // namespace tilewright::app
