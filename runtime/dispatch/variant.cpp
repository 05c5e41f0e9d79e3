// Variants: names, tunables, and those that a program adds to a table.
#include "tilewright/variant.h"
#include "tilewright/error.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

namespace tilewright {

std::string Variant::name() const {
    return op + "/" + schedule + "/" + type + "/" + (needs_vnni ? "vnni" : name_of(backend)) +
           (origin == op ? "" : "/" + origin);
}

namespace {

const Variant::Tunable *find_tunable(const Variant &variant, std::string_view name) {
    for (const Variant::Tunable &tunable : variant.tunables) {
        if (tunable.name == name) {
            return &tunable;
        }
    }
    return nullptr;
}

}  // namespace

int Variant::tunable(std::string_view name) const {
    if (const Tunable *found = find_tunable(*this, name)) {
        return found->value;
    }
    throw std::logic_error(fmt::format("{} has no tunable '{}'", this->name(), name));
}

int Variant::tunable(std::string_view name, int otherwise) const {
    const Tunable *found = find_tunable(*this, name);
    return found ? found->value : otherwise;
}

bool Variant::belongs_to(std::string_view word) const {
    return schedule == word || family == word || (!also.empty() && also == word) ||
           (origin == word && origin != op);
}

void Variant::refuse_missing(std::string_view name) const {
    throw std::logic_error(fmt::format("{}: its configuration has no '{}' here", this->name(), name));
}

void Variant::refuse_unknown(size_t at) const {
    throw std::logic_error(fmt::format(
        "{}: its configuration has '{}', which is not known here", this->name(), configured[at].name));
}

namespace {

struct Added {
    std::map<std::string, std::vector<Variant>> variants;
    std::set<std::string> made;  // tables that cannot take more
    std::mutex mutex;
};

Added &added() {
    static auto &all = *new Added;
    return all;
}

}  // namespace

void add_variants(const std::vector<Variant> &variants) {
    std::lock_guard lock(added().mutex);
    for (const Variant &variant : variants) {
        if (added().made.contains(variant.op)) {
            throw Error(Fault::failed, "variants are added before main(), and its table is in use already",
                {.operation = variant.op, .value = variant.name()});
        }
        added().variants[variant.op].push_back(variant);
    }
}

std::vector<Variant> variants_of(std::span<const ConstantVariant> table, const VariantNumber *numbers,
    const VariantCondition *conditions, std::vector<BackendLibraries> backends) {
    std::erase_if(backends, [](const BackendLibraries &one) { return one.libraries.empty(); });
    std::vector<Variant> variants;
    variants.reserve(table.size());
    for (const ConstantVariant &constant : table) {
        Variant variant{constant.op, constant.origin, constant.schedule, constant.family, constant.type,
            constant.backend, constant.needs_vnni, constant.form, {}, {}, {}, constant.opencl_options,
            constant.autoscheduler, constant.declined, constant.summary, {}, nullptr, nullptr, constant.also,
            {}, constant.kept_for};
        const VariantNumber *number = numbers + constant.first_number;
        for (int i = 0; i < constant.configured; i++, number++) {
            variant.configured.push_back({number->name, number->value});
        }
        for (int i = 0; i < constant.tunables; i++, number++) {
            variant.tunables.push_back({number->name, number->value, number->low, number->high});
        }
        for (int i = 0; i < constant.register_caps; i++, number++) {
            variant.register_caps.push_back({number->name, number->value});
        }
        for (const VariantCondition &one :
            std::span(conditions + constant.first_condition, constant.conditions)) {
            variant.conditions.push_back({one.measure, one.least, one.most, one.is_needed});
        }
        const auto of_backend = std::find_if(backends.begin(), backends.end(),
            [&](const BackendLibraries &one) { return one.backend == variant.backend; });
        if (of_backend == backends.end()) {
            continue;
        }
        if (variant.declined.empty()) {
            const VariantLibrary &library = of_backend->libraries.front();
            of_backend->libraries = of_backend->libraries.subspan(1);
            variant.needs = library.needs;
            variant.entry = library.entry;
            variant.metadata = library.metadata;
        }
        variants.push_back(std::move(variant));
    }
    return variants;
}

std::vector<Variant> with_added_variants(const std::string &op, std::vector<Variant> own) {
    std::lock_guard lock(added().mutex);
    added().made.insert(op);
    std::vector<Variant> all = added().variants[op];
    all.insert(all.end(), own.begin(), own.end());
    return all;
}

}  // namespace tilewright
