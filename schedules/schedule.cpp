// Tables of variants: how they are made, joined and found.
#include "schedules/schedule.h"
#include <algorithm>
#include <sstream>

namespace tilewright {

namespace {

// Every table that is linked in; static constructors fill it.
std::vector<const Table *> &tables() {
    static std::vector<const Table *> all;
    return all;
}

bool has_word(const std::string &text, const std::string &word) {
    std::istringstream stream(text);
    for (std::string one; stream >> one;) {
        if (one == word) {
            return true;
        }
    }
    return false;
}

}  // namespace

ScheduleVariants::ScheduleVariants(ScheduleVariant variant) {
    push_back(std::move(variant));
}

ScheduleVariants::ScheduleVariants(std::initializer_list<ScheduleVariants> parts) {
    for (const ScheduleVariants &part : parts) {
        insert(end(), part.begin(), part.end());
    }
}

ScheduleVariants family(const std::string &name, ScheduleVariants variants) {
    for (ScheduleVariant &variant : variants) {
        _halide_user_assert(variant.name == name || variant.name.rfind(name + "_", 0) == 0)
            << "variant '" << variant.name << "' is of the family '" << name << "': call it " << name
            << "_...\n";
        variant.family = name;
    }
    return variants;
}

ScheduleVariants sharing(const std::string &ending, ScheduleVariants variants) {
    for (ScheduleVariant &variant : variants) {
        variant.shared_ending = ending;
    }
    return variants;
}

std::string ScheduleVariant::library_type(const std::string &type) const {
    const std::string other = type.substr(0, type.size() - std::min(type.size(), shared_ending.size()));
    return type == other + shared_ending && has_word(types, other) ? other : type;
}

Table::Table(std::string op, const ScheduleVariants &(*variants)()) : op(std::move(op)), variants(variants) {
    tables().push_back(this);
}

const Table &find_table(const std::string &op) {
    std::string known;
    for (const Table *table : tables()) {
        if (table->op == op) {
            return *table;
        }
        known += " " + table->op;
    }
    _halide_user_error << "no table of schedules for '" << op << "'; linked in:" << known << "\n";
    return *tables().front();
}

const Table &only_table() {
    _halide_user_assert(tables().size() == 1)
        << "a generator has one table of schedules, not " << tables().size()
        << "; schedules/OP.cpp ends with `static const Table table(\"OP\", variants);`\n";
    return *tables().front();
}

const ScheduleVariant &find_variant(
    const Table &table, const std::string &name, const std::string &type, const std::string &backend) {
    std::string known;
    for (const ScheduleVariant &variant : table.variants()) {
        const auto places = backends(variant.where);
        if (variant.name == name && has_word(variant.types, type) &&
            std::find(places.begin(), places.end(), backend) != places.end()) {
            return variant;
        }
        known += " " + variant.name + " (" + variant.types + ")";
    }
    _halide_user_error << table.op << ": no schedule '" << name << "' for " << type << " on " << backend
                       << "; known:" << known << "\n";
    return table.variants().front();
}

int ScheduleContext::operator[](const std::string &name) const {
    for (const Tunable &t : tunables) {
        if (t.name == name) {
            return t.value;
        }
    }
    _halide_user_error << "the variant has no tunable '" << name << "'\n";
    return 0;
}

void ScheduleContext::fold_per_thread(Halide::Func func, const Halide::Var &threads) {
    func.fold_storage(threads, 1);
    folded_per_thread.push_back(func.name());
}

void ScheduleContext::load_ahead(const Halide::Func &func, int first_steps) {
    loaded_ahead.emplace_back(func.name(), first_steps);
}

void ScheduleContext::keep_in_own_memory(const Halide::Func &func) {
    own_memory.push_back(func.name());
}

void ScheduleContext::keep_in_own_registers(const Halide::Func &func, int places) {
    own_registers.emplace_back(func.name(), places);
}

std::vector<std::string> backends(Backends where) {
    switch (where) {
    case cpu: return {"cpu"};
    case vnni: return {"vnni"};
    case cuda: return {"cuda"};
    case opencl: return {"opencl"};
    case gpu: return {"cuda", "opencl"};
    }
    return {};
}

std::vector<Tunable> with_values(std::vector<Tunable> tunables, const std::string &values) {
    std::istringstream stream(values);
    for (std::string pair; std::getline(stream, pair, ',');) {
        const size_t equals = pair.find_first_of("=:");
        const auto t = std::find_if(tunables.begin(), tunables.end(),
            [&](const Tunable &t) { return t.name == pair.substr(0, equals); });
        if (t == tunables.end()) {
            continue;  // of another variant; the program has seen that one of them has it
        }
        t->value = std::stoi(pair.substr(equals + 1));
    }
    return tunables;
}

}  // namespace tilewright
