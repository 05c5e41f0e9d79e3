// `explain`: which variants serve some data, which one is chosen and why, and what the call then does on the
// device.
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/explanation/explanation_report.h"
#include "apps/tilewright/terminal/printing.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct ExplainOptions {
    std::string op, schedule = "tuned", device;
    std::vector<std::string> tunables;
    bool as_json = false;
    DataOptions data;
};

void run(const ExplainOptions &options) {
    const Operator &op = find_operator(options.op);
    check_schedule({&op}, options.schedule);
    const CallData data = call_data(op, options.data);
    const std::optional<Device> asked = asked_device(options.device);
    const Device device = asked ? *asked : op.choose_device(*data.request, options.schedule);
    const Explanation explanation =
        explain(op, data, options.schedule, device, single_values_of(options.tunables));
    if (options.as_json) {
        print(json(explanation));
    } else {
        print(text_of(explanation));
    }
}

}  // namespace

void add_explain(CommandLine &line) {
    Command command =
        line.add("explain", "Runs a call, and says which variant it takes and why, and what its kernels do");
    static ExplainOptions options;
    command.add("operator", options.op, "The operator").required();
    add_device_and_threads(command, options.device);
    command.add("--schedule", options.schedule, "A schedule or a family of it").show_default();
    command.add_flag("--json", options.as_json, "Print JSON");
    add_tunables(command, options.tunables)
        .description("Build the variant with this value of a tunable: tile=32; --tunable again for others")
        .value_name("NAME=VALUE");
    add_data(command, options.data);
    const std::string first = operators().front()->name();
    command.footer(
        fmt::format("It prints one block per kernel that was launched: its grid and block, what the driver "
                    "says of it, and how its warps reach memory. Addresses are computed by the operator's "
                    "generator program (see `tilewright show --help`).\n"
                    "Examples:\n"
                    "  tilewright explain {0} --size 512x512\n"
                    "  tilewright explain {0} --size 512x512 --schedule reference --device cpu --json\n",
            first));
    command.run([] { run(options); });
}

}  // namespace tilewright::app
