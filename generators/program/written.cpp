#include "generators/program/written.h"
#include "generators/program/targets.h"
#include <filesystem>
#include <fstream>
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

}  // namespace

void write_table(const Selection &selection, std::ostream &out) {
    const std::string op = only_table().op;
    std::ostringstream declarations, entries;
    std::set<std::string> gpus;
    for (const Library &one : selection.libraries()) {
        const ScheduleRow &row = *one.row;
        const std::string &library = one.name, &type = one.type, &backend = one.backend;
        const bool made = row.declined.empty(), gpu = backend == "cuda" || backend == "opencl";
        if (gpu) {
            gpus.insert(backend);
        }
        if (made) {
            declarations << "int " << library << "_argv(void **);\nconst halide_filter_metadata_t *"
                         << library << "_metadata();\n";
        }
        entries << "        {" << quoted(op) << ", " << quoted(selection.name) << ", " << quoted(row.name)
                << ", " << quoted(row.family) << ", " << quoted(type) << ", "
                << (backend == "vnni" ? "Backend::cpu, true, " : "Backend::" + backend + ", false, ")
                << quoted(row.form) << ", {";
        for (const ConfigurationField &field : row.configured) {
            entries << "{" << quoted(field.name) << ", " << field.value << "}, ";
        }
        entries << "}, {";
        for (const Tunable &t : with_values(row.tunables, selection.tunables_of(row))) {
            entries << "{" << quoted(t.name) << ", " << t.value << ", " << t.low << ", " << t.high << "}, ";
        }
        entries << "}, {";
        for (const RegisterCap &cap : row.register_caps) {
            entries << "{" << quoted(cap.kernel) << ", " << cap.most << "}, ";
        }
        entries << "}, " << quoted(row.autoscheduler) << ", " << quoted(row.declined) << ", "
                << quoted(row.summary) << ", " << (made && gpu ? library + "_needs" : "{}") << ", "
                << (made ? library + "_argv, " + library + "_metadata" : "nullptr, nullptr") << "},\n";
    }
    const bool own = selection.name == op;
    out << "// Made by " << op << "'s generator.\n#include \"tilewright/row.h\"\n";
    for (const std::string &backend : gpus) {
        out << "#include \"" << selection.name << "_" << backend << "_needs.h\"\n";
    }
    out << "\nextern \"C\" {\n" << declarations.str() << "}\n\nnamespace tilewright {\n\n";
    if (gpus.count("cuda")) {
        out << "[[maybe_unused]] static const bool said = cuda_libraries_from("
            << halide_capability(selection.capability) << ");\n\n";
    }
    out << "const std::vector<Row> &" << selection.name
        << "_rows() {\n    // Never destroyed: other threads may still call libraries while the process "
           "ends.\n    static const auto &rows = *new std::vector<Row>("
        << (own ? "with_added_rows(" + quoted(op) + ", " : "") << "{\n"
        << entries.str() << "    }" << (own ? ")" : "")
        << ");\n    return rows;\n}\n\n}  // namespace tilewright\n";
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
    const ScheduleRow &row = *one.row;
    const std::string &library = one.name;
    const auto generator = Halide::Internal::GeneratorRegistry::create(row.form,
        Halide::GeneratorContext(Halide::Target(split(target_of(one.backend, row.features), ',').back())));
    for (const auto &[parameter, value] : {std::pair<std::string, std::string>{"schedule", row.name},
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

}  // namespace

void write_functions(const Selection &selection, std::ostream &out) {
    const std::string op = only_table().op;
    out << "// Made by " << op
        << "'s generator: its libraries as Halide makes them, without checks beyond Halide's own. They "
           "return 0, or an\n"
        << "// error code of HalideRuntime.h. C programs include the header that Halide wrote beside each "
           "library.\n"
        << "#pragma once\n#include \"HalideBuffer.h\"\n#include <type_traits>\n\n";
    for (const Library &library : selection.libraries()) {
        if (library.row->declined.empty()) {
            write_function(library, selection.tunables_of(*library.row), out);
        }
    }
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

int write_file(
    const std::string &path, const Selection &selection, void (*write)(const Selection &, std::ostream &)) {
    std::ostringstream text;
    write(selection, text);
    if (!write_text(path, text.str())) {
        fail(path + " cannot be written");
    }
    return 0;
}

}  // namespace tilewright
