// Reads files of timed runs, of each program, into one shape.
#include "apps/laboratory/results/timed_runs.h"
#include "apps/tilewright/terminal/printing.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilewright::app {

namespace {

[[noreturn]] void refuse_file(const std::string &path, const std::string &why) {
    throw Error(Fault::input,
        fmt::format(
            "{}: give a file that `tilewright bench --json` or `tilewright explore --results` wrote", why),
        {.argument = path});
}

std::string text(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? one_line(found->get<std::string>()) : "";
}

double number(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

bool truth(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

// The variant of this program with that name, whatever its library: its sentence and its kernels are not in
// files.
const Variant *known_variant(
    const std::string &op, const std::string &schedule, const std::string &type, const std::string &backend) {
    static const auto variants = [] {
        std::map<std::string, const Variant *> all;
        for (const Operator *one : operators()) {
            for (const Variant &variant : one->variants()) {
                all.emplace(fmt::format("{}/{}/{}/{}", variant.op, variant.schedule, variant.type,
                                name_of(variant.backend)),
                    &variant);
            }
        }
        return all;
    }();
    const auto found = variants.find(fmt::format("{}/{}/{}/{}", op, schedule, type, backend));
    return found == variants.end() ? nullptr : found->second;
}

// ------------------------------------------------------------------------------------------ contexts

// The context of a run: that of its line, or the file's, in which the run's device is one of several.
RunContext context_of(const Json &context, const std::string &device) {
    RunContext out{.date = text(context, "date"),
        .tilewright = text(context, "tilewright"),
        .commit = text(context, "commit"),
        .halide = text(context, "halide"),
        .machine = text(context, "machine"),
        .device = device,
        .device_name = text(context, "device_name"),
        .driver = text(context, "driver"),
        .copy_rate = number(context, "copy_bytes_per_second")};
    const auto all = context.find("devices");
    if (all != context.end() && all->is_array()) {
        for (const Json &one : *all) {
            if (text(one, "device") == device) {
                out.device_name = text(one, "name");
                out.driver = text(one, "driver");
                out.copy_rate = std::max(out.copy_rate, number(one, "copy_bytes_per_second"));
            }
        }
    }
    return out;
}

// ---------------------------------------------------------------------------------------------- runs

// Which variant or peer it is.
void name_run(const Json &json, TimedRun &run) {
    const std::string peer = text(json, "peer");
    run.op = text(json, "operator");
    run.type = text(json, "type");
    if (!peer.empty()) {
        run.is_peer = true;
        run.name = "peer: " + peer;
        run.schedule = peer;
        return;
    }
    run.name = text(json, "variant");
    const std::vector<std::string> parts = parted(run.name, '/');
    if (parts.size() < 4) {
        return;
    }
    run.op = parts[0];
    run.schedule = parts[1];
    run.type = parts[2];
    run.backend = parts[3];
    if (parts.size() > 4 && parts[4].find('=') != std::string::npos) {
        run.point = parts[4];
    }
    run.family = text(json, "family");
    run.summary = text(json, "summary");
    if (const Variant *variant = known_variant(run.op, run.schedule, run.type, run.backend)) {
        run.family = run.family.empty() ? variant->family : run.family;
        run.summary = run.summary.empty() ? variant->summary : run.summary;
        if (variant->needs.threads > 0 && run.point.empty()) {
            run.kernels = fmt::format(
                "{} threads, {} B shared", variant->needs.threads, (long long)variant->needs.shared_bytes);
        }
    }
    if (run.family.empty()) {
        run.family = run.schedule;
    }
}

// What `explain` says of each kernel, where the file has it.
std::string kernels_text(const Json &json) {
    const auto kernels = json.find("kernels");
    std::vector<std::string> texts;
    if (kernels != json.end() && kernels->is_array()) {
        for (const Json &one : *kernels) {
            texts.push_back(fmt::format("{:.0f} registers, {:.0f} B spilled, {:.0f} B shared",
                number(one, "registers"), number(one, "spill_bytes"), number(one, "shared_bytes")));
        }
    }
    return joined(texts, "; ");
}

// "across=8, down=4"
std::string tunables_text(const Json &tunables) {
    std::vector<std::string> words;
    if (tunables.is_object()) {
        for (const auto &[name, value] : tunables.items()) {
            words.push_back(
                one_line(name + "=" + value.dump(-1, ' ', false, Json::error_handler_t::replace)));
        }
    }
    return joined(words, ", ");
}

void read_times(const Json &json, TimedRun &run) {
    const auto batch = json.find("batch");
    if (batch != json.end() && batch->is_object()) {
        run.median = number(*batch, "median");
        run.p10 = number(*batch, "p10");
        run.p90 = number(*batch, "p90");
    } else {
        run.median = number(json, "real_time");
    }
    run.timed = run.median > 0;
    if (run.timed && (run.p10 <= 0 || run.p90 < run.p10)) {
        run.p10 = run.p90 = run.median;
    }
}

TimedRun run_of(const Json &json) {
    TimedRun run;
    name_run(json, run);
    run.device = text(json, "device");
    run.data = text(json, "data");
    run.width = number(json, "width");
    run.height = number(json, "height");
    run.channels = std::max(1., number(json, "channels"));  // files of before 2026-11-23 have none
    run.bytes = number(json, "bytes");
    run.flops = number(json, "flops");
    run.chosen = truth(json, "chosen");
    run.verified = truth(json, "verified");
    if (const auto tunables = json.find("tunables"); tunables != json.end()) {
        run.tunables = tunables_text(*tunables);
    }
    if (const std::string kernels = kernels_text(json); !kernels.empty()) {
        run.kernels = kernels;
    }
    run.again = truth(json, "again");
    run.process = (size_t)std::clamp(number(json, "process"), 0., 1e6);
    run.sets = (size_t)std::clamp(number(json, "buffer_sets"), 0., 1e6);
    read_times(json, run);
    run.wrong = !text(json, "wrong").empty();
    run.failed = !text(json, "failed").empty() || text(json, "skipped").starts_with("FAILED");
    for (const char *reason : {"failed", "skipped", "wrong", "unverified"}) {
        if (run.why_not.empty()) {
            run.why_not = one_line(text(json, reason));
        }
    }
    return run;
}

// A file while it is read.
class Reading {
public:
    explicit Reading(const std::string &path) : file{path, {}, {}, 0} {}

    void add(const Json &json, const Json &context) {
        TimedRun run = json.is_object() ? run_of(json) : TimedRun{};
        if (run.op.empty() || run.name.empty()) {
            refuse_file(file.path, fmt::format("run {} names no variant and no peer", file.runs.size() + 1));
        }
        run.context = index_of(context_of(context, run.device));
        file.runs.push_back(std::move(run));
    }

    TimedFile file;

private:
    // The place of the context among those of the file. Lines differ in their dates alone: the first one is
    // kept.
    size_t index_of(const RunContext &context) {
        RunContext without_date = context;
        without_date.date.clear();
        const auto [place, is_new] = places_.emplace(std::move(without_date), file.contexts.size());
        if (is_new) {
            file.contexts.push_back(context);
        }
        return place->second;
    }

    std::map<RunContext, size_t> places_;  // without their dates
};

void check_version(const Json &json, const std::string &path) {
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer()) {
        refuse_file(path, "it has no version and so is no file of timed runs");
    }
    if (*version != Json(json_version)) {
        refuse_file(path,
            fmt::format("it is of version {}, and this program reads {}", version->dump(), json_version));
    }
}

const Json &context_in(const Json &json, const std::string &path) {
    const auto context = json.find("context");
    if (context == json.end() || !context->is_object()) {
        refuse_file(path, "it does not say with what its runs were timed (\"context\")");
    }
    return *context;
}

TimedFile read_lines(const std::string &content, const std::string &path) {
    Reading reading(path);
    std::istringstream lines(content);
    std::string line;
    for (size_t number = 1; std::getline(lines, line); number++) {
        if (line.find_first_not_of(" \r") == std::string::npos) {
            continue;
        }
        const bool last = lines.eof();
        const Json json = json_in(line, path);
        if (!json.is_object()) {
            if (last && number > 1) {  // a program that was ended while it wrote
                reading.file.cut_lines = 1;
                break;
            }
            refuse_file(path, fmt::format("line {} is no JSON object", number));
        }
        check_version(json, path);
        reading.add(json, context_in(json, path));
    }
    return std::move(reading.file);
}

}  // namespace

TimedFile timed_file(const Json &report, const std::string &path) {
    if (!report.is_object()) {
        refuse_file(path, "it is no JSON object");
    }
    check_version(report, path);
    Reading reading(path);
    const Json &context = context_in(report, path);
    const auto runs = report.find("runs");
    if (runs == report.end()) {
        reading.add(report, context);  // a file of one line
    } else if (!runs->is_array()) {
        refuse_file(path, "its \"runs\" are no list");
    } else {
        for (const Json &run : *runs) {
            reading.add(run, context);
        }
    }
    return std::move(reading.file);
}

TimedFile files_as_one(std::vector<TimedFile> files) {
    TimedFile all = std::move(files.front());
    for (size_t i = 1; i < files.size(); i++) {
        size_t next = 0;
        for (const TimedRun &run : all.runs) {
            next = std::max(next, run.process + 1);
        }
        for (TimedRun &run : files[i].runs) {
            run.process += next;
            run.context += all.contexts.size();
            all.runs.push_back(std::move(run));
        }
        all.contexts.insert(all.contexts.end(), files[i].contexts.begin(), files[i].contexts.end());
        all.cut_lines += files[i].cut_lines;
    }
    if (files.size() > 1) {
        all.path += fmt::format(" and {} more", files.size() - 1);
    }
    return all;
}

TimedFile read_timed_file(const std::string &path) {
    const std::string content = json_text_of(path);
    const Json whole = json_in(content, path);
    TimedFile file = whole.is_discarded() ? read_lines(content, path) : timed_file(whole, path);
    if (file.runs.empty()) {
        refuse_file(path, "it has no run");
    }
    return file;
}

}  // namespace tilewright::app
