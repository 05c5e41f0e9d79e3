#pragma once
#include <concepts>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// Configurations: what a variant says of the form that it schedules (the length of a Fourier transform, for
// instance), as a plain struct that the generator, the schedule and the front share. It stands in a plain
// header (no Halide) beside the form and names its members once; they are integers, bools or enums:
//     struct BlockConfiguration {
//         int aligned = 1;
//         bool diagonal = false;
//
//         template<typename Visit>
//         void fields(Visit visit) {
//             visit("aligned", aligned);
//             visit("diagonal", diagonal);
//         }
//     };
// The table of variants gives a value (schedules/schedule.h), and the runtime's variant gives it back
// (tilewright/variant.h: configuration()). Numbers that are worth searching are tunables of the variant
// instead.
namespace tilewright {

// A member of a configuration, by its name.
struct ConfigurationField {
    std::string name;
    int value;
};

namespace configuration_detail {

struct AnyVisit {
    template<typename Member>
    void operator()(const char *, Member &) const;
};

}  // namespace configuration_detail

template<typename T>
concept IsConfiguration =
    std::default_initializable<T> &&
    requires(T configuration, configuration_detail::AnyVisit visit) { configuration.fields(visit); };

// The members of a configuration, in their order.
template<IsConfiguration Configuration>
std::vector<ConfigurationField> fields_of(Configuration configuration) {
    std::vector<ConfigurationField> fields;
    configuration.fields(
        [&](const char *name, auto &member) { fields.push_back({name, static_cast<int>(member)}); });
    return fields;
}

// The configuration that has these members. No members at all mean the struct's defaults: a variant may state
// no configuration. Otherwise a member that is missing, or one that the struct does not have, is a
// std::logic_error that names it and `whose` it is.
template<IsConfiguration Configuration>
Configuration with_fields(const std::vector<ConfigurationField> &fields, const std::string &whose) {
    Configuration configuration;
    std::set<std::string> known;
    configuration.fields([&](const char *name, auto &member) {
        known.insert(name);
        bool found = false;
        for (const ConfigurationField &field : fields) {
            if (field.name == name) {
                member = static_cast<std::remove_reference_t<decltype(member)>>(field.value);
                found = true;
            }
        }
        if (!found && !fields.empty()) {
            throw std::logic_error(whose + ": its configuration has no '" + name + "'");
        }
    });
    for (const ConfigurationField &field : fields) {
        if (!known.contains(field.name)) {
            throw std::logic_error(
                whose + ": its configuration has '" + field.name + "', which is not known here");
        }
    }
    return configuration;
}

}  // namespace tilewright
