// Writes the table of variants, and the declarations of their libraries, as C++.
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/library.h"
#include "generators/program/targets.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

namespace tilewright {

namespace {

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

std::string joined(const std::vector<std::string> &texts, const std::string &between = ", ") {
    std::string all;
    for (const std::string &text : texts) {
        all += (all.empty() ? "" : between) + text;
    }
    return all;
}

// The texts of a table, one after another, each with a zero byte behind it.
class Texts {
public:
    // Where the text begins, as C++ has it.
    std::string place_of(const std::string &text) {
        const auto [known, is_new] = places_.try_emplace(text, size_);
        if (is_new) {
            size_ += text.size() + 1;
            lines_ += "    " + quoted(text) + " \"\\0\"\n";
        }
        return std::to_string(known->second);
    }

    // The literals of all of them.
    const std::string &lines() const {
        return lines_;
    }

private:
    std::map<std::string, size_t> places_;
    size_t size_ = 0;
    std::string lines_;
};

// The numbers of a variant, in the order in which variants_of() takes them.
std::vector<std::string> numbers_of(
    const ScheduleVariant &variant, const std::vector<Tunable> &tunables, Texts &texts) {
    std::vector<std::string> all;
    const auto add = [&](const std::string &name, std::initializer_list<int> values) {
        std::string line = "    {" + texts.place_of(name);
        for (const int value : values) {
            line += ", " + std::to_string(value);
        }
        all.push_back(line + "},\n");
    };
    for (const ConfigurationField &field : variant.configured) {
        add(field.name, {field.value});
    }
    for (const Tunable &t : tunables) {
        add(t.name, {t.value, t.low, t.high});
    }
    for (const RegisterCap &cap : variant.register_caps) {
        add(cap.kernel, {cap.most});
    }
    return all;
}

std::vector<std::string> conditions_of(const ScheduleVariant &variant, Texts &texts) {
    std::vector<std::string> all;
    for (const Condition &condition : variant.conditions) {
        std::ostringstream out;
        out << std::setprecision(17) << "    {" << texts.place_of(condition.measure) << ", "
            << condition.range.least << ", ";
        if (std::isinf(condition.range.most)) {
            out << "std::numeric_limits<double>::infinity()";
        } else {
            out << condition.range.most;
        }
        out << (condition.is_needed ? ", true},\n" : ", false},\n");
        all.push_back(out.str());
    }
    return all;
}

// The index in `all` from which these lines stand one after another. Where they do not yet, they are added at
// the end.
std::string place_of(const std::vector<std::string> &lines, std::vector<std::string> &all) {
    const auto at = std::search(all.begin(), all.end(), lines.begin(), lines.end());
    const auto place = at - all.begin();
    if (at == all.end()) {
        all.insert(all.end(), lines.begin(), lines.end());
    }
    return std::to_string(place);
}

// The targets of the chosen libraries: cpu, cuda, opencl.
std::set<std::string> targets_of(const Selection &selection) {
    std::set<std::string> targets;
    for (const std::string &backend : selection.backends) {
        targets.insert(backend == "vnni" ? "cpu" : backend);
    }
    for (const Library &library : selection.libraries()) {
        targets.insert(library.target());
    }
    return targets;
}

// The libraries of a target, and the function that gives them to the table.
std::string libraries_text(const Selection &selection, const std::string &target) {
    std::ostringstream declarations, entries;
    for (const Library &one : selection.libraries()) {
        if (one.target() != target) {
            continue;
        }
        if (one.shared.empty()) {
            declarations << "int " << one.name << "_argv(void **);\n";
            if (!one.is_own) {  // else the header of their needs has it
                declarations << "const halide_filter_metadata_t *" << one.name << "_metadata();\n";
            }
        }
        entries << "    {" << joined({one.run() + "_needs", one.run() + "_argv", one.run() + "_metadata"})
                << "},\n";
    }
    const bool none = entries.str().empty();
    std::ostringstream out;
    const std::string begin = "#include \"" + selection.name + "_" + target;
    out << "// Made by " << only_table().op << "'s generator.\n#include \"tilewright/variant.h\"\n"
        << begin << "_needs.h\"\n";
    if (is_gpu(target)) {
        out << begin << "_texts.h\"\n";
    }
    if (target == "cuda") {
        out << begin << "_cubins.h\"\n";
    }
    out << "\nextern \"C\" {\n" << declarations.str() << "}\n\nnamespace tilewright {\n\n";
    if (!none) {
        out << "namespace {\n\n";
        if (target == "cuda") {
            out << "[[maybe_unused]] const bool said = cuda_libraries_from("
                << halide_capability(selection.capability) << ");\n\n";
        }
        out << "constexpr VariantLibrary libraries[] = {\n" << entries.str() << "};\n\n}  // namespace\n\n";
    }
    out << "std::span<const VariantLibrary> " << selection.name << "_" << target
        << "_libraries() {\n    return " << (none ? "{}" : "libraries")
        << ";\n}\n\n}  // namespace tilewright\n";
    return out.str();
}

// The members of VariantWords.
std::string words_of(const ScheduleVariant &variant, const std::string &schedule, Texts &texts) {
    std::vector<std::string> words = {schedule, variant.family, variant.also, variant.form,
        variant.opencl_options, variant.autoscheduler, variant.summary, variant.unmeasured};
    std::transform(words.begin(), words.end(), words.begin(),
        [&](const std::string &word) { return texts.place_of(word); });
    return "    {" + joined(words) + "},\n";
}

std::string table_text(const Selection &selection) {
    const std::string op = only_table().op;
    Texts texts;
    std::vector<std::string> words, numbers, conditions;
    std::ostringstream entries, declarations, backends;
    for (const std::string &target : targets_of(selection)) {
        const std::string function = selection.name + "_" + target + "_libraries";
        declarations << "std::span<const VariantLibrary> " << function << "();\n";
        backends << "    {Backend::" << target << ", " << function << "},\n";
    }
    for (const Library &one : selection.libraries()) {
        const ScheduleVariant &variant = *one.variant;
        const std::vector<Tunable> tunables = with_values(variant.tunables, one.tunables);
        entries << "    {"
                << joined({texts.place_of(one.type),
                       one.backend == "vnni" ? "Backend::cpu, true" : "Backend::" + one.backend + ", false",
                       place_of({words_of(variant, one.schedule, texts)}, words),
                       std::to_string(variant.configured.size()), std::to_string(tunables.size()),
                       std::to_string(variant.register_caps.size()),
                       std::to_string(variant.conditions.size()),
                       place_of(numbers_of(variant, tunables, texts), numbers),
                       place_of(conditions_of(variant, texts), conditions)})
                << "},\n";
    }
    std::ostringstream out;
    out << "// Made by " << op
        << "'s generator.\n#include \"tilewright/variant.h\"\n\nnamespace tilewright {\n\n"
        << declarations.str() << "\nnamespace {\n\n"
        << "constexpr char texts[] =\n"
        << texts.lines() << "    ;\n\nconstexpr VariantWords words[] = {\n"
        << joined(words, "") << "};\n\nconstexpr VariantNumber numbers[] = {\n"
        << joined(numbers, "")
        << "    {},  // so that there is one\n};\n\nconstexpr VariantCondition conditions[] = {\n"
        << joined(conditions, "") << "    {},\n};\n\n"
        << "constexpr ConstantVariant variants[] = {\n"
        << entries.str() << "};\n\nconstexpr BackendLibraries backends[] = {\n"
        << backends.str() << "};\n\nconstexpr VariantTable table = {"
        << joined({quoted(op), quoted(selection.name)})
        << ", texts, words, numbers, conditions, variants, backends};\n\n}  // namespace\n\n"
        << "const std::vector<Variant> &" << selection.name
        << "_variants() {\n    static const std::vector<Variant> &all = variants_of(table);\n"
        << "    return all;\n}\n\n}  // namespace tilewright\n";
    return out.str();
}

void write_whole(const std::string &path, const std::string &text) {
    if (!write_text(path, text)) {
        fail(path + " cannot be written");
    }
}

}  // namespace

void write_table(const Selection &selection, const std::string &folder) {
    const std::string begin = (std::filesystem::path(folder) / selection.name).string() + "_";
    write_whole(begin + "table.cpp", table_text(selection));
    for (const std::string &target : targets_of(selection)) {
        write_whole(begin + target + "_libraries.cpp", libraries_text(selection, target));
    }
}

namespace {

std::string c_type(const Halide::Type &type) {
    if (type.is_float()) {
        return type.bits() == 64 ? "double" : type.bits() == 32 ? "float" : "uint16_t";
    }
    return (type.is_uint() ? "uint" : "int") + std::to_string(type.bits()) + "_t";
}

// The C++ declaration of one library: Halide's own buffers and numbers in the order of the generator.
void write_function(const Library &one, const std::string &tunables, std::ostream &out) {
    const ScheduleVariant &variant = *one.variant;
    const std::string &library = one.name;
    const auto generator = Halide::Internal::GeneratorRegistry::create(
        variant.form, Halide::GeneratorContext(
                          Halide::Target(split(target_of(one.backend, variant.features), ',').back())));
    for (const auto &[parameter, value] : {std::pair<std::string, std::string>{"schedule", variant.name},
             {"type", one.type}, {"backend", one.backend}, {"tunables", tunables}}) {
        generator->set_generatorparam_value(parameter, value);
    }
    std::string c, typed, passed, elements, checks;
    int buffers = 0;
    for (const auto &argument : generator->arginfos()) {
        const bool is_output = argument.dir == Halide::Internal::ArgInfoDirection::Output;
        const std::string comma = c.empty() ? "" : ", ", element = c_type(argument.types.front());
        if (argument.kind == Halide::Internal::ArgInfoKind::Scalar) {
            c += comma + element + " " + argument.name;
            typed += comma + element + " " + argument.name;
            passed += comma + argument.name;
        } else {
            const std::string type = "T" + std::to_string(buffers++);
            c += comma + "struct halide_buffer_t *" + argument.name;
            elements += (elements.empty() ? "typename " : ", typename ") + type;
            typed += comma + "Halide::Runtime::Buffer<" + type + ", " + std::to_string(argument.dimensions) +
                     "> &" + argument.name;
            checks += "    static_assert(std::is_same_v<" +
                      (is_output ? type : "std::remove_const_t<" + type + ">") + ", " + element + ">, \"" +
                      argument.name + " has elements of " + element + "\");\n";
            passed += comma + argument.name + ".raw_buffer()";
        }
    }
    out << "extern \"C\" int " << library << "(" << c << ");\n"
        << "template<" << elements << ">\nint " << library << "(" << typed << ") {\n"
        << checks << "    return " << library << "(" << passed << ");\n}\n\n";
}

std::string functions_text(const Selection &selection) {
    std::ostringstream out;
    const std::string op = only_table().op;
    out << "// Made by " << op
        << "'s generator: its libraries as Halide makes them, without checks beyond Halide's own. They "
           "return 0, or an\n"
        << "// error code of HalideRuntime.h, and say in one line on standard error what was wrong; a "
           "function "
           "that is given\n"
        << "// to halide_set_error_handler() gets that line in place of standard error. C programs include "
           "the "
           "header\n"
        << "// that Halide wrote beside each library, and HalideRuntime.h.\n"
        << "#pragma once\n#include \"HalideBuffer.h\"\n#include <type_traits>\n\n";
    for (const Library &library : selection.libraries()) {
        write_function(library, library.tunables, out);
    }
    return out.str();
}

}  // namespace

std::string text_of(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

bool write_text(const std::string &path, const std::string &text) {
    std::ostringstream before;
    before << std::ifstream(path).rdbuf();
    if (std::filesystem::exists(path) && before.str() == text) {
        return true;
    }
    std::ofstream out(path);
    out << text;
    out.close();
    return (bool)out;
}

void write_functions(const Selection &selection, const std::string &file) {
    write_whole(file, functions_text(selection));
}

}  // namespace tilewright
