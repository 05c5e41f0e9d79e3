// `calibrate`: measures this machine's devices, so that `tuned` and `auto` choose by times that hold here.
#include "apps/tilewright/calibration/calibration.h"
#include "apps/tilewright/command_line/command_line.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/commands/commands.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "apps/tilewright/timing/machine.h"
#include "apps/tilewright/timing/threads.h"
#include "runtime/measured/measured.h"
#include "tilewright/error.h"
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilewright::app {

namespace {

struct CalibrateOptions {
    std::vector<std::string> operators, from;
    std::string device, output;
    double seconds = 0;  // 0: not given
    bool path = false, clear = false;
};

// The folder of the files. Errors: usage, where there is none.
std::string folder() {
    const std::string folder = measured_folder();
    if (folder.empty()) {
        throw Error(Fault::usage,
            "nothing is kept: TILEWRIGHT_MEASURED is off, or neither XDG_CONFIG_HOME nor HOME is set",
            {.operation = "calibrate"});
    }
    return folder;
}

void clear() {
    size_t count = 0;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder(), error)) {
        std::string why_not;
        if (entry.path().extension() == ".json" && read_measurements(entry.path().string(), why_not)) {
            std::error_code failed;
            count += std::filesystem::remove(entry.path(), failed);
            if (failed) {
                throw Error(Fault::failed,
                    fmt::format("it cannot be removed: {}; remove it by hand", failed.message()),
                    {.operation = "calibrate", .argument = "file", .value = entry.path().string()});
            }
        }
    }
    print(plural(count, "file") + " removed\n");
}

void write(const MeasuredFile &file, const std::string &path, const Json &origin, bool keeps_older) {
    const PredictionError error = file.write(path, origin, keeps_older);
    print(fmt::format("{}: {} times of variants\n", one_line(path), file.points()));
    if (error.times > 0) {
        print(fmt::format("each call predicted from the others: half of {} times are within a factor of "
                          "{:.3g}, nine in ten within {:.3g}\n",
            error.times, error.median, error.most));
    }
}

void import(const CalibrateOptions &options) {
    Json origin;
    std::vector<std::string> others;
    const MeasuredFile file = joined_calibrations(options.from, origin, others);
    for (const std::string &other : others) {
        print_remark(fmt::format("tilewright: calibrate: the times of {} are left out: the file is of {}\n",
            one_line(other), one_line(file.device().text())));
    }
    const std::string path = options.output.empty() ? folder() + "/" + file.name() : options.output;
    write(file, path, origin, false);
}

void measure(const CalibrateOptions &options) {
    const auto chosen = chosen_operators(options.operators);
    const std::vector<Device> devices = chosen_devices(options.device);
    const std::string where = options.output.empty() ? folder() : "";
    if (!options.output.empty() && devices.size() > 1) {
        throw Error(Fault::usage, "one file has the times of one device; name it by --device",
            {.operation = "calibrate", .argument = "--output", .value = options.output});
    }
    constexpr double default_seconds = 30;
    const double seconds = options.seconds > 0 ? options.seconds : default_seconds;
    pin_threads();
    for (const Device device : devices) {
        const DeviceInfo &info = device_info(device);
        const Json about = context({device});
        MeasuredFile file(measured_on(info));
        const std::string path = where.empty() ? options.output : where + "/" + file.name();
        check_place_of_times(path);
        const Calibrated done = calibrate(file, chosen, device, seconds / (double)devices.size());
        write(file, path,
            {{"date", about.at("date")}, {"tilewright", about.at("tilewright")},
                {"commit", about.at("commit")}, {"halide", about.at("halide")},
                {"machine", fmt::format("{} CPUs", about.at("num_cpus").get<int>())},
                {"how", "`tilewright calibrate`: the least of several measurements, variants by turns"}},
            options.output.empty());
        if (done.calls < done.of) {
            print_remark(
                fmt::format("tilewright: calibrate: {}: {} of {} sets of data were measured; give it more "
                            "--seconds for the others\n",
                    info.device.str(), done.calls, done.of));
        }
    }
}

// Refuses what says nothing for the task that is asked for.
void check(const CalibrateOptions &options) {
    const std::pair<const char *, bool> tasks[] = {
        {"--path", options.path}, {"--clear", options.clear}, {"--from", !options.from.empty()}};
    const char *task = nullptr;
    for (const auto &[name, is_given] : tasks) {
        if (is_given && task) {
            throw Error(Fault::usage, fmt::format("{} is another task; give one of the two", task),
                {.operation = "calibrate", .argument = name});
        }
        task = is_given ? name : task;
    }
    const bool is_import = !options.from.empty();
    const std::pair<const char *, bool> others[] = {{"operator", !options.operators.empty()},
        {"--device", !options.device.empty()}, {"--seconds", options.seconds > 0},
        {"--output", !options.output.empty() && !is_import}};
    for (const auto &[name, is_given] : others) {
        if (task && is_given) {
            throw Error(Fault::usage, fmt::format("{} measures nothing; leave this out", task),
                {.operation = "calibrate", .argument = name});
        }
    }
}

void run_calibrate(const CalibrateOptions &options) {
    check(options);
    if (options.path) {
        print(one_line(folder()) + "\n");
    } else if (options.clear) {
        clear();
    } else if (!options.from.empty()) {
        import(options);
    } else {
        measure(options);
    }
}

}  // namespace

void add_calibrate(CommandLine &line) {
    Command command = line.add(
        "calibrate", "Measures this machine, so that `tuned` and `auto` choose what is fastest here");
    static CalibrateOptions options;
    command.add("operator", options.operators, "Operators (default: all)");
    command.add("--device", options.device, "cpu, cuda[:i] or opencl[:i] (default: all of this machine)");
    command.add("--seconds", options.seconds, "Seconds that it may take, about")
        .default_text("30")
        .seconds(.1, 1e6);
    command
        .add("--from", options.from,
            "Take the times from files of `calibrate`, of this or another machine, and measure nothing; of "
            "several times of a variant the least; one file is written anew")
        .commas()
        .value_name("FILE,...");
    command
        .add("--output", options.output,
            "The file to write anew (default: the device's, in the folder, which keeps its times of other "
            "operators)")
        .value_name("FILE");
    command.add_flag("--path", options.path, "Print the folder of the files");
    command.add_flag("--clear", options.clear, "Remove the files");
    command.footer("The files are read by every program at the first use of a device. The folder is\n"
                   "TILEWRIGHT_MEASURED, else XDG_CONFIG_HOME/tilewright/measured, else\n"
                   "~/.config/tilewright/measured; with TILEWRIGHT_MEASURED=off no file is read or written.\n"
                   "Examples:\n"
                   "  tilewright calibrate --seconds 60\n"
                   "  tilewright calibrate --path\n");
    command.run([] { run_calibrate(options); });
}

}  // namespace tilewright::app
