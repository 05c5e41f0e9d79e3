// Takes the variants of all cases by promise, and keeps what becomes of each point.
#include "apps/laboratory/explore/exploration.h"
#include "apps/laboratory/explore/point_server.h"
#include "apps/laboratory/results/result_of_run.h"
#include "apps/tilewright/foreign/foreign_generator.h"
#include "apps/tilewright/timing/machine.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tilewright::app {

namespace {

constexpr int points_per_turn = 8;  // of a variant; data is made again when the turn goes to another case

constexpr double search_share = .9;  // of the time

constexpr size_t enough_alike = 20;  // built points that all failed for one reason end the search

constexpr double behind_without_a_time = 4;  // a variant of which no point has a time yet; see Standing

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

// The values of the variant's tunables that a line has; a tunable that it does not name has its own value.
// Nothing where there is a number that is none, or a tunable that the variant does not have.
std::optional<TunableValues> values_in(const Json &line, const Variant &variant) {
    const auto at = line.find("tunables");
    if (at == line.end() || !at->is_object()) {
        return {};
    }
    TunableValues values = tunables_of(variant);
    for (const auto &[name, value] : at->items()) {
        const auto known = std::ranges::find(values, name, &TunableValues::value_type::first);
        const auto number =
            value_of(variant.op, name, value.is_string() ? value.get<std::string>() : value.dump());
        if (known == values.end() || !number) {
            return {};
        }
        known->second = *number;
    }
    return values;
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
    if (const ForeignGenerator *theirs = foreign_generator(op->name())) {  // what all its libraries have
        for (const auto &words : {theirs->words().parameters, theirs->words().settings}) {
            for (const std::string &word : words) {
                name += " " + word;
            }
        }
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
           (built_ >= enough_alike && !all_said_.empty()) || seconds_since(start_) >= share * plan_.budget_s;
}

void Exploration::run() {
    try_own_values();
    while (take_turn()) {
    }
    confirm();
    refuse_alike();
}

// A search in which each point fails for one reason has found nothing but that reason. A single point may be
// one that no kernel can have.
void Exploration::refuse_alike() const {
    if (built_ > 1 && !all_said_.empty() && !interrupted_) {
        throw Error(Fault::failed,
            fmt::format("each of the {} points that were built failed for one reason: {}", built_, all_said_),
            {.operation = "explore"});
    }
}

std::optional<Json> Exploration::try_asked(
    ExploredCase &c, ExploredVariant &variant, const TunableValues &values) {
    return try_point(c, variant, values, variant.search.knows(values) ? Time::again : Time::first);
}

// Times what seems to be a gain once more.
void Exploration::confirm() {
    constexpr double worthwhile = 1.02;
    for (ExploredCase &c : cases_) {
        for (ExploredVariant &variant : c.variants) {
            const TunableValues best = variant.best;
            if (variant.own_ms && *variant.own_ms > worthwhile * *variant.best_ms && !is_over(1)) {
                try_point(c, variant, tunables_of(*variant.variant), Time::again) &&
                    try_point(c, variant, best, Time::again);
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
            const std::string varies = text_in(line, "varies");
            for (ExploredVariant &variant : c.variants) {
                const auto values = values_in(line, *variant.variant);
                if (variant.variant->name() == varies && values) {
                    keep(c, variant, *values, line);
                    known_ += !line.contains("again");
                }
            }
        }
    }
}

void Exploration::try_own_values() {
    for (ExploredCase &c : cases_) {
        for (ExploredVariant &variant : c.variants) {
            const TunableValues values = tunables_of(*variant.variant);
            if (!variant.search.knows(values) && !is_over(search_share)) {
                try_point(c, variant, values, Time::first);
            }
        }
    }
}

// Tries the next points of the variant that is due. Returns whether there was one, and is time for more.
bool Exploration::take_turn() {
    std::vector<std::pair<ExploredCase *, ExploredVariant *>> variants;
    std::vector<Standing> standings;
    for (ExploredCase &c : cases_) {
        double least = std::numeric_limits<double>::infinity();
        for (const ExploredVariant &variant : c.variants) {
            least = std::min(least, variant.best_ms.value_or(least));
        }
        for (ExploredVariant &variant : c.variants) {
            variants.emplace_back(&c, &variant);
            standings.push_back(
                {variant.points, variant.best_ms ? *variant.best_ms / least : behind_without_a_time,
                    variant.ended || variant.skipped});
        }
    }
    const std::optional<size_t> next = next_variant(standings);
    if (!next) {
        return false;
    }
    const auto [c, variant] = variants[*next];
    for (int i = 0; i < points_per_turn && !variant->ended && !is_over(search_share); i++) {
        variant->ended = !step(*c, *variant);
    }
    return !is_over(search_share);
}

bool Exploration::step(ExploredCase &c, ExploredVariant &variant) {
    std::optional<TunableValues> values;
    if (!plan_.bundle.empty()) {
        const auto is_new = [&](const TunableValues &point) { return !variant.search.knows(point); };
        if (const auto at = std::ranges::find_if(variant.prepared, is_new); at != variant.prepared.end()) {
            values = *at;
        }
    } else {
        values = variant.search.next();
    }
    return values && try_point(c, variant, *values, Time::first).has_value();
}

Json Exploration::task_of(
    const ExploredCase &c, const ExploredVariant &variant, const TunableValues &values) const {
    Json task = {{"operator", c.op->name()}, {"data", data_json(c.data, inputs_)}, {"device", c.device.str()},
        {"variant", variant.variant->name()}, {"limit", plan_.limit_s}};
    if (const ForeignGenerator *theirs = foreign_generator(c.op->name())) {
        task["generator"] = json(theirs->words());
    }
    if (values != tunables_of(*variant.variant)) {
        task["tunables"] = text_of(values);
    }
    if (!plan_.bundle.empty()) {
        task["bundle"] = plan_.bundle;
    }
    return task;
}

std::optional<Json> Exploration::try_point(
    ExploredCase &c, ExploredVariant &variant, const TunableValues &values, Time time) {
    show();
    tried_++;
    const Json answer = worker_.ask(task_of(c, variant, values), plan_.hang_s);
    if (answer.contains("interrupted")) {
        interrupted_ = true;
        return {};
    }
    if (answer.value("missing_tool", false)) {  // no further point could be built; this one is not kept
        throw Error(Fault::failed, answer["failed"], {.operation = "explore"});
    }
    Json line = answer.contains("line") ? answer["line"] : failed_line(c, variant, values);
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
    line["varies"] = variant.variant->name();
    if (time == Time::again) {
        line["again"] = true;
    }
    if (results_ && !interrupted_) {
        results_->append(line);
    }
    keep(c, variant, values, line);
    return std::make_optional(std::move(line));
}

// Tells the search, and counts.
void Exploration::keep(
    ExploredCase &c, ExploredVariant &variant, const TunableValues &values, const Json &line) {
    const auto time = line.find("real_time");
    const std::optional<double> ms =
        time != line.end() && time->is_number() ? std::optional(time->get<double>()) : std::nullopt;
    const bool own = values == tunables_of(*variant.variant);
    if (line.contains("again")) {
        std::optional<double> &known = own ? variant.own_ms : variant.best_ms;
        known = ms && (own || values == variant.best) ? ms : known;
        return;
    }
    if (!own) {
        std::string reason = text_in(line, "failed");
        if (const size_t at = reason.find(text_in(line, "variant") + ": "); at != std::string::npos) {
            reason.erase(at, text_in(line, "variant").size() + 2);  // it names this point
        }
        all_said_ = built_ == 0 || all_said_ == reason ? reason : "";
        built_++;
    }
    variant.search.tell(values, ms);
    variant.points++;
    points_++;
    if (!ms) {
        variant.failed++;
        failed_++;
        variant.skipped = variant.skipped || (own && line.contains("skipped"));
        return;
    }
    if (c.about.is_null()) {
        for (const char *field : data_fields) {
            c.about[field] = line.value(field, Json());
        }
    }
    if (own) {
        variant.own_ms = ms;
    }
    if (!variant.best_ms || *ms < *variant.best_ms) {
        variant.best_ms = ms;
        variant.best = values;
    }
    if (variant.own_ms && *variant.own_ms / *variant.best_ms > best_gain_) {
        best_gain_ = *variant.own_ms / *variant.best_ms;
        best_ = fmt::format("{} {}", variant.variant->name(), words_of(*variant.variant, variant.best));
    }
}

// The line of a point that has no time, as far as this process knows it.
Json Exploration::failed_line(
    const ExploredCase &c, const ExploredVariant &variant, const TunableValues &values) const {
    const bool own = values == tunables_of(*variant.variant);
    Json line = {{"version", json_version}, {"context", short_context(c.device)}};
    line.update(json(own ? *variant.variant : with_tunables(*variant.variant, values)));
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
    if (foreign_generator(c.op->name())) {
        return;  // none of its points is known to be good
    }
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
    if (plan_.asked) {
        return;
    }
    const double seconds = seconds_since(start_);
    progress_.show((size_t)seconds,
        fmt::format("{:.0f} s left; {} points, {} failed{}", std::max(0., plan_.budget_s - seconds), points_,
            failed_, best_.empty() ? "" : fmt::format("; best {:.2f} times its own: {}", best_gain_, best_)));
}

}  // namespace tilewright::app
