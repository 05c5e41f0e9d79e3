// Finds generator programs, and runs them.
#include "apps/tilewright/support/generators.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/subprocess.h"
#include "tilewright/error.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace tilewright::app {

namespace fs = std::filesystem;

// The backend as the generator's words have it.
static std::string place_of(const Row &row) {
    return row.needs_vnni ? "vnni" : name_of(row.backend);
}

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
        {.operation = row.name()});
}

std::string generated(const std::string &generator, const Row &row, const std::string &part,
    const std::vector<std::string> &more) {
    std::vector<std::string> tunables;
    for (const Row::Tunable &t : row.tunables) {
        tunables.push_back(fmt::format("{}={}", t.name, t.value));
    }
    std::vector<std::string> arguments = {
        "show", part, "schedule=" + row.schedule, "type=" + row.type, "backend=" + place_of(row)};
    if (!tunables.empty()) {
        arguments.push_back("tunables=" + joined(tunables, ","));
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished ran = run_program(generator, arguments);
    if (ran.code != 0) {
        throw Error(Fault::failed,
            fmt::format("{} show {} failed ({}): {}", generator, part, ran.code,
                one_line(ran.err.empty() ? ran.out : ran.err)),
            {.operation = row.name()});
    }
    return ran.out;
}

}  // namespace tilewright::app
