#include "tilewright/row.h"
#include "tilewright/error.h"
#include <algorithm>
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

const Row::Tunable *find_tunable(const Row &row, const std::string &name) {
    for (const Row::Tunable &tunable : row.tunables) {
        if (tunable.name == name) {
            return &tunable;
        }
    }
    return nullptr;
}

}  // namespace

int Row::tunable(const std::string &name) const {
    if (const Tunable *found = find_tunable(*this, name)) {
        return found->value;
    }
    throw std::logic_error(this->name() + " has no tunable '" + name + "'");
}

int Row::tunable(const std::string &name, int otherwise) const {
    const Tunable *found = find_tunable(*this, name);
    return found ? found->value : otherwise;
}

bool Row::belongs_to(const std::string &word) const {
    return schedule == word || family == word || (origin == word && origin != op);
}

int Row::field(size_t at, const char *name) const {
    if (at >= configured.size() || configured[at].name != name) {
        throw std::logic_error(this->name() + ": its configuration has no '" + name + "' here");
    }
    return configured[at].value;
}

void Row::expect_fields(size_t count) const {
    if (configured.size() > count) {
        throw std::logic_error(this->name() + ": its configuration has '" + configured[count].name +
                               "', which is not known here");
    }
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

std::vector<Row> rows_of(std::span<const ConstantRow> table, const RowNumber *numbers) {
    std::vector<Row> rows;
    rows.reserve(table.size());
    for (const ConstantRow &constant : table) {
        Row row{constant.op, constant.origin, constant.schedule, constant.family, constant.type,
            constant.backend, constant.needs_vnni, constant.form, {}, {}, {}, constant.opencl_options,
            constant.autoscheduler, constant.declined, constant.summary, constant.needs, constant.entry,
            constant.metadata};
        for (int i = 0; i < constant.configured; i++, numbers++) {
            row.configured.push_back({numbers->name, numbers->value});
        }
        for (int i = 0; i < constant.tunables; i++, numbers++) {
            row.tunables.push_back({numbers->name, numbers->value, numbers->low, numbers->high});
        }
        for (int i = 0; i < constant.register_caps; i++, numbers++) {
            row.register_caps.push_back({numbers->name, numbers->value});
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
