// Makes cases of operators, types, sizes, settings and devices, or of files.
#include "apps/laboratory/benchmark/benchmark_cases.h"
#include "apps/tilewright/calls/call_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/choice/kernel_needs.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

// The variants that are asked for, and the devices that are named.
struct Asked {
    const VariantOptions &options;
    const std::vector<Device> &named;
    const TakesVariant &takes;

    // Those of one operator and type on one of the devices.
    std::vector<AskedVariant> variants(const Operator &op, const std::string &type, Device device) const {
        std::vector<AskedVariant> variants;
        for (const Variant &variant : op.variants()) {
            if (variant.type == type && variant.backend == device.backend && options.ask_for(variant) &&
                takes(variant, device)) {
                variants.push_back({&variant});
            }
        }
        return variants;
    }

    // The devices that are named. Without names the best one that can run a variant of the type, and, where
    // schedules are named of which it has no variant, the best one for each of these.
    std::vector<Device> devices(const Operator &op, const std::string &type) const {
        if (!named.empty()) {
            return named;
        }
        std::vector<Device> devices;
        const std::vector<std::string> any = {""};
        for (const std::string &schedule : options.schedules.empty() ? any : options.schedules) {
            std::vector<const Variant *> meant;
            for (const Variant &variant : op.variants()) {
                if (variant.type == type && options.ask_for(variant) &&
                    (schedule.empty() || variant.belongs_to(schedule))) {
                    meant.push_back(&variant);
                }
            }
            const bool is_served = std::any_of(meant.begin(), meant.end(), [&](const Variant *variant) {
                return std::any_of(devices.begin(), devices.end(), [&](Device device) {
                    return variant->backend == device.backend && takes(*variant, device);
                });
            });
            if (const auto best = best_device_for(meant); best && !is_served) {
                devices.push_back(*best);
            }
        }
        return devices;
    }
};

// One case for each device that has variants.
void add_cases(const Operator &op, const BenchmarkData &data, const Asked &asked, std::vector<Case> &cases) {
    for (const Device &device : asked.devices(op, data.type)) {
        std::vector<AskedVariant> variants = asked.variants(op, data.type, device);
        if (!variants.empty()) {
            cases.push_back({&op, data, device, std::move(variants), {}});
        }
    }
}

// The workload's own settings, each with the ones that were given in place of its own. Several that are the
// same then are one.
std::vector<Settings> settings_to_time(const Operator &op, const std::string &type, const Settings &given) {
    std::vector<Settings> all;
    for (Settings settings : workload_of(op).benchmark_settings(type)) {
        for (const auto &[name, value] : given.all()) {
            settings.set(name, value);
        }
        const auto is_same = [&](const Settings &other) { return other.all() == settings.all(); };
        if (std::none_of(all.begin(), all.end(), is_same)) {
            all.push_back(std::move(settings));
        }
    }
    return all;
}

// Each has data of one operator at least.
std::vector<DataSize> sizes_of(
    const std::vector<const Operator *> &chosen, const std::vector<std::string> &words) {
    std::vector<DataSize> sizes;
    for (const std::string &text : words) {
        const auto has_data = [&, size = size_of(text)](const Operator *op) {
            const std::vector<std::string> types = type_names(*op);
            return size.channels == 1 ||
                   std::any_of(types.begin(), types.end(),
                       [&](const std::string &type) { return workload_of(*op).takes_channels(type); });
        };
        if (std::none_of(chosen.begin(), chosen.end(), has_data)) {
            throw Error(Fault::usage,
                "no operator that was asked for takes several channels; leave the last number out",
                {.argument = "--size", .value = text});
        }
        sizes.push_back(size_of(text));
    }
    return sizes;
}

std::vector<Case> cases_of_samples(
    const std::vector<const Operator *> &chosen, const CaseOptions &options, const Asked &asked) {
    check_sample(options.data);
    const std::vector<DataSize> sizes = sizes_of(chosen, options.sizes);
    std::vector<Case> cases;
    for (const Operator *op : chosen) {
        const Settings given = settings_of(*op, options.data.of_operators.given);
        for (const std::string &type : type_names(*op)) {
            for (const DataSize &size :
                sizes.empty() ? std::vector<DataSize>{workload_of(*op).benchmark_size()} : sizes) {
                if (size.channels > 1 && !workload_of(*op).takes_channels(type)) {
                    continue;
                }
                for (const Settings &settings : settings_to_time(*op, type, given)) {
                    add_cases(*op, {type, size, settings, {}, options.row_bytes}, asked, cases);
                }
            }
        }
    }
    return cases;
}

std::vector<Case> cases_of_files(const Operator &op, const CaseOptions &options, const Asked &asked) {
    if (!options.sizes.empty()) {
        throw Error(Fault::usage, "the size is that of the files; leave one of the two out",
            {.operation = op.name(), .argument = "--size", .value = options.sizes.front()});
    }
    CallData files = call_data(op, options.data);
    const std::vector<std::string> &types = options.variants.types;
    if (!types.empty() && std::find(types.begin(), types.end(), files.request->type) == types.end()) {
        throw Error(Fault::usage, fmt::format("the files are {}; leave --type out", files.request->type),
            {.operation = op.name(), .argument = "--type", .value = joined(types, ",")});
    }
    const Sample sample{files.inputs, files.settings, files.what};
    std::vector<Case> cases;
    add_cases(op, {files.request->type, {0, 0}, {}, sample, options.row_bytes}, asked, cases);
    for (Case &one : cases) {
        one.conversions = files.conversions;
    }
    return cases;
}

// Puts each variant's points in its place.
void take_points(std::vector<Case> &cases, const TunableGrid &grid) {
    std::vector<const Variant *> all;
    for (const Case &one : cases) {
        for (const AskedVariant &asked : one.variants) {
            all.push_back(asked.variant);
        }
    }
    check_grid(all, grid);
    for (Case &one : cases) {
        std::vector<AskedVariant> variants;
        for (const AskedVariant &asked : one.variants) {
            const std::vector<TunableValues> points = points_of(*asked.variant, grid);
            for (const TunableValues &point : points) {
                variants.push_back({asked.variant, point});
            }
            if (points.empty()) {
                variants.push_back(asked);
            }
        }
        one.variants = std::move(variants);
    }
}

}  // namespace

std::vector<Device> devices_of(const std::vector<Case> &cases) {
    std::vector<Device> devices;
    for (const Case &one : cases) {
        if (std::find(devices.begin(), devices.end(), one.device) == devices.end()) {
            devices.push_back(one.device);
        }
    }
    return devices;
}

Variant AskedVariant::named() const {
    return point.empty() ? *variant : with_tunables(*variant, point);
}

bool runs_here(const Variant &variant, Device device) {
    return why_not_here(variant, {device}, true).empty();
}

void add_case_data(Command &command, CaseOptions &options) {
    command
        .add("--size", options.sizes,
            "WIDTHxHEIGHT or WIDTHxHEIGHTxCHANNELS, several separated by commas (default: the operator's "
            "own)")
        .commas()
        .one_word();
    command
        .add("--input", options.data.files,
            "Time on this file in place of random data; once for each input of the operator")
        .one_word()
        .value_name("FILE");
    command
        .add("--row-pitch", options.row_bytes,
            "Bytes from a row of the arrays to the next one; 0: no gaps (default: multiples of 64)")
        .range(0, 1 << 30)
        .value_name("BYTES");
    add_fitting(command, options.data.fit);
    add_options_of_operators(command, options.data.of_operators);
    add_limits(command, options.data.limits);
}

std::vector<Case> cases_of(const std::vector<const Operator *> &chosen, const CaseOptions &options,
    const std::vector<Device> &devices, const TakesVariant &takes) {
    check_variants(chosen, options.variants);
    check_options(chosen, options.data.of_operators);
    if (!options.data.files.empty() && chosen.size() != 1) {
        throw Error(Fault::usage, "files are the data of one operator; name it too",
            {.argument = "--input", .value = options.data.files.front()});
    }
    const Asked asked{options.variants, devices, takes};
    std::vector<Case> cases = options.data.files.empty() ? cases_of_samples(chosen, options, asked) :
                                                           cases_of_files(*chosen.front(), options, asked);
    if (cases.empty()) {
        std::vector<std::string> names;
        for (const Device &device : devices) {
            names.push_back(device.str());
        }
        throw Error(Fault::device,
            "none of the variants that were asked for can run here; `tilewright list` shows where they run, "
            "and "
            "`tilewright devices` what there is",
            {.device = names.empty() ? "auto" : joined(names, ",")});
    }
    if (const TunableGrid grid = grid_of(chosen.size() == 1 ? chosen.front()->name() : "", options.tunables);
        !grid.empty()) {
        take_points(cases, grid);
    }
    return cases;
}

}  // namespace tilewright::app
