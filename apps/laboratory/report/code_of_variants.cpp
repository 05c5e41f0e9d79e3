// Runs the generator programs for the variants that a report shows.
#include "apps/laboratory/report/code_of_variants.h"
#include "apps/laboratory/report/compressed.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/built_variants/tunables.h"
#include "apps/tilewright/foreign/foreign_operator.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/progress.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include <fmt/format.h>

namespace tilewright::app {

namespace {

constexpr size_t longest = 120'000;         // characters of one source; PTX of a long kernel has a million
constexpr size_t all_together = 1'500'000;  // bytes, each source compressed by itself

// What is asked of a generator: a variant with the tunables of a point.
using Wanted = std::map<std::string, Variant>;

// The variant of this program that a run timed, with the point's tunables. Nothing for a variant that it does
// not have.
const Variant *variant_of(const TimedRun &run) {
    std::vector<const Operator *> all = foreign_operators();
    all.insert(all.end(), operators().begin(), operators().end());
    for (const Operator *op : all) {
        for (const Variant &variant : op->variants()) {
            if (op->name() == run.op && variant.schedule == run.schedule && variant.type == run.type &&
                name_of(variant.backend) == run.backend && variant.declined.empty()) {
                return &variant;
            }
        }
    }
    return nullptr;
}

void want(Wanted &wanted, const TimedRun &run) {
    const Variant *found = variant_of(run);
    if (!found) {
        return;
    }
    Variant variant = *found;
    for (const std::string &word : parted(run.point)) {
        const size_t equals = word.find('=');
        for (Variant::Tunable &tunable : variant.tunables) {
            if (equals != std::string::npos && tunable.name == word.substr(0, equals)) {
                tunable.value =
                    value_of(variant.op, tunable.name, word.substr(equals + 1)).value_or(tunable.value);
            }
        }
    }
    wanted.emplace(run.name, std::move(variant));
}

// Of each operator, type, device and data: the chosen variant, the fastest variant, and the fastest point.
Wanted best_of(const std::vector<TimedRun> &runs) {
    Wanted wanted;
    std::map<std::string, const TimedRun *> best;
    for (const TimedRun &run : runs) {
        if (!run.timed || run.is_peer) {
            continue;
        }
        if (run.chosen) {
            want(wanted, run);
        }
        const TimedRun *&least = best[fmt::format(
            "{} {} {} {} {}", run.op, run.data, run.type, run.device, run.point.empty() ? "" : "point")];
        if (!least || run.median < least->median) {
            least = &run;
        }
    }
    for (const auto &[of, run] : best) {
        want(wanted, *run);
    }
    return wanted;
}

Wanted all_of(const std::vector<TimedRun> &runs) {
    Wanted wanted;
    for (const TimedRun &run : runs) {
        if (run.timed && !run.is_peer) {
            want(wanted, run);
        }
    }
    return wanted;
}

std::string cut(std::string text) {
    if (text.size() > longest) {
        const size_t more = text.size() - longest;
        text.resize(longest);
        text += fmt::format("\n... {} more characters: `tilewright show` prints all of them\n", more);
    }
    return text;
}

}  // namespace

Sources sources_of(const std::vector<TimedRun> &runs, SourcesOf which) {
    Sources out;
    if (which == SourcesOf::none) {
        return out;
    }
    const Wanted wanted = which == SourcesOf::all ? all_of(runs) : best_of(runs);
    Progress progress("code of variants", wanted.size());
    size_t size = 0, left_out = 0;
    std::string why;
    for (const auto &[name, variant] : wanted) {
        progress.step(name);
        if (size > all_together) {
            left_out++;
            continue;
        }
        try {
            const std::string generator = generator_of(variant);
            std::map<std::string, std::string> one = {{"loops", cut(generated(generator, variant, "loops"))}};
            if (variant.backend != Backend::cpu) {
                one["kernels"] = cut(generated(generator, variant, "kernels"));
            }
            for (const auto &[part, text] : one) {
                size += packed(text).size();
            }
            if (size > all_together) {
                left_out++;
                why = "the report would be too large";
            } else {
                out.code[name] = std::move(one);
            }
        } catch (const Error &error) {
            left_out++;
            why = error.what();
        }
    }
    Progress::hide();
    if (left_out > 0) {
        out.missing = fmt::format(
            "The code of {} of {} variants is not in this report: {}.", left_out, wanted.size(), why);
    }
    return out;
}

}  // namespace tilewright::app
