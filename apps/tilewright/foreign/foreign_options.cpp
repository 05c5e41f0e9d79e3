#include "apps/tilewright/foreign/foreign_options.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/foreign/foreign_operator.h"
#include <utility>

namespace tilewright::app {

void add_generator(Command &command, ForeignWords &words) {
    const std::string group = "Generators of your own";
    const auto add = [&](const std::string &name, auto &value, const std::string &help) {
        return command.add(name, value, help).group(group);
    };
    const auto add_words = [&](const std::string &name, std::vector<std::string> &values,
                               const std::string &help, const std::string &value_name) {
        add(name, values, help).one_word().value_name(value_name);
    };
    add("--generator", words.program, "A compiled generator of Halide 21, in place of an operator")
        .value_name("PROGRAM");
    add("-g", words.name, "The generator's name in its program").value_name("NAME");
    add_words("--values", words.values,
        "Values that a parameter of it may take: tile=8,16,32; once for each parameter", "NAME=VALUE,...");
    add_words(
        "--param", words.parameters, "A parameter of every library: tile=8, input.type=uint8", "NAME=VALUE");
    add_words("--set", words.settings, "A number that the library takes", "NAME=VALUE");
    add("--reference", words.reference,
        "Another generator of the program, whose results are right; without it the same one on the CPU")
        .value_name("NAME");
    add("--against", words.against,
        "A shared object whose function NAME or NAME_argv (void **arguments) gives the right results")
        .value_name("FILE.so[:NAME]");
    add("--autoscheduler", words.autoschedulers,
        "Only these of Mullapudi2016, Adams2019, Li2018 and Anderson2021, with commas; or none")
        .commas()
        .one_word()
        .value_name("NAME,...");
    add("--features", words.features, "More features of Halide's target: cuda_capability_80")
        .value_name("TEXT");
    add("--tolerance", words.tolerance, "How far results of floats may differ, relative (default: by type)")
        .range(1e-16, 1.)
        .value_name("NUMBER");
}

std::vector<const Operator *> chosen_operators(
    const std::vector<std::string> &names, const ForeignWords &words) {
    const auto refuse = [](const std::string &why, const std::string &argument, const std::string &value) {
        throw Error(Fault::usage, why, {.argument = argument, .value = value});
    };
    if (words.program.empty()) {
        for (const auto &[option, is_given] : {std::pair{"-g", !words.name.empty()},
                 {"--values", !words.values.empty()}, {"--param", !words.parameters.empty()},
                 {"--set", !words.settings.empty()}, {"--reference", !words.reference.empty()},
                 {"--against", !words.against.empty()}, {"--autoscheduler", !words.autoschedulers.empty()},
                 {"--features", !words.features.empty()}, {"--tolerance", words.tolerance != 0}}) {
            if (is_given) {
                refuse("it goes with --generator; name the generator's program too", option, "");
            }
        }
        return chosen_operators(names);
    }
    if (words.name.empty()) {
        refuse("name the generator too: -g NAME", "--generator", words.program);
    }
    if (!names.empty()) {
        refuse(
            "a generator takes the place of operators; leave one of the two out", "operator", names.front());
    }
    if (!words.reference.empty() && !words.against.empty()) {
        refuse("one of the two says what is right; leave the other out", "--against", words.against);
    }
    return {&foreign_operator(words)};
}

const Operator &chosen_operator(
    const std::string &word, const ForeignWords &words, std::vector<std::string> &files) {
    if (word.empty() && words.program.empty()) {
        throw Error(Fault::usage, "name an operator, or a generator by --generator PROGRAM -g NAME",
            {.argument = "operator"});
    }
    std::vector<std::string> names;
    if (!words.program.empty() && !word.empty()) {
        files.insert(files.begin(), word);
    } else if (!word.empty()) {
        names.push_back(word);
    }
    return *chosen_operators(names, words).front();
}

}  // namespace tilewright::app
