// Matches the runs of two sides, and says which differ by more than noise.
#include "apps/laboratory/results/comparison.h"
#include "apps/laboratory/results/rank_test.h"
#include <algorithm>
#include <functional>
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

// The runs of one key in a side, in the order of the file: of each process the last one.
using Runs = std::map<Key, std::vector<const TimedRun *>>;

Runs runs_by_key(const TimedFile &file, const Devices &devices) {
    Runs runs;
    for (const TimedRun &run : file.runs) {
        std::vector<const TimedRun *> &of_key = runs[devices.key_of(file, run)];
        std::erase_if(of_key, [&](const TimedRun *one) { return one->process == run.process; });
        of_key.push_back(&run);
    }
    return runs;
}

RunsOfSide timed_runs(const std::vector<const TimedRun *> &runs) {
    RunsOfSide side;
    for (const TimedRun *run : runs) {
        if (run->timed) {
            side.last = run;
            side.times.push_back(run->median);
        }
    }
    return side;
}

// One run of each side has no spread but that of its own calls.
bool are_apart(const RunsOfSide &low, const RunsOfSide &high) {
    return low.times.size() == 1 && high.times.size() == 1 ? low.last->p90 < high.last->p10 :
                                                             low.most() < high.least();
}

void judge(Comparison &out, const ComparisonRule &rule) {
    std::vector<double> probabilities;
    const auto variants = double(out.compared.size());
    for (const ComparedRun &run : out.compared) {
        probabilities.push_back(rank_test(run.before.times, run.after.times));
        const size_t before = run.before.times.size(), after = run.after.times.size();
        if (least_probability(before, after) * variants > rule.alpha) {
            out.runs_needed = std::max(out.runs_needed, std::min(before, after) + 1);
        }
    }
    while (
        out.runs_needed > 0 && least_probability(out.runs_needed, out.runs_needed) * variants > rule.alpha) {
        out.runs_needed++;
    }
    const std::vector<double> corrected = holm(probabilities);
    for (size_t i = 0; i < corrected.size(); i++) {
        ComparedRun &run = out.compared[i];
        run.probability = corrected[i];
        const bool is_slower = run.ratio() > 1 + rule.threshold, is_faster = run.ratio() < 1 - rule.threshold;
        const bool is_decided = run.probability <= rule.alpha;
        const bool can_be_decided =
            least_probability(run.before.times.size(), run.after.times.size()) * variants <= rule.alpha;
        if (is_slower && (is_decided || (!can_be_decided && are_apart(run.before, run.after)))) {
            run.verdict = is_decided ? Change::slower : Change::perhaps_slower;
        } else if (is_faster && (is_decided || (!can_be_decided && are_apart(run.after, run.before)))) {
            run.verdict = is_decided ? Change::faster : Change::perhaps_faster;
        }
    }
}

const TimedRun *first_that(
    const std::vector<const TimedRun *> &runs, const std::function<bool(const TimedRun &)> &holds) {
    const auto found =
        std::find_if(runs.begin(), runs.end(), [&](const TimedRun *run) { return holds(*run); });
    return found == runs.end() ? nullptr : *found;
}

}  // namespace

double RunsOfSide::median() const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

double RunsOfSide::least() const {
    return *std::min_element(times.begin(), times.end());
}

double RunsOfSide::most() const {
    return *std::max_element(times.begin(), times.end());
}

size_t Comparison::count(Change verdict) const {
    return (size_t)std::count_if(
        compared.begin(), compared.end(), [&](const ComparedRun &run) { return run.verdict == verdict; });
}

const char *word_of(Change verdict) {
    switch (verdict) {
    case Change::faster: return "faster";
    case Change::slower: return "slower";
    case Change::within_noise: return "within noise";
    case Change::perhaps_faster: return "perhaps faster";
    case Change::perhaps_slower: return "perhaps slower";
    }
    return "";
}

Comparison compare_runs(const TimedFile &before, const TimedFile &after, const ComparisonRule &rule) {
    Comparison out;
    const Devices devices(before, after);
    out.different_devices = devices.different();
    const Runs old_runs = runs_by_key(before, devices), new_runs = runs_by_key(after, devices);
    for (const TimedRun &run : after.runs) {
        const Key key = devices.key_of(after, run);
        const std::vector<const TimedRun *> &runs = new_runs.at(key);
        if (runs.back() != &run) {
            continue;
        }
        const auto found = old_runs.find(key);
        const RunsOfSide old_side = found == old_runs.end() ? RunsOfSide{} : timed_runs(found->second),
                         new_side = timed_runs(runs);
        const TimedRun *wrong = first_that(runs, [](const TimedRun &one) { return one.wrong; });
        const TimedRun *failed = first_that(runs, [](const TimedRun &one) { return one.failed; });
        if (wrong) {
            out.wrong.push_back(wrong);
        } else if (old_side.last && (failed || !new_side.last)) {
            out.not_timed.push_back(failed ? failed : &run);
        } else if (old_side.last) {
            out.compared.push_back({old_side, new_side});
        } else if (new_side.last) {
            out.only_after.push_back(new_side.last);
        }
    }
    for (const TimedRun &run : before.runs) {
        const Key key = devices.key_of(before, run);
        if (run.timed && old_runs.at(key).back() == &run && !new_runs.contains(key)) {
            out.only_before.push_back(&run);
        }
    }
    judge(out, rule);
    return out;
}

}  // namespace tilewright::app
