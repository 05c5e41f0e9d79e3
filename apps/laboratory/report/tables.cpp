// HTML tables of files and runs.
#include "apps/laboratory/report/tables.h"
#include "apps/tilewright/terminal/printing.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tilewright::app {

namespace {

constexpr size_t most_points = 20;    // of one variant, device and data that a table lists: the fastest ones
constexpr size_t most_untimed = 200;  // lines of the table of what was not timed
constexpr size_t most_answers = 60;   // lines of the table at the top

std::string cells(const std::vector<std::string> &texts, const char *tag = "td") {
    std::string line = "<tr>";
    for (const std::string &text : texts) {
        line += fmt::format("<{0}>{1}</{0}>", tag, text);
    }
    return line + "</tr>\n";
}

// The runs of each operator, in the order in which data names the operators.
using RunsOfOperator = std::pair<std::string, std::vector<const TimedRun *>>;
std::vector<RunsOfOperator> by_operator(const ReportData &data) {
    std::vector<RunsOfOperator> all;
    std::map<std::string, size_t> places;
    for (const TimedRun &run : data.runs) {
        const auto [place, is_new] = places.emplace(run.op, all.size());
        if (is_new) {
            all.push_back({run.op, {}});
        }
        all[place->second].second.push_back(&run);
    }
    return all;
}

std::string rate(double amount, double ms) {
    return amount > 0 ? fmt::format("{:.1f}", amount / ms / 1e6) : "";
}

std::string verified_text(const TimedRun &run) {
    if (run.verified) {
        return "yes";
    }
    return run.why_not.empty() ? "no" : "no: " + html(run.why_not);
}

std::string line_of(const TimedRun &run, const ReportData &data) {
    const std::string name = run.is_peer ? "<i>" + html(run.name) + "</i>" : html(run.name);
    const std::string mark =
        run.chosen ? " <b title=\"the variant that a call without --schedule runs\">★</b>" : "";
    return cells({name + mark, html(run.data), html(data.devices[run.context]),
        fmt::format("{:.4g}", run.median), fmt::format("{:.4g} to {:.4g}", run.p10, run.p90),
        rate(run.bytes, run.median), rate(run.flops, run.median), html(run.kernels), verified_text(run)});
}

// The runs of an operator that a table lists: all variants and peers, and of the points the fastest ones.
std::vector<const TimedRun *> listed(const std::vector<const TimedRun *> &of_operator, size_t &left_out) {
    std::map<std::string, std::vector<const TimedRun *>> points;
    std::vector<const TimedRun *> runs;
    for (const TimedRun *run : of_operator) {
        if (!run->timed || run->wrong) {
            continue;
        }
        if (run->point.empty()) {
            runs.push_back(run);
        } else {
            points[fmt::format("{} {} {} {}", run->schedule, run->type, run->data, run->context)].push_back(
                run);
        }
    }
    left_out = 0;
    for (auto &[of, some] : points) {
        std::stable_sort(some.begin(), some.end(),
            [](const TimedRun *a, const TimedRun *b) { return a->median < b->median; });
        const size_t count = std::min(some.size(), most_points);
        left_out += some.size() - count;
        runs.insert(runs.end(), some.begin(), some.begin() + (std::ptrdiff_t)count);
    }
    return runs;
}

std::string section(const ReportData &data, const RunsOfOperator &of_operator) {
    const auto &[op, all] = of_operator;
    size_t left_out = 0;
    const std::vector<const TimedRun *> runs = listed(all, left_out);
    if (runs.empty()) {
        return "";
    }
    std::string lines;
    for (const TimedRun *run : runs) {
        lines += line_of(*run, data);
    }
    const std::string more =
        left_out > 0 ?
            fmt::format("<p>{} slower points are in no line; the heat maps show them.</p>\n", left_out) :
            "";
    return fmt::format(
        "<section class=\"operator\" id=\"{0}\" data-operator=\"{0}\">\n<h2>{0}</h2>\n"
        "<div class=\"drawn\"></div>\n<details><summary>All times of {0} as a table</summary>\n"
        "<table>\n<thead>{1}</thead>\n<tbody>\n{2}</tbody>\n</table>\n{3}</details>\n</section>\n",
        html(op),
        cells({"variant or peer", "data", "device", "ms", "p10 to p90", "GB/s", "GFLOP/s", "kernel",
                  "verified"},
            "th"),
        lines, more);
}

// One operator, data and device: the run of the variant that a call takes, of the fastest peer and of the
// variant `reference`.
struct Answer {
    const TimedRun *tuned = nullptr, *peer = nullptr, *reference = nullptr;

    void take(const TimedRun &run) {
        const auto is_less = [&](const TimedRun *than) { return !than || run.median < than->median; };
        if (run.is_peer) {
            peer = run.verified && is_less(peer) ? &run : peer;
        } else if (run.point.empty() && run.schedule == "reference") {
            reference = &run;
        } else if (run.point.empty() && run.family == "tuned" && (!tuned || !tuned->chosen)) {
            tuned = run.chosen || is_less(tuned) ? &run : tuned;
        }
    }
};

std::string times_as_fast(const TimedRun *other, const TimedRun &tuned) {
    return other ? fmt::format("{:.3g} ×", other->median / tuned.median) : "";
}

// With what a run was timed, as the cells of a line: all but file and date.
std::vector<std::string> origin_of(const RunContext &context) {
    return {html(context.device_name + (context.device.empty() ? "" : " (" + context.device + ")")),
        html(context.driver), html(context.machine),
        context.copy_rate > 0 ? html(bytes(context.copy_rate) + "/s") : "",
        html(context.tilewright.empty() || context.commit.empty() ?
                 context.tilewright + context.commit :
                 context.tilewright + ", commit " + context.commit),
        html(context.halide)};
}

}  // namespace

std::string html(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string title_of(const ReportData &data) {
    std::vector<std::string> names;
    for (const RunsOfOperator &one : by_operator(data)) {
        names.push_back(one.first);
    }
    return fmt::format("{} on {}",
        names.size() <= 3 ? joined(names, ", ") : fmt::format("{} operators", names.size()),
        joined(data.devices, ", "));
}

std::string files_table(const std::vector<TimedFile> &files) {
    std::vector<std::vector<std::string>> origins;
    std::map<std::vector<std::string>, size_t> places;  // of origins
    // the files' names; first and last date
    std::vector<std::pair<std::vector<std::string>, std::string>> dates;
    for (const TimedFile &file : files) {
        for (const RunContext &context : file.contexts) {
            const std::vector<std::string> origin = origin_of(context);
            const auto [place, is_new] = places.emplace(origin, origins.size());
            const size_t at = place->second;
            if (is_new) {
                origins.push_back(origin);
                dates.push_back({{}, context.date});
            }
            const std::string name = html(file.path.substr(file.path.rfind('/') + 1));
            if (dates[at].first.empty() || dates[at].first.back() != name) {
                dates[at].first.push_back(name);
            }
            dates[at].second = std::min(dates[at].second, context.date);
        }
    }
    std::string lines;
    for (size_t i = 0; i < origins.size(); i++) {
        const std::vector<std::string> &names = dates[i].first;
        std::vector<std::string> line = {
            names.size() <= 4 ? joined(names, ", ") :
                                fmt::format("{} files, {} to {}", names.size(), names.front(), names.back()),
            dates[i].second.empty() ? "" : "from " + html(dates[i].second)};
        line.insert(line.end(), origins[i].begin(), origins[i].end());
        lines += cells(line);
    }
    return "<table>\n<thead>" +
           cells({"file", "date", "device", "driver", "machine", "copies", "tilewright", "Halide"}, "th") +
           "</thead>\n<tbody>\n" + lines + "</tbody>\n</table>\n";
}

std::string answers(const ReportData &data) {
    std::vector<Answer> all;
    std::map<std::string, size_t> places;
    for (const TimedRun &run : data.runs) {
        if (run.timed && !run.wrong) {
            const std::string key = fmt::format("{} {} {}", run.op, run.data, run.context);
            const auto [place, is_new] = places.emplace(key, all.size());
            if (is_new) {
                all.emplace_back();
            }
            all[place->second].take(run);
        }
    }
    std::erase_if(all, [](const Answer &one) { return !one.tuned || (!one.peer && !one.reference); });
    const bool has_peers = std::any_of(all.begin(), all.end(), [](const Answer &one) { return one.peer; });
    if (has_peers) {
        std::erase_if(all, [](const Answer &one) { return !one.peer; });
    }
    if (all.empty()) {
        return "<p>No variant of <code>tuned</code> was timed beside a peer or the variant "
               "<code>reference</code>.</p>\n";
    }
    std::string lines;
    for (size_t i = 0; i < std::min(all.size(), most_answers); i++) {
        const Answer &one = all[i];
        lines += cells({html(one.tuned->op), html(one.tuned->data),
            "<b>" + times_as_fast(one.peer, *one.tuned) + "</b>", one.peer ? html(one.peer->schedule) : "",
            fmt::format("{:.4g}", one.tuned->median), one.peer ? fmt::format("{:.4g}", one.peer->median) : "",
            times_as_fast(one.reference, *one.tuned),
            html(one.tuned->schedule) + (one.tuned->chosen ? " ★" : ""),
            html(data.devices[one.tuned->context])});
    }
    const char *const peers = has_peers ? "" : "<p><code>bench --peers</code> times peers too.</p>\n";
    const std::string more = all.size() > most_answers ?
                                 fmt::format("<p>{} more are below.</p>\n", all.size() - most_answers) :
                                 "";
    return fmt::format("<table>\n<thead>{}</thead>\n<tbody>\n{}</tbody>\n</table>\n{}{}",
        cells({"operator", "data", "as fast as the peer", "fastest peer", "ms of tuned", "ms of the peer",
                  "as fast as reference", "variant", "device"},
            "th"),
        lines, more, peers);
}

std::string operator_sections(const ReportData &data) {
    std::string text;
    for (const RunsOfOperator &one : by_operator(data)) {
        text += section(data, one);
    }
    return text;
}

std::string untimed_table(const ReportData &data) {
    std::string lines;
    size_t count = 0;
    for (const TimedRun &run : data.runs) {
        if (run.timed && !run.wrong) {
            continue;
        }
        count++;
        if (count <= most_untimed) {
            const char *what = run.wrong ? "wrong" : run.failed ? "failed" : "not timed";
            lines += cells(
                {html(run.name), html(run.data), html(data.devices[run.context]), what, html(run.why_not)});
        }
    }
    if (count == 0) {
        return "<p>Everything that was asked for was timed.</p>\n";
    }
    return fmt::format(
        "<details><summary>{} runs have no time</summary>\n<table>\n<thead>{}</thead>\n<tbody>\n"
        "{}</tbody>\n</table>\n{}</details>\n",
        count, cells({"variant", "data", "device", "what", "why"}, "th"), lines,
        count > most_untimed ? fmt::format("<p>{} more are in no line.</p>\n", count - most_untimed) : "");
}

}  // namespace tilewright::app
