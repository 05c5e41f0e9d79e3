// Variants: names, tunables, and those that a program adds to a table.
#include "tilewright/variant.h"
#include "tilewright/error.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
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

namespace {

// The variants of a table whose backends the program is linked with.
std::vector<Variant> own_variants_of(const VariantTable &table) {
    std::map<Backend, std::span<const VariantLibrary>> libraries;
    for (const BackendLibraries &one : table.backends) {
        if (const auto linked = one.libraries(); !linked.empty()) {
            libraries[one.backend] = linked;
        }
    }
    const auto text = [&](VariantText at) { return table.texts + at; };
    std::vector<Variant> variants;
    variants.reserve(table.variants.size());
    for (const ConstantVariant &constant : table.variants) {
        const auto of_backend = libraries.find(constant.backend);
        if (of_backend == libraries.end()) {
            continue;
        }
        const VariantWords &words = table.words[constant.words];
        Variant &variant = variants.emplace_back(Variant{table.op, table.origin, text(words.schedule),
            text(words.family), text(constant.type), constant.backend, constant.needs_vnni, text(words.form),
            {}, {}, {}, text(words.opencl_options), text(words.autoscheduler), text(words.summary), {},
            nullptr, nullptr, text(words.also), {}, text(words.kept_for)});
        const VariantNumber *number = table.numbers + constant.first_number;
        for (int i = 0; i < constant.configured; i++, number++) {
            variant.configured.push_back({text(number->name), number->value});
        }
        for (int i = 0; i < constant.tunables; i++, number++) {
            variant.tunables.push_back({text(number->name), number->value, number->low, number->high});
        }
        for (int i = 0; i < constant.register_caps; i++, number++) {
            variant.register_caps.push_back({text(number->name), number->value});
        }
        for (const VariantCondition &one :
            std::span(table.conditions + constant.first_condition, constant.conditions)) {
            variant.conditions.push_back({text(one.measure), one.least, one.most, one.is_needed});
        }
        const VariantLibrary &library = of_backend->second.front();
        of_backend->second = of_backend->second.subspan(1);
        variant.needs = library.needs;
        variant.entry = library.entry;
        variant.metadata = library.metadata;
    }
    return variants;
}

}  // namespace

const std::vector<Variant> &variants_of(const VariantTable &table) {
    auto &all = *new std::vector<Variant>;
    std::vector<Variant> own = own_variants_of(table);
    if (table.op == std::string_view(table.origin)) {
        std::lock_guard lock(added().mutex);
        added().made.insert(table.op);
        all = added().variants[table.op];
    }
    std::ranges::move(own, std::back_inserter(all));
    return all;
}

const halide_filter_metadata_t *metadata_of(
    std::span<const VariantArgument> arguments, std::atomic<const halide_filter_metadata_t *> &made) {
    if (const halide_filter_metadata_t *known = made.load(std::memory_order_acquire)) {
        return known;
    }
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    if (const halide_filter_metadata_t *known = made.load(std::memory_order_relaxed)) {
        return known;
    }
    struct All {
        std::deque<std::string> names;
        std::vector<halide_filter_argument_t> arguments;
        halide_filter_metadata_t metadata;
    };
    auto owned = std::make_unique<All>();
    All &all = *owned;
    for (const VariantArgument &one : arguments) {
        const halide_type_t type((halide_type_code_t)one.code, one.bits);
        for (int i = 0; i < std::max<int>(one.count, 1); i++) {
            const char *const name =
                one.count == 0 ? one.name : all.names.emplace_back(fmt::format("{}_{}", one.name, i)).c_str();
            all.arguments.push_back(
                {name, one.kind, one.dimensions, type, nullptr, nullptr, nullptr, nullptr, nullptr});
        }
    }
    all.metadata = {
        halide_filter_metadata_t::VERSION, (int32_t)all.arguments.size(), all.arguments.data(), "", ""};
    const halide_filter_metadata_t *kept = &owned.release()->metadata;  // never destroyed, as the variants
    made.store(kept, std::memory_order_release);
    return kept;
}

}  // namespace tilewright
