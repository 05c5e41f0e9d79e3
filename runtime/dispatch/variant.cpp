#include "tilewright/variant.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

namespace tilewright {

std::string Row::name() const {
    return op + "/" + schedule + "/" + type + "/" + (needs_vnni ? "vnni" : name_of(backend)) +
           (origin == op ? "" : "/" + origin);
}

namespace {

const Row::Tunable *find_tunable(const Row &row, std::string_view name) {
    for (const Row::Tunable &tunable : row.tunables) {
        if (tunable.name == name) {
            return &tunable;
        }
    }
    return nullptr;
}

}  // namespace

int Row::tunable(std::string_view name) const {
    if (const Tunable *found = find_tunable(*this, name)) {
        return found->value;
    }
    throw std::logic_error(fmt::format("{} has no tunable '{}'", this->name(), name));
}

int Row::tunable(std::string_view name, int otherwise) const {
    const Tunable *found = find_tunable(*this, name);
    return found ? found->value : otherwise;
}

bool Row::belongs_to(std::string_view word) const {
    return schedule == word || family == word || (!also.empty() && also == word) ||
           (origin == word && origin != op);
}

void Row::refuse_missing(std::string_view name) const {
    throw std::logic_error(fmt::format("{}: its configuration has no '{}' here", this->name(), name));
}

void Row::refuse_unknown(size_t at) const {
    throw std::logic_error(fmt::format(
        "{}: its configuration has '{}', which is not known here", this->name(), configured[at].name));
}

namespace {

struct Added {
    std::map<std::string, std::vector<Row>> rows;
    std::set<std::string> made;  // tables that cannot take more
    std::mutex mutex;
};

Added &added() {
    static auto &all = *new Added;
    return all;
}

}  // namespace

void add_rows(const std::vector<Row> &rows) {
    std::lock_guard lock(added().mutex);
    for (const Row &row : rows) {
        if (added().made.contains(row.op)) {
            throw Error(Fault::failed, "rows are added before main(), and its table is in use already",
                {.operation = row.op, .value = row.name()});
        }
        added().rows[row.op].push_back(row);
    }
}

std::vector<Row> rows_of(
    std::span<const ConstantRow> table, const RowNumber *numbers, const RowCondition *conditions) {
    std::vector<Row> rows;
    rows.reserve(table.size());
    for (const ConstantRow &constant : table) {
        Row row{constant.op, constant.origin, constant.schedule, constant.family, constant.type,
            constant.backend, constant.needs_vnni, constant.form, {}, {}, {}, constant.opencl_options,
            constant.autoscheduler, constant.declined, constant.summary, constant.needs, constant.entry,
            constant.metadata, constant.also};
        for (int i = 0; i < constant.configured; i++, numbers++) {
            row.configured.push_back({numbers->name, numbers->value});
        }
        for (int i = 0; i < constant.tunables; i++, numbers++) {
            row.tunables.push_back({numbers->name, numbers->value, numbers->low, numbers->high});
        }
        for (int i = 0; i < constant.register_caps; i++, numbers++) {
            row.register_caps.push_back({numbers->name, numbers->value});
        }
        for (int i = 0; i < constant.conditions; i++, conditions++) {
            row.conditions.push_back(
                {conditions->measure, conditions->least, conditions->most, conditions->is_needed});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<Row> with_added_rows(const std::string &op, std::vector<Row> own) {
    std::lock_guard lock(added().mutex);
    added().made.insert(op);
    std::vector<Row> all = added().rows[op];
    all.insert(all.end(), own.begin(), own.end());
    return all;
}

}  // namespace tilewright
