// Takes the rows of all cases by promise, and keeps what becomes of each point.
#include "apps/laboratory/explore/exploration.h"
#include "apps/laboratory/explore/point_server.h"
#include "apps/laboratory/results/result_of_run.h"
#include "apps/tilewright/timing/machine.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace tilewright::app {

namespace {

constexpr int points_per_turn = 8;  // of a row; data is made again when the turn goes to another case

constexpr double search_share = .9;  // of the time

constexpr double behind_without_a_time = 4;  // a row of which no point has a time yet; see Standing

// What every line says of the data.
constexpr std::array data_fields = {"data", "width", "height", "channels", "settings", "inputs"};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Whether a line was measured on this device of this machine, by this program.
bool is_ours(const Json &line, const Json &context) {
    const auto at = line.find("context");
    const auto agrees = [&](const char *field) {
        return at->contains(field) && (*at)[field] == context[field];
    };
    return at != line.end() && at->is_object() && agrees("device_name") && agrees("commit") &&
           agrees("machine");
}

// 0 where it has no such whole number.
int number_in(const Json &object, const std::string &field) {
    const auto at = object.find(field);
    try {
        return at != object.end() ? int_of(*at) : 0;
    } catch (const std::exception &) {
        return 0;
    }
}

std::string text_in(const Json &line, const char *field) {
    const auto at = line.find(field);
    return at != line.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

std::string ExploredCase::name() const {
    std::string name = op->name() + " " + data.type + " " + size_or_files();
    const Settings &settings = data.own ? data.own->settings : data.settings;
    if (const std::string words = text_of(settings); !words.empty()) {
        name += " " + words;
    }
    if (data.row_bytes != Array::padded) {
        name += fmt::format(" pitch {}", data.row_bytes);
    }
    return name + " " + device.str();
}

std::string ExploredCase::what() const {
    return about.is_null() ? data.type + " " + size_or_files() : about["data"].get<std::string>();
}

std::string ExploredCase::size_or_files() const {
    if (!data.own) {
        return in_words(data.size);
    }
    std::string text = data.own->what;
    for (const Array &input : data.own->inputs) {
        text += "; " + input.describe();
    }
    return text;
}

Exploration::Exploration(std::vector<ExploredCase> cases, const ExplorationPlan &plan, ResultsFile *results)
    : cases_(std::move(cases)), plan_(plan), results_(results),
      progress_("explore", (size_t)std::max(1., plan.budget_s)) {
    write_inputs();
    take_known();
}

// The cases of files have the same arrays on each device.
void Exploration::write_inputs() {
    if (cases_.empty() || !cases_.front().data.own) {
        return;
    }
    folder_ = std::make_unique<TemporaryFolder>();
    for (const Array &input : cases_.front().data.own->inputs) {
        inputs_.push_back(folder_->file(fmt::format("{}.npy", inputs_.size())));
        write_array(inputs_.back(), input);
    }
}

bool Exploration::is_over(double share) const {
    return interrupted_ || (plan_.points > 0 && tried_ >= plan_.points && share < 1) ||
           seconds_since(start_) >= share * plan_.budget_s;
}

void Exploration::run() {
    try_own_values();
    while (take_turn()) {
    }
    confirm();
}

// Times what seems to be a gain once more.
void Exploration::confirm() {
    constexpr double worthwhile = 1.02;
    for (ExploredCase &c : cases_) {
        for (ExploredRow &row : c.rows) {
            const TunableValues best = row.best;
            if (row.own_ms && *row.own_ms > worthwhile * *row.best_ms && !is_over(1)) {
                try_point(c, row, tunables_of(*row.row), Time::again) && try_point(c, row, best, Time::again);
            }
        }
    }
}

// What the results file has of these cases.
void Exploration::take_known() {
    if (!results_) {
        return;
    }
    const std::vector<Json> lines = results_->lines();
    for (ExploredCase &c : cases_) {
        const Json context = short_context(c.device);
        const std::string name = c.name();
        for (const Json &line : lines) {
            if (text_in(line, "case") != name) {
                continue;
            }
            if (!is_ours(line, context)) {
                left_aside_++;
                continue;
            }
            const auto tunables = line.find("tunables");
            if (tunables == line.end() || !tunables->is_object()) {
                continue;
            }
            const std::string varies = text_in(line, "varies");
            for (ExploredRow &row : c.rows) {
                if (row.row->name() == varies) {
                    TunableValues values;
                    for (const Row::Tunable &tunable : row.row->tunables) {
                        values.emplace_back(tunable.name, number_in(*tunables, tunable.name));
                    }
                    keep(c, row, values, line);
                    known_ += !line.contains("again");
                }
            }
        }
    }
}

void Exploration::try_own_values() {
    for (ExploredCase &c : cases_) {
        for (ExploredRow &row : c.rows) {
            const TunableValues values = tunables_of(*row.row);
            if (!row.search.knows(values) && !is_over(search_share)) {
                try_point(c, row, values, Time::first);
            }
        }
    }
}

// Tries the next points of the row that is due. Returns whether there was one, and is time for more.
bool Exploration::take_turn() {
    std::vector<std::pair<ExploredCase *, ExploredRow *>> rows;
    std::vector<Standing> standings;
    for (ExploredCase &c : cases_) {
        double least = std::numeric_limits<double>::infinity();
        for (const ExploredRow &row : c.rows) {
            least = std::min(least, row.best_ms.value_or(least));
        }
        for (ExploredRow &row : c.rows) {
            rows.emplace_back(&c, &row);
            standings.push_back({row.points, row.best_ms ? *row.best_ms / least : behind_without_a_time,
                row.ended || row.skipped});
        }
    }
    const std::optional<size_t> next = next_row(standings);
    if (!next) {
        return false;
    }
    const auto [c, row] = rows[*next];
    for (int i = 0; i < points_per_turn && !row->ended && !is_over(search_share); i++) {
        row->ended = !step(*c, *row);
    }
    return !is_over(search_share);
}

bool Exploration::step(ExploredCase &c, ExploredRow &row) {
    std::optional<TunableValues> values;
    if (plan_.bundled) {
        for (size_t i = 0; i < row.prepared.size() && !values; i++) {
            if (!row.search.knows(row.prepared[i].values)) {
                values = row.prepared[i].values;
            }
        }
    } else {
        values = row.search.next();
    }
    return values && try_point(c, row, *values, Time::first);
}

Json Exploration::task_of(const ExploredCase &c, const ExploredRow &row, const TunableValues &values) const {
    Json task = {{"operator", c.op->name()}, {"data", data_json(c.data, inputs_)}, {"device", c.device.str()},
        {"row", row.row->name()}, {"limit", plan_.limit_s}};
    if (values != tunables_of(*row.row)) {
        task["tunables"] = text_of(values);
        for (const PreparedPoint &point : row.prepared) {
            if (point.values == values) {
                task["library"] = point.library;
                task["needs"] = needs_json(point.needs);
            }
        }
    }
    return task;
}

bool Exploration::try_point(ExploredCase &c, ExploredRow &row, const TunableValues &values, Time time) {
    show();
    tried_++;
    const Json answer = worker_.ask(task_of(c, row, values), plan_.hang_s);
    if (answer.contains("interrupted")) {
        interrupted_ = true;
        return false;
    }
    Json line = answer.contains("line") ? answer["line"] : failed_line(c, row, values);
    if (answer.contains("skipped")) {
        line["skipped"] = answer["skipped"];
    } else if (answer.contains("failed")) {
        line["failed"] = answer["failed"];
        if (!answer.value("refused", false)) {
            worker_.stop();  // a kernel that failed may have spoiled what the process has on the device
            check_device(c, answer["failed"]);
        }
    }
    line["case"] = c.name();
    line["varies"] = row.row->name();
    if (time == Time::again) {
        line["again"] = true;
    }
    if (results_ && !interrupted_) {
        results_->append(line);
    }
    keep(c, row, values, line);
    return true;
}

// Tells the search, and counts.
void Exploration::keep(ExploredCase &c, ExploredRow &row, const TunableValues &values, const Json &line) {
    const auto time = line.find("real_time");
    const std::optional<double> ms =
        time != line.end() && time->is_number() ? std::optional(time->get<double>()) : std::nullopt;
    const bool own = values == tunables_of(*row.row);
    if (line.contains("again")) {
        std::optional<double> &known = own ? row.own_ms : row.best_ms;
        known = ms && (own || values == row.best) ? ms : known;
        return;
    }
    row.search.tell(values, ms);
    row.points++;
    points_++;
    if (!ms) {
        row.failed++;
        failed_++;
        row.skipped = row.skipped || (own && line.contains("skipped"));
        return;
    }
    if (c.about.is_null()) {
        for (const char *field : data_fields) {
            c.about[field] = line.value(field, Json());
        }
    }
    if (own) {
        row.own_ms = ms;
    }
    if (!row.best_ms || *ms < *row.best_ms) {
        row.best_ms = ms;
        row.best = values;
    }
    if (row.own_ms && *row.own_ms / *row.best_ms > best_gain_) {
        best_gain_ = *row.own_ms / *row.best_ms;
        best_ = fmt::format("{} {}", row.row->name(), text_of(row.best));
    }
}

// The line of a point that has no time, as far as this process knows it.
Json Exploration::failed_line(
    const ExploredCase &c, const ExploredRow &row, const TunableValues &values) const {
    const bool own = values == tunables_of(*row.row);
    Json line = {{"version", json_version}, {"context", short_context(c.device)}};
    line.update(json(own ? *row.row : with_tunables(*row.row, values)));
    line["device"] = c.device.str();
    line["data"] = c.what();
    line["width"] = c.data.size.width;
    line["height"] = c.data.size.height;
    line["channels"] = c.data.size.channels;
    if (!c.about.is_null()) {
        line.update(c.about);
    }
    return line;
}

// A device that was lost would make every further point fail.
void Exploration::check_device(const ExploredCase &c, const std::string &reason) {
    const Json answer = worker_.ask({{"check", c.device.str()}, {"operator", c.op->name()}}, plan_.hang_s);
    if (answer.contains("interrupted")) {
        interrupted_ = true;
    } else if (answer.contains("failed")) {
        throw Error(Fault::device,
            fmt::format(
                "it fails at a known good call too ({}), after the point {}; see `tilewright doctor`. "
                "What was measured before is kept, and the same command goes on from there",
                answer["failed"].get<std::string>(), reason),
            {.operation = "explore", .device = c.device.str()});
    }
}

void Exploration::show() {
    const double seconds = seconds_since(start_);
    progress_.show((size_t)seconds,
        fmt::format("{:.0f} s left; {} points, {} failed{}", std::max(0., plan_.budget_s - seconds), points_,
            failed_, best_.empty() ? "" : fmt::format("; best {:.2f} times its own: {}", best_gain_, best_)));
}

}  // namespace tilewright::app
