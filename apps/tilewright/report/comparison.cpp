// Matches the runs of two files, and says which differ by more than their spread.
#include "apps/tilewright/report/comparison.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::app {

namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
using Runs = std::map<Key, const TimedRun *>;

Key key_of(const TimedRun &run) {
    return {run.op, run.name, run.type, run.device, run.data};
}

Runs last_runs(const TimedFile &file) {
    Runs runs;
    for (const TimedRun &run : file.runs) {
        runs[key_of(run)] = &run;
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
    const Runs old_runs = last_runs(before), new_runs = last_runs(after);
    for (const TimedRun &run : after.runs) {
        if (new_runs.at(key_of(run)) != &run) {
            continue;
        }
        const auto found = old_runs.find(key_of(run));
        const TimedRun *old_run = found == old_runs.end() ? nullptr : found->second;
        if (run.wrong) {
            out.wrong.push_back(&run);
        } else if (run.timed && (!old_run || !old_run->timed)) {
            out.only_after.push_back(&run);
        } else if (run.timed) {
            out.compared.push_back({old_run, &run, verdict_of(*old_run, run, threshold)});
            out.other_device = out.other_device || before.contexts[old_run->context].device_name !=
                                                       after.contexts[run.context].device_name;
        } else if (old_run && old_run->timed) {
            out.not_timed.push_back(&run);
        }
    }
    for (const TimedRun &run : before.runs) {
        if (run.timed && old_runs.at(key_of(run)) == &run && !new_runs.contains(key_of(run))) {
            out.only_before.push_back(&run);
        }
    }
    return out;
}

}  // namespace tilewright::app
