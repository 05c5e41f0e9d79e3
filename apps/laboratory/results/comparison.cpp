// Matches the runs of two files, and says which differ by more than their spread.
#include "apps/laboratory/results/comparison.h"
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace tilewright::app {

namespace {

// Operator, variant or peer, type, device and data.
using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

const std::string &device_name(const TimedFile &file, const TimedRun &run) {
    return file.contexts[run.context].device_name;
}

// How the devices of two files are told apart: by backend and name, because "cuda:0" is another device on
// another machine. The word counts besides where several devices of one file have the same name, and it alone
// where a file does not name its devices.
class Devices {
public:
    Devices(const TimedFile &before, const TimedFile &after) {
        for (const TimedFile *file : {&before, &after}) {
            std::map<std::string, std::set<std::string>> words;
            for (const TimedRun &run : file->runs) {
                words[kind_of(*file, run)].insert(run.device);
                are_named_ &= !device_name(*file, run).empty();
            }
            for (const auto &[kind, of_kind] : words) {
                if (of_kind.size() > 1) {
                    several_.insert(kind);
                }
            }
        }
        if (are_named_) {
            find_different(before, after);
        }
    }

    Key key_of(const TimedFile &file, const TimedRun &run) const {
        std::string device = run.device;
        if (are_named_) {
            const std::string kind = kind_of(file, run);
            device = several_.contains(kind) ? kind + " " + run.device : kind;
        }
        return {run.op, run.name, run.type, device, run.data};
    }
    const std::vector<std::string> &different() const {
        return different_;
    }

private:
    static std::string kind_of(const TimedFile &file, const TimedRun &run) {
        return run.device.substr(0, run.device.find(':')) + " " + device_name(file, run);
    }

    void find_different(const TimedFile &before, const TimedFile &after) {
        std::map<std::string, std::string> old_names;
        for (const TimedRun &run : before.runs) {
            old_names[run.device] = device_name(before, run);
        }
        for (const TimedRun &run : after.runs) {
            const auto found = old_names.find(run.device);
            if (found != old_names.end() && found->second != device_name(after, run)) {
                different_.push_back(
                    run.device + " (" + found->second + ", " + device_name(after, run) + ")");
                old_names.erase(found);
            }
        }
    }

    bool are_named_ = true;
    std::set<std::string> several_;
    std::vector<std::string> different_;
};

using Runs = std::map<Key, const TimedRun *>;

Runs last_runs(const TimedFile &file, const Devices &devices) {
    Runs runs;
    for (const TimedRun &run : file.runs) {
        runs[devices.key_of(file, run)] = &run;
    }
    return runs;
}

Change verdict_of(const TimedRun &before, const TimedRun &after, double threshold) {
    if (after.p10 > before.p90 && after.median > before.median * (1 + threshold)) {
        return Change::slower;
    }
    if (after.p90 < before.p10 && after.median < before.median * (1 - threshold)) {
        return Change::faster;
    }
    return Change::within_noise;
}

}  // namespace

size_t Comparison::count(Change verdict) const {
    return (size_t)std::count_if(
        compared.begin(), compared.end(), [&](const ComparedRun &run) { return run.verdict == verdict; });
}

const char *word_of(Change verdict) {
    switch (verdict) {
    case Change::faster: return "faster";
    case Change::slower: return "slower";
    case Change::within_noise: return "within noise";
    }
    return "";
}

Comparison compare_runs(const TimedFile &before, const TimedFile &after, double threshold) {
    Comparison out;
    const Devices devices(before, after);
    out.different_devices = devices.different();
    const Runs old_runs = last_runs(before, devices), new_runs = last_runs(after, devices);
    for (const TimedRun &run : after.runs) {
        const Key key = devices.key_of(after, run);
        if (new_runs.at(key) != &run) {
            continue;
        }
        const auto found = old_runs.find(key);
        const TimedRun *old_run = found == old_runs.end() ? nullptr : found->second;
        if (run.wrong) {
            out.wrong.push_back(&run);
        } else if (run.timed && (!old_run || !old_run->timed)) {
            out.only_after.push_back(&run);
        } else if (run.timed) {
            out.compared.push_back({old_run, &run, verdict_of(*old_run, run, threshold)});
        } else if (old_run && old_run->timed) {
            out.not_timed.push_back(&run);
        }
    }
    for (const TimedRun &run : before.runs) {
        const Key key = devices.key_of(before, run);
        if (run.timed && old_runs.at(key) == &run && !new_runs.contains(key)) {
            out.only_before.push_back(&run);
        }
    }
    return out;
}

}  // namespace tilewright::app
