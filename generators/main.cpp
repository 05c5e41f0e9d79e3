// The program of an operator's generator. It knows the operator's table of schedules, and so it can say which libraries
// there are, make each of them, and write the table that the runtime reads.
#include "generators/operator.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/wait.h>

namespace tilewright {

namespace {

// The one place that says what a backend means to Halide. GPU libraries run their host side on any x86-64.
std::string target_of(const std::string &backend, const std::string &features) {
    const std::string plain = "x86-64-linux", avx2 = plain + "-sse41-avx-f16c-fma-avx2",
                      avx512 = avx2 + "-avx512-avx512_skylake",
                      vnni = avx512 + "-avx512_cannonlake-avx512_zen4";
    const std::string tail = "-no_runtime" + (features.empty() ? "" : "-" + features);
    if (backend == "cpu") {
        return avx512 + tail + "," + avx2 + tail + "," + plain + tail;
    }
    if (backend == "vnni") {
        return vnni + tail;
    }
    if (backend == "cuda") {
        return plain + "-cuda-cuda_capability_80" + tail;
    }
    if (backend == "opencl") {
        return plain + "-opencl-cl_doubles" + tail;
    }
    std::cerr << "no backend '" << backend << "'; known: cpu vnni cuda opencl\n";
    exit(1);
}

std::vector<std::string> words(const std::string &text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;) {
        all.push_back(word);
    }
    return all;
}

std::string library_name(const std::string &op, const Row &row, const std::string &type, const std::string &backend) {
    return op + "_" + row.name + "_" + type + "_" + backend;
}

template<typename Visit>
void for_each_library(Visit visit) {
    for (const Row &row : rows()) {
        for (const std::string &type : words(row.types)) {
            for (const std::string &backend : backends(row.where)) {
                visit(row, type, backend);
            }
        }
    }
}

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

// Writes the operator's table as C++ for the runtime, with the libraries of the backends that are built.
void write_table(const std::string &op, const std::vector<std::string> &built, std::ostream &out) {
    std::ostringstream declarations, entries;
    for_each_library([&](const Row &row, const std::string &type, const std::string &backend) {
        if (std::find(built.begin(), built.end(), backend) == built.end()) {
            return;
        }
        const std::string name = library_name(op, row, type, backend);
        const bool made = row.declined.empty();
        if (made) {
            declarations << "int " << name << "_argv(void **);\nconst halide_filter_metadata_t *" << name << "_metadata();\n";
        }
        entries << "    {" << quoted(op) << ", " << quoted(row.name) << ", " << quoted(type) << ", "
                << (backend == "vnni" ? "Backend::cpu, true, " : "Backend::" + backend + ", false, ") << quoted(row.form) << ", {";
        for (const Tunable &t : row.tunables) {
            entries << "{" << quoted(t.name) << ", " << t.value << ", " << t.low << ", " << t.high << "}, ";
        }
        entries << "}, {";
        for (const RegisterCap &cap : row.register_caps) {
            entries << "{" << quoted(cap.kernel) << ", " << cap.most << "}, ";
        }
        entries << "}, " << quoted(row.autoscheduler) << ", " << quoted(row.declined) << ", "
                << (made ? name + "_argv, " + name + "_metadata" : "nullptr, nullptr") << "},\n";
    });
    out << "// Made by " << op << "'s generator from schedules/" << op << ".cpp.\n#include \"tilewright/row.h\"\n\nextern \"C\" {\n"
        << declarations.str() << "}\n\nnamespace tilewright {\n\nconst std::vector<Row> &" << op
        << "_rows() {\n    static const std::vector<Row> rows = {\n" << entries.str() << "    };\n    return rows;\n}\n\n}  // namespace tilewright\n";
}

// Runs Halide's own generator program for one row.
int build(const std::string &op, const Row &row, const std::string &type, const std::string &backend, const std::string &dir,
          const std::string &emit, const std::string &tunables, const std::string &plugins) {
    std::vector<std::string> args = {op, "-g", row.form, "-f", library_name(op, row, type, backend), "-o", dir, "-e", emit,
                                     "target=" + target_of(backend, row.features), "schedule=" + row.name, "type=" + type,
                                     "backend=" + backend};
    if (!tunables.empty()) {
        std::string values = tunables;  // Halide's own program takes one '=' an argument
        std::replace(values.begin(), values.end(), '=', ':');
        args.push_back("tunables=" + values);
    }
    if (!row.autoscheduler.empty()) {
        std::string file = row.autoscheduler;
        std::transform(file.begin(), file.end(), file.begin(), ::tolower);
        args.insert(args.end(), {"-p", plugins + "/libautoschedule_" + file + ".so", "autoscheduler=" + row.autoscheduler});
    }
    std::vector<char *> argv;
    for (std::string &a : args) {
        argv.push_back(a.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

// Asks each autoscheduler that a row says it is declined by, and holds its words against the row's.
int check_declined(const std::string &op, const std::string &plugins) {
    int wrong = 0, asked = 0;
    const auto dir = std::filesystem::temp_directory_path() / ("tilewright-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir);
    for_each_library([&](const Row &row, const std::string &type, const std::string &backend) {
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
            _exit(build(op, row, type, backend, dir, "static_library", "", plugins));
        }
        int status = 0;
        waitpid(child, &status, 0);
        std::stringstream said;
        said << std::ifstream(words_file).rdbuf();
        const bool refused = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        const bool as_written = said.str().find(row.declined) != std::string::npos;
        std::cout << (refused && as_written ? "declined as the table says: " : "NOT as the table says: ")
                  << library_name(op, row, type, backend) << "\n";
        if (!(refused && as_written)) {
            std::cout << said.str() << "\n";
            wrong++;
        }
    });
    std::filesystem::remove_all(dir);
    std::cout << asked << " declined rows asked, " << wrong << " not as the table says\n";
    return wrong ? 1 : 0;
}

}  // namespace

int Site::operator[](const std::string &name) const {
    for (const Tunable &t : tunables) {
        if (t.name == name) {
            return t.value;
        }
    }
    _halide_user_assert(false) << "the row has no tunable '" << name << "'\n";
    return 0;
}

std::vector<std::string> backends(Where where) {
    switch (where) {
    case cpu: return {"cpu"};
    case vnni: return {"vnni"};
    case cuda: return {"cuda"};
    case opencl: return {"opencl"};
    case gpu: return {"cuda", "opencl"};
    }
    return {};
}

const Row &find_row(const std::string &name, const std::string &type, const std::string &backend) {
    std::string known;
    for (const Row &row : rows()) {
        const auto types = words(row.types), places = backends(row.where);
        if (row.name == name && std::find(types.begin(), types.end(), type) != types.end() &&
            std::find(places.begin(), places.end(), backend) != places.end()) {
            return row;
        }
        known += " " + row.name + " (" + row.types + ")";
    }
    _halide_user_assert(false) << "no schedule '" << name << "' for " << type << " on " << backend << "; known:" << known << "\n";
    return rows().front();
}

std::vector<Tunable> with_values(std::vector<Tunable> tunables, const std::string &values) {
    std::istringstream stream(values);
    for (std::string pair; std::getline(stream, pair, ',');) {
        const size_t equals = pair.find(':');
        auto t = std::find_if(tunables.begin(), tunables.end(), [&](const Tunable &t) { return t.name == pair.substr(0, equals); });
        _halide_user_assert(equals != std::string::npos && t != tunables.end()) << "no tunable '" << pair << "'; write name=value\n";
        t->value = std::stoi(pair.substr(equals + 1));
    }
    return tunables;
}

Halide::Type element_type(const std::string &name) {
    const std::pair<const char *, Halide::Type> types[] = {{"u8", Halide::UInt(8)}, {"u16", Halide::UInt(16)}, {"u32", Halide::UInt(32)},
                                                           {"i32", Halide::Int(32)}, {"f32", Halide::Float(32)}, {"f64", Halide::Float(64)}};
    for (const auto &[prefix, type] : types) {
        if (name.rfind(prefix, 0) == 0) {
            return type;
        }
    }
    _halide_user_assert(false) << "no element type '" << name << "'\n";
    return {};
}

}  // namespace tilewright

int main(int argc, char **argv) {
    using namespace tilewright;
    const std::vector<std::string> args(argv + 1, argv + argc);
    const std::string op = rows().front().form, verb = args.empty() ? "" : args[0];  // the first row is the definition's
    if (verb == "list") {
        for_each_library([&](const Row &row, const std::string &type, const std::string &backend) {
            std::cout << (row.declined.empty() ? library_name(op, row, type, backend) : "declined " + library_name(op, row, type, backend)) << "\n";
        });
        return 0;
    }
    if (verb == "table" && args.size() >= 2) {
        std::ofstream out(args[1]);
        write_table(op, {args.begin() + 2, args.end()}, out);
        return out.good() ? 0 : 1;
    }
    if (verb == "build" && args.size() >= 6) {
        return build(op, find_row(args[1], args[2], args[3]), args[2], args[3], args[4], args[5], args.size() > 6 ? args[6] : "", TILEWRIGHT_PLUGINS);
    }
    if (verb == "runtime" && args.size() >= 2) {
        std::vector<std::string> words = {op, "-r", "halide_runtime", "-o", args[1], "-e", "object", "target=x86-64-linux-cuda-opencl"};
        std::vector<char *> argv;
        for (std::string &word : words) {
            argv.push_back(word.data());
        }
        return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
    }
    if (verb == "declined") {
        return check_declined(op, TILEWRIGHT_PLUGINS);
    }
    std::cerr << "usage: " << op << ".generator list | table FILE BACKEND... | declined | runtime DIR\n"
              << "       " << op << ".generator build SCHEDULE TYPE BACKEND DIR EMIT [name=value,...]\n";
    return 2;
}
