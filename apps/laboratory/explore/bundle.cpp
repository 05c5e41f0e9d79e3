// Builds the points of a bundle, and packs them with the program and the libraries that it links.
#include "apps/laboratory/explore/bundle.h"
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/command_line/version.h"
#include "apps/tilewright/foreign/foreign_operator.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/files/output/output_file.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <set>
#include <unistd.h>

namespace tilewright::app {

namespace {

namespace fs = std::filesystem;

const std::string list_name = "points.json";

// The script unpacks what is behind its last line into a folder of its own, which it removes at its end.
const std::string script_text = R"(#!/bin/sh
# Made by `tilewright explore --bundle`: the program `tilewright`, and libraries for it to time. It needs
# tail, gzip and tar, and the driver of the device. ./FILE --help says what it takes.
folder=$(mktemp -d "${TMPDIR:-/tmp}/tilewright-XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 129' HUP
tail -n +FIRST_LINE "$0" | gzip -dc | tar -xf - -C "$folder" || exit 1
# The program ends by itself after Ctrl-C, and says what it has.
trap : INT TERM
LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    "$folder/tilewright" explore --bundled "$folder" "$@"
exit
)";

// The script, which knows in which line of the file the archive begins.
std::string script() {
    const std::string mark = "FIRST_LINE";
    std::string text = script_text;
    const auto lines = std::count(text.begin(), text.end(), '\n');
    return text.replace(text.find(mark), mark.size(), std::to_string(lines + 1));
}

// Every Linux has these; they belong to its kernel and to its loader.
bool is_of_the_system(const std::string &name) {
    constexpr std::array names = {"linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so",
        "librt.so", "libutil.so"};
    return std::any_of(
        names.begin(), names.end(), [&](const char *begin) { return name.starts_with(begin); });
}

std::vector<fs::path> linked_libraries() {
    std::vector<fs::path> all;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *all) {
            const fs::path path = info->dlpi_name;
            std::error_code gone;  // as libraries that were built, loaded and removed are
            if (path.is_absolute() && fs::exists(path, gone) && !is_of_the_system(path.filename().string())) {
                static_cast<std::vector<fs::path> *>(all)->push_back(path);
            }
            return 0;
        },
        &all);
    return all;
}

// Runs one of the programs that every development machine has.
std::string run_tool(const std::string &command, const std::vector<std::string> &words) {
    std::vector<std::string> arguments = {"-c", command, "sh"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Finished ran = run_program("/bin/sh", arguments);
    if (ran.code != 0) {
        throw Error(Fault::failed, fmt::format("`{}` failed ({}): {}", command, ran.code, one_line(ran.err)),
            {.operation = "explore", .argument = "--bundle"});
    }
    return ran.out;
}

// The variants of the cases that have tunables to vary, each once.
std::vector<const ExploredVariant *> variants_to_vary(const std::vector<ExploredCase> &cases) {
    std::vector<const ExploredVariant *> variants;
    for (const ExploredCase &c : cases) {
        for (const ExploredVariant &variant : c.variants) {
            const auto same = [&](const ExploredVariant *other) { return other->variant == variant.variant; };
            if (variant.search.size() > 1 && std::none_of(variants.begin(), variants.end(), same)) {
                variants.push_back(&variant);
            }
        }
    }
    return variants;
}

// Builds a library into the folder, and adds it to the list. Errors: those of build_library().
void build(const Variant &variant, const TunableValues &values, const TemporaryFolder &folder, Json &list) {
    const std::string name = fmt::format("{}.so", list.size());
    build_library(variant, values, folder.file(name));
    list.push_back({{"variant", variant.name()}, {"tunables", text_of(values)}, {"library", name}});
}

// Of generators that are not ours: the libraries without which the other machine knows nothing of them, and
// those of the variants' own values, or why there are none.
void build_needed(const std::vector<ExploredCase> &cases, const TemporaryFolder &folder, Json &list) {
    std::vector<const Variant *> needed;
    for (const ExploredCase &c : cases) {
        if (const auto *theirs = dynamic_cast<const ForeignOperator *>(c.op)) {
            needed.insert(needed.end(), {&theirs->base(), cpu_variant(*theirs, "reference", c.data.type)});
            for (const ExploredVariant &variant : c.variants) {
                needed.push_back(variant.variant);
            }
        }
    }
    std::set<std::string> built;
    for (const Variant *variant : needed) {
        if (!built.insert(variant->name()).second) {
            continue;
        }
        try {
            build(*variant, tunables_of(*variant), folder, list);
        } catch (const MissingTool &) {
            throw;
        } catch (const Error &error) {
            list.push_back({{"variant", variant->name()}, {"tunables", text_of(tunables_of(*variant))},
                {"failure", error.what()}});
        }
    }
}

// Builds up to `count` points of a variant into the folder; adds them to the list.
void build_points(const ExploredVariant &of, size_t count, const TemporaryFolder &folder, Json &list) {
    Search search = of.search;
    // Steps are made from the variant's own values first, and then from those that were built first.
    search.tell(tunables_of(*of.variant), 0.);
    size_t built = 0;
    const size_t tries = 3 * count;
    for (size_t i = 0; i < tries && built < count; i++) {
        std::optional<TunableValues> values;
        if (i % 2 == 0) {
            values = search.step_from_the_best();
        }
        if (!values) {
            values = search.random_point();
        }
        if (!values) {
            return;
        }
        try {
            build(*of.variant, *values, folder, list);
            built++;
            search.tell(*values, (double)built);
        } catch (const MissingTool &) {
            throw;
        } catch (const Error &) {
            search.tell(*values, {});  // a combination that no kernel can have
        }
    }
}

void copy_program(const TemporaryFolder &folder) {
    const std::string program = folder.file("tilewright");
    fs::copy_file("/proc/self/exe", program);
    // Symbols would double the size. Where there is no `strip`, the bundle is larger.
    static_cast<void>(run_program("/bin/sh", {"-c", "strip \"$1\"", "sh", program}));
    fs::create_directory(folder.file("lib"));
    for (const fs::path &library : linked_libraries()) {
        fs::copy_file(
            library, folder.file("lib/" + library.filename().string()), fs::copy_options::overwrite_existing);
    }
}

}  // namespace

void write_bundle(
    const std::vector<ExploredCase> &cases, size_t points, const Json &words, const std::string &file) {
    check_writable(file);
    const std::vector<const ExploredVariant *> variants = variants_to_vary(cases);
    const TemporaryFolder folder;
    Json list = Json::array();
    build_needed(cases, folder, list);
    const size_t needed = list.size();
    Progress progress("bundle", variants.size());
    for (const ExploredVariant *variant : variants) {
        progress.step(variant->variant->name());
        build_points(*variant, std::max<size_t>(1, points / variants.size()), folder, list);
    }
    copy_program(folder);
    std::ofstream listed(folder.file(list_name));
    listed << Json{{"version", json_version}, {"commit", commit}, {"words", words}, {"points", list}}.dump();
    listed.close();
    if (!listed) {
        throw Error(Fault::failed,
            fmt::format("cannot write '{}'; free space there, or let TMPDIR name another folder",
                folder.file(list_name)));
    }
    // In two steps, so that an error of tar is not lost.
    const TemporaryFolder packed;
    const std::string archive = run_tool(
        "cd \"$1\" && tar -cf \"$2\" . && gzip -6 -c \"$2\"", {folder.path(), packed.file("bundle.tar")});
    OutputFile output(file);
    const std::string begin = script();
    output.put(begin);
    output.put(archive);
    output.make_executable();
    output.commit();
    Progress::hide();
    if (access(file.c_str(), X_OK) != 0) {
        print_error(
            fmt::format("tilewright: explore: '{}' could not be made executable; run it by sh\n", file));
    }
    print(fmt::format("{}: {} points of {} variants, {}\n", one_line(file), list.size() - needed,
        variants.size(), bytes((double)(begin.size() + archive.size()))));
}

Bundle read_bundle(const std::string &folder) {
    const std::string path = folder + "/" + list_name;
    const Json all = json_in(text_of_file(path), path);
    if (!all.is_object() || all.value("version", 0) != json_version || all.value("commit", "") != commit) {
        throw Error(
            Fault::input, "there is no bundle of this program", {.argument = "--bundled", .value = folder});
    }
    Bundle bundle{all["words"], {}};
    std::vector<PreparedLibrary> libraries;
    for (const Json &point : all["points"]) {
        libraries.push_back({point["variant"], point["tunables"], folder + "/" + point.value("library", ""),
            point.value("failure", "")});
        if (libraries.back().failure.empty()) {
            bundle.points.emplace_back(
                libraries.back().variant, tunables_of(point["tunables"].get<std::string>()));
        }
    }
    use_prepared_libraries(libraries);
    return bundle;
}

}  // namespace tilewright::app
