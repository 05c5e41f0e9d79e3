// Which libraries the words of a command name.
#include "generators/program/library_selection.h"
#include "generators/program/errors/error_codes.h"
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

namespace tilewright {

namespace {

bool holds(const std::vector<std::string> &all, const std::string &one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

void add_once(std::vector<std::string> &all, const std::string &one) {
    if (!holds(all, one)) {
        all.push_back(one);
    }
}

std::string listed(const std::vector<std::string> &all) {
    std::string text;
    for (const std::string &one : all) {
        text += (text.empty() ? "" : ", ") + one;
    }
    return text.empty() ? "none" : text;
}

const Tunable *find(const ScheduleVariant &variant, const std::string &name) {
    const auto at = std::find_if(
        variant.tunables.begin(), variant.tunables.end(), [&](const Tunable &t) { return t.name == name; });
    return at == variant.tunables.end() ? nullptr : &*at;
}

std::string range_of(const Tunable &t) {
    return std::to_string(t.low) + " to " + std::to_string(t.high);
}

bool takes(const Tunable &t, int value) {
    return t.low <= value && value <= t.high;
}

}  // namespace

std::vector<std::string> split(const std::string &text, char separator) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; std::getline(stream, word, separator);) {
        if (!word.empty()) {
            all.push_back(word);
        }
    }
    return all;
}

void fail(const std::string &message) {
    std::cerr << "error: " << only_table().op << ": " << message << "\n";
    exit(1);
}

// A compute capability, 80 for 8.0.
static int capability_of(const std::string &text) {
    const bool number =
        !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
    const int capability = number ? std::stoi(text) : 0;
    if (halide_capability(capability) == 0) {
        fail("CUDA capability '" + text + "': Halide 21 writes code for " +
             std::to_string(halide_capabilities.front()) + " (compute capability 3.0) and newer");
    }
    return capability;
}

Selection::Selection(const std::vector<std::string> &words) : name(only_table().op) {
    for (const std::string &word : words) {
        const std::string key = word.substr(0, word.find('=')),
                          value = word.substr(std::min(word.size(), key.size() + 1));
        if (key == "name") {
            name = value;
        } else if (key == "schedule") {
            schedules_ = split(value, ',');
        } else if (key == "type") {
            types_ = split(value, ',');
        } else if (key == "backend") {
            backends = split(value, ',');
        } else if (key == "capability") {
            capability = capability_of(value);
        } else if (key == "cpu") {
            if (value != "portable" && value != "host") {
                fail("cpu '" + value + "': it is portable (any x86-64 machine) or host (this machine)");
            }
            host_cpu = value == "host";
        } else if (key == "autoscheduled") {
            if (value != "yes" && value != "no") {
                fail("autoscheduled '" + value + "': it is yes or no");
            }
            autoscheduled = value == "yes";
        } else if (key == "errors") {
            if (!errors_by_word.contains(value)) {
                fail("errors '" + value + "': they are words or codes");
            }
            errors = value;
        } else if (key == "tunables") {
            read_values(value);
        } else if (key == "values") {
            for (const std::string &pair : split(value, ',')) {
                const size_t equals = pair.find('=');
                if (equals == std::string::npos) {
                    fail("value '" + pair + "': write name=number");
                }
                values[pair.substr(0, equals)] = std::strtoll(pair.c_str() + equals + 1, nullptr, 10);
            }
        } else if (key != "operator") {  // the table has been compared with it
            fail("'" + word +
                 "' is no selection; it is name=, schedule=, type=, backend=, capability=, cpu=, "
                 "autoscheduled=, errors=, tunables= or operator=");
        }
    }
    check_words();
}

// "tile=16,32,pad=1": a number without a name is one more value of the tunable before it.
void Selection::read_values(const std::string &text) {
    std::string tunable;
    for (const std::string &word : split(text, ',')) {
        const size_t equals = word.find('=');
        if (equals != std::string::npos) {
            tunable = word.substr(0, equals);
        }
        const std::string number = equals == std::string::npos ? word : word.substr(equals + 1);
        if (tunable.empty() || number.empty() || number.size() > 9 ||
            number.find_first_not_of("0123456789") != std::string::npos) {
            fail("tunable '" + word + "': write name=value, with a whole number");
        }
        const int value = std::stoi(number);
        const auto is_same = [&](const Value &v) { return v.tunable == tunable && v.value == value; };
        if (std::none_of(values_.begin(), values_.end(), is_same)) {
            values_.push_back({tunable, value});
        }
    }
}

// A schedule's word: the variant's name, its family's, or the name that one of the variant's points has in a
// table.
bool Selection::means(const std::string &word, const ScheduleVariant &variant) const {
    if (word == variant.family || !word.starts_with(variant.name)) {
        return word == variant.family;
    }
    std::string rest = word.substr(variant.name.size());
    for (const Tunable &tunable : variant.tunables) {
        for (const Value &value : values_) {
            const std::string part = "_" + value.tunable + std::to_string(value.value);
            if (value.tunable == tunable.name && (rest + "_").starts_with(part + "_")) {
                rest.erase(0, part.size());
            }
        }
    }
    return rest.empty();
}

bool Selection::has(const ScheduleVariant &variant, const std::string &type) const {
    const auto is_meant = [&](const std::string &word) { return means(word, variant); };
    return (schedules_.empty() || std::any_of(schedules_.begin(), schedules_.end(), is_meant)) &&
           (types_.empty() || holds(types_, type));
}

std::vector<Library> Selection::libraries() const {
    std::vector<Library> all;
    for (const ScheduleVariant &variant : only_table().variants()) {
        for (const std::string &type : split(variant.types, ' ')) {
            for (const std::string &backend : tilewright::backends(variant.where)) {
                if (has(variant, type) && (autoscheduled || variant.autoscheduler.empty()) &&
                    (backends.empty() || holds(backends, backend))) {
                    for (const Point &point : points_of(variant)) {
                        const std::string schedule = variant.name + point.name;
                        const bool is_own = name == only_table().op;
                        const std::string &begin = is_own && !variant.common.empty() ? variant.common : name;
                        const auto name_for = [&](const std::string &of_type) {
                            return begin + "_" + schedule + "_" + of_type + "_" + backend;
                        };
                        const std::string other = variant.library_type(type);
                        const bool is_shared = is_own && other != type && has(variant, other);
                        // OpenCL's PTX has instructions of 8.0, and older GPUs get the OpenCL C beside it.
                        const int oldest = backend == "cuda" ? capability : TargetChoice().capability;
                        all.push_back({&variant, type, backend, name_for(type), oldest, schedule,
                            point.tunables, host_cpu, is_own, errors, is_shared ? name_for(other) : ""});
                    }
                }
            }
        }
    }
    return all;
}

// A word that is none of the table's.
void Selection::check_words() const {
    std::vector<std::string> names, types;
    for (const ScheduleVariant &variant : only_table().variants()) {
        add_once(names, variant.family);
        add_once(names, variant.name);
        for (const std::string &type : split(variant.types, ' ')) {
            add_once(types, type);
        }
    }
    const auto is_point = [&](const std::string &word) {
        const ScheduleVariants &variants = only_table().variants();
        return std::any_of(variants.begin(), variants.end(),
            [&](const ScheduleVariant &variant) { return means(word, variant); });
    };
    for (const auto &[what, asked, known] :
        {std::tuple{"schedule", &schedules_, &names}, {"type", &types_, &types}}) {
        for (const std::string &word : *asked) {
            if (!holds(*known, word) && !(asked == &schedules_ && is_point(word))) {
                fail("no variant is of " + std::string(what) + " '" + word +
                     "'; there are: " + listed(*known));
            }
        }
    }
    for (const std::string &backend : backends) {
        if (!holds({"cpu", "vnni", "cuda", "opencl"}, backend)) {
            fail("there is no backend '" + backend + "'; it takes cpu, vnni, cuda, opencl");
        }
    }
}

void Selection::check_value(const Value &value) const {
    const std::string pair = "tunable '" + value.tunable + "=" + std::to_string(value.value) + "'";
    std::vector<std::string> known, ranges;
    for (const Library &library : libraries()) {
        for (const Tunable &t : library.variant->tunables) {
            add_once(known, t.name);
        }
        if (const Tunable *t = find(*library.variant, value.tunable)) {
            if (takes(*t, value.value)) {
                return;
            }
            add_once(ranges, range_of(*t) + " in variant '" + library.variant->name + "'");
        }
    }
    if (!ranges.empty()) {
        fail(pair + " is taken by no chosen variant; it takes " + listed(ranges));
    }
    fail(pair + ": no chosen variant has a tunable '" + value.tunable + "'; there are: " + listed(known));
}

void Selection::check(bool complete) const {
    Selection all = *this;
    if (!complete) {
        all.backends.clear();
    }
    if (all.libraries().empty()) {
        std::vector<std::string> known;
        Selection any({});
        any.schedules_ = schedules_;
        for (const Library &library : any.libraries()) {
            add_once(known, library.variant->name + " (" + library.type + ", " + library.backend + ")");
        }
        std::vector<std::string> asked;
        for (const auto &[what, words] :
            {std::pair{"schedule ", &schedules_}, {"type ", &types_}, {"backend ", &all.backends}}) {
            if (!words->empty()) {
                asked.push_back(what + listed(*words));
            }
        }
        fail("no variant is of " + listed(asked) + " at once; there are: " + listed(known));
    }
    for (const Value &value : values_) {
        all.check_value(value);
    }
    std::set<std::string> names;
    for (const Library &library : all.libraries()) {
        if (!names.insert(library.name).second) {
            fail("two variants with these tunables are called '" + library.schedule + "', for " +
                 library.type + " on " + library.backend + " both; give one of them another name");
        }
    }
}

std::vector<Selection::Point> Selection::points_of(const ScheduleVariant &variant) const {
    std::vector<Point> points = {{}};
    for (const Tunable &tunable : variant.tunables) {
        std::vector<std::string> taken;
        for (const Value &value : values_) {
            if (value.tunable == tunable.name && takes(tunable, value.value)) {
                taken.push_back(std::to_string(value.value));
            }
        }
        std::vector<Point> longer;
        for (const Point &point : points) {
            for (const std::string &value : taken) {
                longer.push_back(
                    {point.tunables + (point.tunables.empty() ? "" : ",") + tunable.name + "=" + value,
                        point.name + (taken.size() > 1 ? "_" + tunable.name + value : "")});
            }
        }
        points = taken.empty() ? points : longer;
    }
    return points;
}

std::vector<std::string> Selection::notes() const {
    std::vector<std::string> notes;
    for (const Library &library : libraries()) {
        for (const Value &value : values_) {
            const Tunable *t = find(*library.variant, value.tunable);
            if (t && !takes(*t, value.value)) {
                const auto is_taken = [&](const Value &other) {
                    return other.tunable == t->name && takes(*t, other.value);
                };
                const bool other = std::any_of(values_.begin(), values_.end(), is_taken);
                add_once(notes, "variant '" + library.variant->name + "' " +
                                    (other ? "leaves out " + t->name + "=" + std::to_string(value.value) :
                                             "keeps " + t->name + "=" + std::to_string(t->value)) +
                                    ": it takes " + range_of(*t));
            }
        }
    }
    return notes;
}

Library Selection::only() const {
    std::vector<Library> all, exact;
    for (const Library &library : libraries()) {
        all.push_back(library);
        if (holds(schedules_, library.schedule)) {
            exact.push_back(library);
        }
    }
    const std::vector<Library> &meant = all.size() > 1 ? exact : all;
    if (meant.size() != 1) {
        fail("this takes a selection of one library; this one has " + std::to_string(all.size()));
    }
    return meant.front();
}

void check_table(const std::string &op) {
    const Table &table = only_table();
    if (!op.empty() && table.op != op) {
        fail("the file of schedules has a table of '" + table.op +
             "', and this program makes the libraries of '" + op +
             "': end the file with `static const Table table(\"" + op + "\", variants);`");
    }
    const std::vector<std::string> forms = Halide::Internal::GeneratorRegistry::enumerate();
    std::set<std::string> known;
    for (const ScheduleVariant &variant : table.variants()) {
        if (variant.name.empty() ||
            variant.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
            fail("variant '" + variant.name +
                 "': a name is made of small letters, digits and _, because it is a part of the names of C "
                 "functions");
        }
        if (split(variant.types, ' ').empty()) {
            fail("variant '" + variant.name + "' has no element type");
        }
        if (!holds(forms, variant.form)) {
            fail("variant '" + variant.name + "' is of the form '" + variant.form +
                 "', which no generator of this program makes; there are: " + listed(forms));
        }
        for (const std::string &type : split(variant.types, ' ')) {
            for (const std::string &backend : backends(variant.where)) {
                if (!known.insert(variant.name + " " + type + " " + backend).second) {
                    fail("two variants are called '" + variant.name + "', for " + type + " on " + backend +
                         " both; give one of them another name");
                }
            }
        }
    }
}

}  // namespace tilewright
