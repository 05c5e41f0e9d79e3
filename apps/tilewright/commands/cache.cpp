// `cache`: the compiled programs of OpenCL that are kept on disk.
#include "tilewright/cache.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "tilewright/error.h"
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

std::string time_text(int64_t seconds) {
    const auto time = (time_t)seconds;
    tm parts = {};
    localtime_r(&time, &parts);
    char text[20];
    return std::string(text, strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts));
}

std::string programs_as_text() {
    std::vector<std::vector<std::string>> lines = {{"last used", "size", "device", "file"}};
    uint64_t all = 0;
    for (const CachedProgram &program : cached_programs()) {
        lines.push_back(
            {time_text(program.last_used), bytes((double)program.bytes), program.device, program.file});
        all += program.bytes;
    }
    const size_t count = lines.size() - 1;
    const std::string sum = fmt::format("{}, {}\n", plural(count, "program"), bytes((double)all));
    return count == 0 ? sum : table(lines) + sum;
}

Json programs_as_json() {
    Json programs = Json::array();
    for (const CachedProgram &program : cached_programs()) {
        programs.push_back({{"file", program.file}, {"device", program.device}, {"bytes", program.bytes},
            {"last_used", program.last_used}});
    }
    return {{"version", 1}, {"folder", cache_folder()}, {"programs", programs}};
}

void run_cache(const std::string &action, bool as_json) {
    const std::vector<std::string> actions = {"list", "clear", "path"};
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
        throw Error(Fault::usage, "takes list, clear or path" + did_you_mean(action, actions),
            {.argument = "cache", .value = action});
    }
    if (as_json && action != "list") {
        throw Error(Fault::usage, "goes with `cache list` only", {.argument = "--json"});
    }
    const std::string folder = cache_folder();
    if (as_json) {
        print(programs_as_json());
    } else if (folder.empty()) {
        print(std::string("nothing is kept: TILEWRIGHT_CACHE is off, or neither XDG_CACHE_HOME nor HOME "
                          "names a folder from / on\n"));
    } else if (action == "path") {
        print(one_line(folder) + "\n");
    } else if (action == "list") {
        print(programs_as_text());
    } else {
        print(plural(clear_cache(), "program") + " removed\n");
    }
}

}  // namespace

void add_cache(CommandLine &line) {
    Command command =
        line.add("cache", "Shows or clears the compiled programs of OpenCL that are kept on disk");
    static std::string action;
    static bool as_json = false;
    command.add("action", action, "list, clear or path").required().offer({"list", "clear", "path"});
    command.add_flag("--json", as_json, "Print JSON (list)");
    command.footer(
        "The folder is TILEWRIGHT_CACHE, else XDG_CACHE_HOME/tilewright, else ~/.cache/tilewright;\n"
        "with TILEWRIGHT_CACHE=off nothing is kept. At most 256 MiB are kept. The programs are code, so\n"
        "a folder that somebody else owns or may write to is not used.\n"
        "Examples:\n"
        "  tilewright cache list\n"
        "  tilewright cache clear\n");
    command.run([] { run_cache(action, as_json); });
}

}  // namespace tilewright::app
