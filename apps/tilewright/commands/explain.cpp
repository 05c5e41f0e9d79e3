// `explain`: which variants serve some data, which one is chosen and why, and what the call then does on the
// device.
#include "apps/tilewright/built_variants/tunable_options.h"
#include "apps/tilewright/calls/call_arguments.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/environment.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/explanation/explanation.h"
#include "apps/tilewright/foreign/foreign_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/device.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

struct ExplainOptions {
    std::string op, schedule = "tuned", device;
    std::vector<std::string> tunables;
    bool as_json = false;
    DataOptions data;
    ForeignWords generator;
};

// Why no device of the backend that `device` names can be used here; empty where one can, and where it names
// no backend alone.
std::string why_not_usable(const std::string &device) {
    for (const Backend backend : {Backend::cuda, Backend::opencl}) {
        const std::vector<DeviceInfo> &all = devices(backend);
        if (device == name_of(backend) &&
            std::none_of(all.begin(), all.end(), std::mem_fn(&DeviceInfo::usable))) {
            return all.empty() ? "there is no such device" : one_line(all.back().why_not);
        }
    }
    return "";
}

// What can be said of a call without its device: the variant that it would take, and what its kernels do.
void explain_without_device(
    const Operator &op, const CallData &data, const ExplainOptions &options, const std::string &why_not) {
    const Array output(data.request->output_type, data.request->output_shape);
    const Backend backend = options.device == "cuda" ? Backend::cuda : Backend::opencl;
    const Variant &chosen = op.choose(*data.request, output, options.schedule, {backend, 0});
    const TunableValues values = single_values_of(op, options.tunables);
    const Variant built = values.empty() ? chosen : with_tunables(chosen, values);
    print(
        fmt::format("{} on {}: {}\nNothing was run: {}\n\nchosen  {}\nhow     {}\n\nHow a warp of 32 threads "
                    "reaches memory\n{}",
            op.name(), options.device, data.what, why_not, built.name(), chosen.summary,
            accesses_of_call(op, *data.request, built, chosen)));
}

void run(ExplainOptions options) {
    const Operator &op = chosen_operator(options.op, options.generator, options.data.files);
    check_schedule({&op}, options.schedule);
    const CallData data = call_data(op, options.data);
    if (const std::string why_not = why_not_usable(options.device); !why_not.empty() && !options.as_json) {
        explain_without_device(op, data, options, why_not);
        return;
    }
    const std::optional<Device> asked = asked_device(options.device);
    const Device device = asked ? *asked : op.choose_device(*data.request, options.schedule);
    const Explanation explanation =
        explain(op, data, options.schedule, device, single_values_of(op, options.tunables));
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
    command.add("operator", options.op, "The operator");
    add_generator(command, options.generator);
    add_device_and_threads(command, options.device);
    command.add("--schedule", options.schedule, "A schedule, or a family of schedules").show_default();
    command.add_flag("--json", options.as_json, "Print JSON");
    add_tunables(command, options.tunables)
        .description("Build the variant with this value of a tunable: tile=32; repeat the option for others")
        .value_name("NAME=VALUE");
    add_data(command, options.data);
    const std::string first = operators().front()->name();
    command.footer(fmt::format(
        "It prints one block per kernel that was launched: its grid and block, what the driver "
        "says of it, and how its warps reach memory. Addresses are computed by the operator's "
        "generator program (see `tilewright show --help`). With --device cuda or opencl and no such "
        "device, nothing is run, and it prints the variant that a call would take and how its "
        "warps reach memory.\n"
        "Examples:\n"
        "  tilewright explain {0} --size 512x512\n"
        "  tilewright explain {0} --size 512x512 --schedule reference --device cpu --json\n"
        "  tilewright explain {0} --size 512x512 --device cuda\n",
        first));
    command.run([] { run(options); });
}

}  // namespace tilewright::app
