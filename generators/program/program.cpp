// The program of an operator's generator. It knows the operator's table of schedules, and so it can say which
// libraries there are, make them, and write the table that the runtime reads.
#include "generators/program/program.h"
#include "generators/program/cpp_output.h"
#include "generators/program/errors/printed_errors.h"
#include "generators/program/libraries/build.h"
#include "generators/program/show.h"
#include <iostream>

namespace tilewright {

namespace {

int make_runtime(const std::string &dir) {
    std::vector<std::string> words = {
        "tilewright", "-r", "halide_runtime", "-o", dir, "-e", "object", "target=x86-64-linux-cuda-opencl"};
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

int show_one(const Selection &selection, const std::string &part) {
    selection.check(true);
    return show(selection.only(), part, selection.values);
}

int list(const Selection &selection) {
    for (const Library &library : selection.libraries()) {
        std::cout << library.name << "\n";
    }
    return 0;
}

int table(const Selection &selection, const std::string &folder) {
    selection.check(true);
    for (const std::string &note : selection.notes()) {
        std::cout << "note: " << selection.name << ": " << note << "\n";
    }
    write_table(selection, folder);
    return 0;
}

int functions(const Selection &selection, const std::string &file) {
    write_functions(selection, file);
    return 0;
}

int usage() {
    const std::string program = only_table().op + ".generator";
    std::cerr << "usage: " << program << " list [SELECTION]\n"
              << "       " << program
              << " build FOLDER FILES [SELECTION]      FILES: "
                 "static_library,c_header,stmt_html,assembly,ptx,opencl_c,sm_NN\n"
              << "       " << program << " table FOLDER [SELECTION]           the variants, for the runtime\n"
              << "       " << program
              << " functions FILE [SELECTION]         the libraries' C++ declarations\n"
              << "       " << program
              << " show PART [SELECTION]             one library: loops, kernels, resources, accesses, stmt "
                 "or assembly\n"
              << "       " << program << " runtime FOLDER                     Halide's runtime\n"
              << "SELECTION: [name=NAME] [schedule=S,...] [type=T,...] [backend=cpu,vnni,cuda,opencl] "
                 "[capability=80] [cpu=portable|host] [autoscheduled=yes|no]\n"
                 "           [errors=words|codes] [tunables=a=1,...] [operator=OP]\n"
                 "           for `show accesses`: [values=image.stride.1=512,...], the arguments of a call\n";
    return 2;
}

// The operator that the word operator=OP names; empty without it.
std::string operator_of(const std::vector<std::string> &words) {
    const std::string key = "operator=";
    for (const std::string &word : words) {
        if (word.starts_with(key)) {
            return word.substr(key.size());
        }
    }
    return "";
}

int run(const std::vector<std::string> &words) {
    const std::string verb = words.empty() ? "" : words[0];
    const size_t taken = verb == "build"                                          ? 3 :
                         verb == "table" || verb == "functions" || verb == "show" ? 2 :
                                                                                    1;
    if (words.size() < taken) {
        return usage();
    }
    if (verb == "runtime" && words.size() == 2) {
        return make_runtime(words[1]);
    }
    check_table(operator_of(words));
    if (verb != "list" && verb != "table" && verb != "functions" && verb != "build" && verb != "show") {
        return usage();
    }
    const Selection selection({words.begin() + (std::ptrdiff_t)taken, words.end()});
    return verb == "list"      ? list(selection) :
           verb == "table"     ? table(selection, words[1]) :
           verb == "functions" ? functions(selection, words[1]) :
           verb == "build"     ? build(selection, words[1], words[2]) :
                                 show_one(selection, words[1]);
}

}  // namespace

int generator_program(int argc, char **argv) {
    return with_printed_errors([&] { return run({argv + 1, argv + argc}); });
}

}  // namespace tilewright
