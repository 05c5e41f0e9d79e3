// Makes cases of operators, types, sizes, settings and devices, or of files.
#include "apps/tilewright/support/benchmark_cases.h"
#include "apps/tilewright/support/report.h"
#include <algorithm>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

// The rows of one operator and type that were asked for and can run on the device.
std::vector<AskedRow> rows_of(
    const Operator &op, const std::string &type, const RowWords &words, Device device) {
    std::vector<AskedRow> rows;
    for (const Row &row : op.rows()) {
        if (row.type == type && row.backend == device.backend && words.ask_for(row) &&
            why_not_here(row, {device}, true).empty()) {
            rows.push_back({&row});
        }
    }
    return rows;
}

// One case for each device that has rows.
void add_cases(const Operator &op, const BenchmarkData &data, const RowWords &words,
    const std::vector<Device> &devices, std::vector<Case> &cases) {
    for (const Device &device : devices) {
        std::vector<AskedRow> rows = rows_of(op, data.type, words, device);
        if (!rows.empty()) {
            cases.push_back({&op, data, device, std::move(rows), {}});
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

std::vector<Case> cases_of_samples(
    const std::vector<const Operator *> &chosen, const CaseWords &words, const std::vector<Device> &devices) {
    check_sample(words.data);
    std::vector<Size> sizes;
    for (const std::string &text : words.sizes) {
        sizes.push_back(size_of(text));
    }
    std::vector<Case> cases;
    for (const Operator *op : chosen) {
        const Settings given = settings_of(*op, words.data.options.options);
        for (const std::string &type : type_names(*op)) {
            for (const Size &size :
                sizes.empty() ? std::vector<Size>{workload_of(*op).benchmark_size()} : sizes) {
                for (const Settings &settings : settings_to_time(*op, type, given)) {
                    add_cases(*op, {type, size, settings, {}, words.row_bytes}, words.rows, devices, cases);
                }
            }
        }
    }
    return cases;
}

std::vector<Case> cases_of_files(
    const Operator &op, const CaseWords &words, const std::vector<Device> &devices) {
    if (!words.sizes.empty()) {
        throw Error(Fault::usage, "the size is that of the files; leave one of the two out",
            {.operation = op.name(), .argument = "--size", .value = words.sizes.front()});
    }
    CallData files = call_data(op, words.data);
    const std::vector<std::string> &types = words.rows.types;
    if (!types.empty() && std::find(types.begin(), types.end(), files.request->type) == types.end()) {
        throw Error(Fault::usage, fmt::format("the files are {}; leave --type out", files.request->type),
            {.operation = op.name(), .argument = "--type", .value = joined(types, ",")});
    }
    const Sample sample{files.inputs, files.settings, files.what};
    std::vector<Case> cases;
    add_cases(op, {files.request->type, {0, 0}, {}, sample, words.row_bytes}, words.rows, devices, cases);
    for (Case &one : cases) {
        one.conversions = files.conversions;
    }
    return cases;
}

// Puts each row's points in its place.
void take_points(std::vector<Case> &cases, const TunableGrid &grid) {
    std::vector<const Row *> all;
    for (const Case &one : cases) {
        for (const AskedRow &asked : one.rows) {
            all.push_back(asked.row);
        }
    }
    check_grid(all, grid);
    for (Case &one : cases) {
        std::vector<AskedRow> rows;
        for (const AskedRow &asked : one.rows) {
            const std::vector<TunableValues> points = points_of(*asked.row, grid);
            for (const TunableValues &point : points) {
                rows.push_back({asked.row, point});
            }
            if (points.empty()) {
                rows.push_back(asked);
            }
        }
        one.rows = std::move(rows);
    }
}

}  // namespace

Row AskedRow::named() const {
    return point.empty() ? *row : with_tunables(*row, point);
}

std::vector<Case> cases_of(
    const std::vector<const Operator *> &chosen, const CaseWords &words, const std::vector<Device> &devices) {
    check_rows(chosen, words.rows);
    check_options(chosen, words.data.options);
    if (!words.data.files.empty() && chosen.size() != 1) {
        throw Error(Fault::usage, "files are the data of one operator; name it too",
            {.operation = "bench", .argument = "--input", .value = words.data.files.front()});
    }
    std::vector<Case> cases = words.data.files.empty() ? cases_of_samples(chosen, words, devices) :
                                                         cases_of_files(*chosen.front(), words, devices);
    if (cases.empty()) {
        std::vector<std::string> names;
        for (const Device &device : devices) {
            names.push_back(device.str());
        }
        throw Error(Fault::device,
            "none of the rows that were asked for can run here; `tilewright list` shows where they run",
            {.device = joined(names, ",")});
    }
    if (const TunableGrid grid = grid_of(words.tunables); !grid.empty()) {
        take_points(cases, grid);
    }
    return cases;
}

}  // namespace tilewright::app
