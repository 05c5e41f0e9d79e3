// The program of an operator's generator. It knows the operator's table of schedules, and so it can say which libraries
// there are, make each of them, and write the table that the runtime reads.
#include "generators/row_generator.h"
#include "generators/program/show.h"
#include "generators/program/targets.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/wait.h>

namespace tilewright {

namespace {

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

bool holds(const std::vector<std::string> &all, const std::string &one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

[[noreturn]] void fail(const std::string &message) {
    std::cerr << "error: " << only_table().op << ": " << message << "\n";
    exit(1);
}

// Some of the table's libraries, as the command line says: key=value, the values separated by commas.
struct Selection {
    std::string name;                                     // what the libraries' names begin with
    std::vector<std::string> schedules, types, backends;  // empty: all
    std::string tunables;                                 // values in place of the rows' own: "tile=16,pad=4"

    explicit Selection(const std::vector<std::string> &args) : name(only_table().op) {
        for (const std::string &arg : args) {
            const std::string key = arg.substr(0, arg.find('=')), value = arg.substr(std::min(arg.size(), key.size() + 1));
            if (key == "name") {
                name = value;
            } else if (key == "schedule") {
                schedules = split(value, ',');
            } else if (key == "type") {
                types = split(value, ',');
            } else if (key == "backend") {
                backends = split(value, ',');
            } else if (key == "tunables") {
                tunables = value;
            } else {
                fail("'" + arg + "' is no selection; it is name=, schedule=, type=, backend= or tunables=");
            }
        }
    }

    bool has(const Row &row, const std::string &type, const std::string &backend) const {
        return (schedules.empty() || holds(schedules, row.name)) && (types.empty() || holds(types, type)) &&
               (backends.empty() || holds(backends, backend));
    }

    std::string name_of(const Row &row, const std::string &type, const std::string &backend) const {
        return name + "_" + row.name + "_" + type + "_" + backend;
    }

    template<typename Visit>
    void for_each(Visit visit) const {
        for (const Row &row : only_table().rows()) {
            for (const std::string &type : split(row.types, ' ')) {
                for (const std::string &backend : tilewright::backends(row.where)) {
                    if (has(row, type, backend)) {
                        visit(row, type, backend);
                    }
                }
            }
        }
    }

    // A value that is no number, is outside its range, or belongs to none of the rows ends the program in words.
    void check() const {
        bool any = false;
        for_each([&](const Row &, const std::string &, const std::string &) { any = true; });
        if (!any) {
            fail("no row is chosen; `list` shows them all");
        }
        for (const std::string &pair : split(tunables, ',')) {
            const std::string tunable = pair.substr(0, pair.find('=')), text = pair.substr(std::min(pair.size(), tunable.size() + 1));
            if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) {
                fail("tunable '" + pair + "': write name=value, with a whole number");
            }
            std::string known;
            bool found = false;
            for_each([&](const Row &row, const std::string &, const std::string &) {
                for (const Tunable &t : row.tunables) {
                    const std::string range = std::to_string(t.low) + " to " + std::to_string(t.high);
                    known += known.find(" " + t.name + " ") == std::string::npos ? " " + t.name + " (" + range + ")" : "";
                    if (t.name == tunable && (std::stoi(text) < t.low || std::stoi(text) > t.high)) {
                        fail("tunable '" + pair + "' of schedule '" + row.name + "' takes " + range);
                    }
                    found = found || t.name == tunable;
                }
            });
            if (!found) {
                fail("no chosen row has a tunable '" + tunable + "'; there are:" + (known.empty() ? " none" : known));
            }
        }
    }
};

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

// Writes the operator's table as C++ for the runtime. The operator's own one lets programs add rows to it.
void write_table(const Selection &selection, std::ostream &out) {
    const std::string op = only_table().op;
    std::ostringstream declarations, entries;
    selection.for_each([&](const Row &row, const std::string &type, const std::string &backend) {
        const std::string library = selection.name_of(row, type, backend);
        const bool made = row.declined.empty();
        if (made) {
            declarations << "int " << library << "_argv(void **);\nconst halide_filter_metadata_t *" << library << "_metadata();\n";
        }
        entries << "        {" << quoted(op) << ", " << quoted(selection.name) << ", " << quoted(row.name) << ", " << quoted(row.family) << ", "
                << quoted(type) << ", " << (backend == "vnni" ? "Backend::cpu, true, " : "Backend::" + backend + ", false, ") << quoted(row.form) << ", {";
        for (const ConfigurationField &field : row.configured) {
            entries << "{" << quoted(field.name) << ", " << field.value << "}, ";
        }
        entries << "}, {";
        for (const Tunable &t : with_values(row.tunables, selection.tunables)) {
            entries << "{" << quoted(t.name) << ", " << t.value << ", " << t.low << ", " << t.high << "}, ";
        }
        entries << "}, {";
        for (const RegisterCap &cap : row.register_caps) {
            entries << "{" << quoted(cap.kernel) << ", " << cap.most << "}, ";
        }
        entries << "}, " << quoted(row.autoscheduler) << ", " << quoted(row.declined) << ", "
                << (made ? library + "_argv, " + library + "_metadata" : "nullptr, nullptr") << "},\n";
    });
    const bool own = selection.name == op;
    out << "// Made by " << op << "'s generator.\n#include \"tilewright/row.h\"\n\nextern \"C\" {\n"
        << declarations.str() << "}\n\nnamespace tilewright {\n\nconst std::vector<Row> &" << selection.name
        << "_rows() {\n    // Never destroyed: other threads may still call libraries while the process ends.\n    static const auto &rows = *new std::vector<Row>("
        << (own ? "with_added_rows(" + quoted(op) + ", " : "") << "{\n" << entries.str() << "    }" << (own ? ")" : "")
        << ");\n    return rows;\n}\n\n}  // namespace tilewright\n";
}

std::string c_type(const Halide::Type &type) {
    if (type.is_float()) {
        return type.bits() == 64 ? "double" : type.bits() == 32 ? "float" : "uint16_t";
    }
    return (type.is_uint() ? "uint" : "int") + std::to_string(type.bits()) + "_t";
}

// The C++ declaration of one library: Halide's own buffers and numbers in the order of the generator.
void write_function(const Selection &selection, const Row &row, const std::string &type, const std::string &backend, std::ostream &out) {
    const auto generator = Halide::Internal::GeneratorRegistry::create(
        row.form, Halide::GeneratorContext(Halide::Target(split(target_of(backend, row.features), ',').back())));
    for (const auto &[parameter, value] :
         {std::pair<std::string, std::string>{"schedule", row.name}, {"type", type}, {"backend", backend}, {"tunables", selection.tunables}}) {
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
            typed += comma + "Halide::Runtime::Buffer<" + type + ", " + std::to_string(argument.dimensions) + "> &" + argument.name;
            checks += "    static_assert(std::is_same_v<" + (is_output ? type : "std::remove_const_t<" + type + ">") + ", " + element + ">, \"" +
                      argument.name + " has elements of " + element + "\");\n";
            passed += comma + argument.name + ".raw_buffer()";
        }
    }
    const std::string library = selection.name_of(row, type, backend);
    out << "extern \"C\" int " << library << "(" << c << ");\n"
        << "template<" << elements << ">\nint " << library << "(" << typed << ") {\n" << checks << "    return " << library << "(" << passed << ");\n}\n\n";
}

// Writes NAME_functions.h, for programs without the runtime.
void write_functions(const Selection &selection, std::ostream &out) {
    const std::string op = only_table().op;
    out << "// Made by " << op << "'s generator: its libraries as Halide makes them, without checks beyond Halide's own. They return 0, or an\n"
        << "// error code of HalideRuntime.h. C programs include the header that Halide wrote beside each library.\n"
        << "#pragma once\n#include \"HalideBuffer.h\"\n#include <type_traits>\n\n";
    selection.for_each([&](const Row &row, const std::string &type, const std::string &backend) {
        if (row.declined.empty()) {
            write_function(selection, row, type, backend, out);
        }
    });
}

struct Library {
    const Row &row;
    std::string type, backend, name;
};

// Runs Halide's own generator program for one library. `targets`: one or more, separated by commas.
int run_halide(const Library &library, const std::string &dir, const std::string &emit, const std::string &targets, const std::string &tunables) {
    const Row &row = library.row;
    std::vector<std::string> args = {only_table().op, "-g", row.form, "-f", library.name, "-o", dir, "-e", emit, "target=" + targets,
                                     "schedule=" + row.name, "type=" + library.type, "backend=" + library.backend};
    if (!tunables.empty()) {
        std::string values = tunables;  // Halide's own program takes one '=' an argument
        std::replace(values.begin(), values.end(), '=', ':');
        args.push_back("tunables=" + values);
    }
    if (!row.autoscheduler.empty()) {
        std::string file = row.autoscheduler;
        std::transform(file.begin(), file.end(), file.begin(), ::tolower);
        args.insert(args.end(), {"-p", std::string(TILEWRIGHT_PLUGINS) + "/libautoschedule_" + file + ".so", "autoscheduler=" + row.autoscheduler});
    }
    std::vector<char *> argv;
    for (std::string &a : args) {
        argv.push_back(a.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

// Makes the files that `emit` names, separated by commas: static_library, c_header, stmt_html, assembly, ptx (of CUDA libraries) and
// opencl_c (of OpenCL ones).
int build(const Library &library, const std::string &dir, const std::string &emit, const std::string &tunables) {
    const std::string source = library.backend == "cuda" ? "ptx" : library.backend == "opencl" ? "opencl_c" : "";
    const std::string targets = target_of(library.backend, library.row.features), first_target = targets.substr(0, targets.find(','));
    std::string archive, looks;
    bool wants_source = false;
    for (const std::string &file : split(emit, ',')) {
        if (file == "static_library" || file == "c_header") {
            archive += (archive.empty() ? "" : ",") + file;
        } else if (file == "stmt_html" || file == "assembly") {
            looks += (looks.empty() ? "" : ",") + file;
        } else if (file == "ptx" || file == "opencl_c") {
            wants_source = wants_source || file == source;
        } else {
            fail("cannot emit '" + file + "'; it takes static_library, c_header, stmt_html, assembly, ptx, opencl_c");
        }
    }
    const bool one_run = targets == first_target;
    if (wants_source) {
        looks += std::string(looks.empty() ? "" : ",") + "device_code";
    }
    if (one_run && !archive.empty() && !looks.empty()) {
        archive += "," + looks;
        looks.clear();
    }
    if (int code = archive.empty() ? 0 : run_halide(library, dir, archive, targets, tunables)) {
        return code;
    }
    // Of a library for several instruction sets, what there is to look at is that of the widest.
    if (int code = looks.empty() ? 0 : run_halide(library, dir, looks, first_target, tunables)) {
        return code;
    }
    if (wants_source) {
        const std::filesystem::path made = std::filesystem::path(dir) / library.name;
        std::filesystem::rename(made.string() + ".device_code", made.string() + (source == "ptx" ? ".ptx" : ".cl"));
    }
    return 0;
}

// Asks each autoscheduler that a row says it is declined by, and holds its words against the row's.
int check_declined() {
    int wrong = 0, asked = 0;
    const auto dir = std::filesystem::temp_directory_path() / ("tilewright-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir);
    const Selection all({});
    all.for_each([&](const Row &row, const std::string &type, const std::string &backend) {
        if (row.declined.empty()) {
            return;
        }
        asked++;
        const auto words_file = dir / "words";
        fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            if (!freopen(words_file.c_str(), "w", stderr)) {
                _exit(99);
            }
            _exit(build({row, type, backend, all.name_of(row, type, backend)}, dir, "static_library", ""));
        }
        int status = 0;
        waitpid(child, &status, 0);
        std::stringstream said;
        said << std::ifstream(words_file).rdbuf();
        const bool refused = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        const bool as_written = said.str().find(row.declined) != std::string::npos;
        std::cout << (refused && as_written ? "declined as the table says: " : "NOT as the table says: ")
                  << all.name_of(row, type, backend) << "\n";
        if (!(refused && as_written)) {
            std::cout << said.str() << "\n";
            wrong++;
        }
    });
    std::filesystem::remove_all(dir);
    std::cout << asked << " declined rows asked, " << wrong << " not as the table says\n";
    return wrong ? 1 : 0;
}

int make_runtime(const std::string &dir) {
    std::vector<std::string> words = {"tilewright", "-r", "halide_runtime", "-o", dir, "-e", "object", "target=x86-64-linux-cuda-opencl"};
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

int write_file(const std::string &path, const Selection &selection, void (*write)(const Selection &, std::ostream &)) {
    selection.check();
    std::ofstream out(path);
    write(selection, out);
    out.flush();
    if (!out.good()) {
        fail(path + " cannot be written");
    }
    return 0;
}

int run(const std::vector<std::string> &args) {
    const std::string verb = args.empty() ? "" : args[0];
    const auto selection = [&](size_t first) { return Selection({args.begin() + (std::ptrdiff_t)first, args.end()}); };
    if (verb == "list") {
        const Selection chosen = selection(1);
        chosen.for_each([&](const Row &row, const std::string &type, const std::string &backend) {
            std::cout << (row.declined.empty() ? "" : "declined ") << chosen.name_of(row, type, backend) << "\n";
        });
        return 0;
    }
    if (verb == "table" && args.size() >= 2) {
        return write_file(args[1], selection(2), write_table);
    }
    if (verb == "functions" && args.size() >= 2) {
        return write_file(args[1], selection(2), write_functions);
    }
    if (verb == "build" && args.size() >= 3) {
        const Selection chosen = selection(3);
        chosen.check();
        int code = 0;
        chosen.for_each([&](const Row &row, const std::string &type, const std::string &backend) {
            if (row.declined.empty()) {
                code = code ? code : build({row, type, backend, chosen.name_of(row, type, backend)}, args[1], args[2], chosen.tunables);
            }
        });
        return code;
    }
    if (verb == "show" && args.size() >= 2) {
        const Selection chosen = selection(2);
        chosen.check();
        std::vector<Shown> all;
        chosen.for_each([&](const Row &row, const std::string &type, const std::string &backend) {
            if (row.declined.empty()) {
                const std::string targets = target_of(backend, row.features);
                all.push_back({row.form, chosen.name_of(row, type, backend),
                               {{"schedule", row.name}, {"type", type}, {"backend", backend}, {"tunables", chosen.tunables}},
                               targets.substr(0, targets.find(',')), row.autoscheduler, TILEWRIGHT_PLUGINS});
            }
        });
        if (all.size() != 1) {
            fail("show takes a selection of one library; this one has " + std::to_string(all.size()));
        }
        return show(all.front(), args[1]);
    }
    if (verb == "runtime" && args.size() >= 2) {
        return make_runtime(args[1]);
    }
    if (verb == "declined") {
        return check_declined();
    }
    const std::string program = only_table().op + ".generator";
    std::cerr << "usage: " << program << " list [SELECTION]\n"
              << "       " << program << " build FOLDER FILES [SELECTION]      FILES: static_library,c_header,stmt_html,assembly,ptx,opencl_c\n"
              << "       " << program << " table FILE [SELECTION]             the rows, for the runtime\n"
              << "       " << program << " functions FILE [SELECTION]         the libraries' C++ declarations\n"
              << "       " << program << " show PART [SELECTION]             one library: loops, kernels, resources, stmt or assembly\n"
              << "       " << program << " declined                           asks the autoschedulers that decline rows\n"
              << "       " << program << " runtime FOLDER                     Halide's runtime\n"
              << "SELECTION: [name=NAME] [schedule=S,...] [type=T,...] [backend=cpu,vnni,cuda,opencl] [tunables=a=1,...]\n";
    return 2;
}

}  // namespace

}  // namespace tilewright

int main(int argc, char **argv) {
    return tilewright::run({argv + 1, argv + argc});
}
