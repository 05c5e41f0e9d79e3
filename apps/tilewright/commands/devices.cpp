// `devices`: the devices of this machine, and why one cannot be used.
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/terminal/json.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/device.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

static void print_devices(bool as_json) {
    if (as_json) {
        Json all = Json::array();
        for (const DeviceInfo &info : devices()) {
            all.push_back(json(info));
        }
        print({{"version", 1}, {"best", best_device().str()}, {"devices", all}});
        return;
    }
    std::vector<std::vector<std::string>> lines = {
        {"device", "name", "memory", "units", "capability", "driver", "platform"}};
    std::string cannot;
    for (const DeviceInfo &info : devices()) {
        if (info.usable) {
            const std::string best = info.device == best_device() ? " (auto)" : "";
            lines.push_back({info.device.str() + best, info.name, bytes((double)info.memory),
                std::to_string(info.units), info.capability, info.driver, info.platform});
        } else {
            const std::string name = info.name.empty() ? "" : " (" + info.name + ")";
            cannot += fmt::format("{}{}: not usable: {}\n", info.device.str(), name, one_line(info.why_not));
        }
    }
    print(table(lines) + cannot);
}

void add_devices(CommandLine &line) {
    Command command = line.add("devices", "Lists the devices of this machine, and why one cannot be used");
    static bool as_json = false;
    command.add_flag("--json", as_json, "Print JSON");
    command.footer("Examples:\n"
                   "  tilewright devices\n"
                   "  tilewright devices --json | jq '.devices[] | select(.usable) | .device'\n");
    command.run([] { print_devices(as_json); });
}

}  // namespace tilewright::app
