// Asks a generator program, by the options that every program of Halide's GenGen has.
#include "apps/tilewright/foreign/foreign_generator.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/terminal/printing.h"
#include "runtime/dispatch/options/option_text.h"
#include "runtime/process/immortal.h"
#include "tilewright/error.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace tilewright::app {

namespace {

namespace fs = std::filesystem;
using Parameters = std::vector<ForeignGenerator::Parameter>;

constexpr const char *halide_major = "21";

constexpr const char *any_autoscheduler = "autoscheduler";
constexpr std::array all_autoschedulers = {"Mullapudi2016", "Adams2019", "Li2018", "Anderson2021"};

// What Halide says of a failure, without its frame.
std::string reason_of(const Finished &ran) {
    const std::string said = ran.err.empty() ? ran.out : ran.err, error = "Error: ";
    const size_t at = said.find(error);
    std::string reason = one_line(at == std::string::npos ? said : said.substr(at + error.size()));
    reason.erase(reason.find_last_not_of(" .") + 1);
    if (reason.starts_with("terminate called")) {  // all that an autoscheduler says of such a name
        reason += "; an autoscheduler may not know a parameter that --values names";
    }
    return reason.empty() ? fmt::format("it ended with code {}", ran.code) : reason;
}

[[noreturn]] void refuse(
    Fault fault, const std::string &message, const std::string &option, const std::string &value) {
    throw Error(fault, message, {.argument = option, .value = value});
}

// Name and value of NAME=VALUE.
std::pair<std::string, std::string> pair_of(const std::string &option, const std::string &word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
        refuse(Fault::usage, "write NAME=VALUE", option, word);
    }
    return {word.substr(0, equals), word.substr(equals + 1)};
}

// "2.500000" and "1.500000f" as people write them; other values stay as they are.
std::string short_value(const std::string &type, std::string value) {
    if (type == "float" || type == "double") {
        value.erase(value.find_last_not_of("fF") + 1);
        return fmt::format("{:g}", std::strtod(value.c_str(), nullptr));
    }
    const size_t scope = value.rfind("::");
    return scope == std::string::npos ? value : value.substr(scope + 2);
}

// The values that are worth trying of a parameter for which the user named none: those of a bool.
std::vector<std::string> declared_values(const std::string &type, const std::string &own) {
    return type == "bool" ? std::vector<std::string>{"false", "true"} : std::vector<std::string>{own};
}

// What is in `text` between the first `begin` and the `end` that follows; "" where either is missing.
std::string between(const std::string &text, const std::string &begin, const std::string &end) {
    const size_t found = text.find(begin), first = found + begin.size(),
                 behind = found == text.npos ? found : text.find(end, first);
    return behind == text.npos ? "" : text.substr(first, behind - first);
}

// The parameters in a stub, the C++ header by which other generators call this one:
//
//     static const std::map<Enum_schedule, std::string> m = {
//         { Enum_schedule::cache, "cache"},
//     struct GeneratorParams final {
//         Enum_schedule schedule{ Enum_schedule::cache };
//         int32_t tile{ 32 };
Parameters parameters_in(const std::string &stub) {
    std::map<std::string, std::map<std::string, std::string>> enumerations;  // the words of the members
    Parameters parameters;
    bool is_inside = false;
    std::istringstream lines(stub);
    for (std::string line; std::getline(lines, line);) {
        is_inside = is_inside || line.find("struct GeneratorParams final {") != line.npos;
        if (is_inside && line.find("GeneratorParams()") != line.npos) {
            break;
        }
        if (const std::string word = between(line, "{ Enum_", "::"); !is_inside && !word.empty()) {
            enumerations["Enum_" + word][between(line, "::", ",")] = between(line, "\"", "\"}");
        }
        std::string type, name, value = between(line, "{", "};");
        std::istringstream(line.substr(0, line.find('{'))) >> type >> name;
        if (!is_inside || name.empty() || !line.ends_with("};")) {
            continue;
        }
        value.erase(0, value.find_first_not_of(' '));
        value.erase(value.find_last_not_of(' ') + 1);
        ForeignGenerator::Parameter one{name, short_value(type, value), {}};
        if (const auto known = enumerations.find(type); known != enumerations.end()) {
            one.own = known->second[one.own];
            for (const auto &[member, words] : known->second) {
                one.values.push_back(words);
            }
        } else {
            one.values = declared_values(type, one.own);
        }
        parameters.push_back(std::move(one));
    }
    return parameters;
}

}  // namespace

std::string in_small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

Json json(const ForeignWords &words) {
    return {{"program", words.program}, {"name", words.name}, {"reference", words.reference},
        {"against", words.against}, {"parameters", words.parameters}, {"values", words.values},
        {"settings", words.settings}, {"autoschedulers", words.autoschedulers}, {"features", words.features},
        {"host", words.host}, {"said", words.said}, {"tolerance", words.tolerance}};
}

ForeignWords foreign_words_of(const Json &json) {
    using Words = std::vector<std::string>;
    return {json["program"], json["name"], json["reference"], json["against"],
        json["parameters"].get<Words>(), json["values"].get<Words>(), json["settings"].get<Words>(),
        json["autoschedulers"].get<Words>(), json["features"], json["host"], json["said"], json["tolerance"]};
}

ForeignGenerator::ForeignGenerator(ForeignWords words)
    : words_(std::move(words)), cpus_(std::max(1u, std::thread::hardware_concurrency())) {
    if (!words_.said.empty()) {
        take_said();
        return;
    }
    std::error_code none;
    if (!fs::is_regular_file(words_.program, none) || access(words_.program.c_str(), X_OK) != 0) {
        refuse(Fault::usage, "there is no such program; give the path of a compiled generator of Halide",
            "--generator", words_.program);
    }
    find_halide();
    parameters_ = read_parameters(words_.name);
    take_values();
    if (!words_.reference.empty()) {
        of_reference_ = read_parameters(words_.reference);  // refuses a generator that is not there
    }
}

// The folder of the Halide that the program is linked with, as the dynamic linker says, and its version. Of a
// program that has Halide in it, neither is known.
void ForeignGenerator::find_halide() {
    const std::string ldd = program_in_path("ldd", "/usr/bin:/bin");
    const std::string said = ldd.empty() ? "" : run_program(ldd, {words_.program}).out;
    // "libHalide.so.21 => /home/.../libHalide.so.21 (0x...)"
    const std::string library = "libHalide.so", line = library + between(said, library, "\n"),
                      file = between(line, " => ", " ");
    std::error_code none;
    if (!file.starts_with("/")) {
        return;
    }
    const fs::path folder = fs::path(file).parent_path();
    plugins_ = folder.string();
    for (const char *name : all_autoschedulers) {
        if (fs::exists(plugin(name), none)) {
            autoschedulers_.emplace_back(name);
        }
    }
    std::string major = between(line, library + ".", " ");
    if (major.empty()) {
        major = between(text_of_file((folder / "cmake/Halide/HalideConfigVersion.cmake").string()),
            "PACKAGE_VERSION \"", "\"");
    }
    major = major.substr(0, major.find_first_not_of("0123456789"));
    if (!major.empty() && major != halide_major) {
        refuse(Fault::failed,
            fmt::format("it is linked with Halide {}, and this program runs libraries of Halide {}; build it "
                        "with that",
                major, halide_major),
            "--generator", words_.program);
    }
}

Parameters ForeignGenerator::read_parameters(const std::string &name) const {
    const TemporaryFolder folder;
    const Finished ran = run_program(words_.program,
        {"-g", name, "-f", "stub", "-n", "stub", "-e", "cpp_stub", "-o", folder.path(), "target=host"});
    if (ran.code != 0) {
        const bool is_gengen = (ran.err + ran.out).find("Generator not found") != std::string::npos;
        refuse(Fault::usage,
            is_gengen ?
                one_line(ran.err.substr(ran.err.find("Generator not found"))) :
                fmt::format("it says nothing of its parameters ({}); give a program that is linked with "
                            "Halide's GenGen",
                    reason_of(ran)),
            "-g", name);
    }
    const std::string stub = text_of_file(folder.file("stub.stub.h"));
    if (stub.empty()) {
        refuse(Fault::usage, "it writes nothing; give a program that is linked with Halide's GenGen",
            "--generator", words_.program);
    }
    return parameters_in(stub);
}

// The user's words take the place of what the generator declares.
void ForeignGenerator::take_values() {
    std::vector<std::string> known;
    for (const Parameter &parameter : parameters_) {
        known.push_back(parameter.name);
    }
    const auto find = [&](const std::string &name) {
        return std::find_if(parameters_.begin(), parameters_.end(),
            [&](const Parameter &parameter) { return parameter.name == name; });
    };
    for (const std::string &word : words_.parameters) {
        const auto [name, value] = pair_of("--param", word);
        if (const auto at = find(name); at != parameters_.end()) {  // others may be types of inputs
            at->own = value;
            at->values = {value};
        }
    }
    for (const std::string &word : words_.values) {
        const auto [name, value] = pair_of("--values", word);
        const std::string first = name.substr(0, name.find('.'));
        if (first == any_autoscheduler ||
            std::ranges::find(all_autoschedulers, first) != all_autoschedulers.end()) {
            continue;
        }
        const auto at = find(name);
        if (at == parameters_.end()) {
            refuse(Fault::usage,
                fmt::format("the generator has no such parameter{}; it has {}", did_you_mean(name, known),
                    known.empty() ? "none" : joined(known, ", ")),
                "--values", name);
        }
        at->values = parted(value);
        if (std::find(at->values.begin(), at->values.end(), at->own) == at->values.end()) {
            at->values.push_back(at->own);
        }
    }
}

ForeignWords ForeignGenerator::words_elsewhere() const {
    Json parameters = Json::array();
    for (const Parameter &one : parameters_) {
        parameters.push_back({one.name, one.own, one.values});
    }
    ForeignWords words = words_;
    words.program = fs::path(words_.program).filename().string();
    words.said =
        Json{{"parameters", parameters}, {"autoschedulers", autoschedulers_}, {"cpus", cpus_}}.dump();
    return words;
}

void ForeignGenerator::take_said() {
    const Json all = Json::parse(words_.said);
    for (const Json &one : all["parameters"]) {
        parameters_.push_back({one[0], one[1], one[2].get<std::vector<std::string>>()});
    }
    autoschedulers_ = all["autoschedulers"].get<std::vector<std::string>>();
    cpus_ = all["cpus"];
}

std::string ForeignGenerator::plugin(const std::string &autoscheduler) const {
    return plugins_ + "/libautoschedule_" + in_small_letters(autoscheduler) + ".so";
}

std::vector<std::string> ForeignGenerator::autoschedulers(Backend backend) const {
    for (const std::string &name : words_.autoschedulers) {
        if (name != "none" && std::ranges::find(all_autoschedulers, name) == all_autoschedulers.end()) {
            refuse(Fault::usage, fmt::format("takes {}, or none", fmt::join(all_autoschedulers, ", ")),
                "--autoscheduler", name);
        }
    }
    std::vector<std::string> found;
    for (const std::string &name : autoschedulers_) {
        const bool fits = backend == Backend::cpu  ? name != "Anderson2021" :
                          backend == Backend::cuda ? name != "Adams2019" :
                                                     name == "Li2018" || name == "Mullapudi2016";
        const bool is_asked = words_.autoschedulers.empty() ||
                              std::find(words_.autoschedulers.begin(), words_.autoschedulers.end(), name) !=
                                  words_.autoschedulers.end();
        if (fits && is_asked) {
            found.push_back(name);
        }
    }
    return found;
}

// How many tasks there should be at a time is worth a search, unless the user says it. A parameter is named
// after its autoscheduler, because one name has the same values in all variants.
Parameters ForeignGenerator::parameters_of_autoscheduler(const std::string &name) const {
    Parameters parameters = {{name + ".parallelism", std::to_string(cpus_),
        {std::to_string(cpus_), std::to_string(2 * cpus_), std::to_string(8 * cpus_)}}};
    if (name == "Anderson2021") {  // multiprocessors of a GPU
        parameters.front() = {name + ".parallelism", "80", {"40", "80", "160"}};
    }
    for (const std::string &word : words_.values) {
        const auto [option, value] = pair_of("--values", word);
        const size_t dot = option.find('.');
        if (dot == std::string::npos ||
            (option.substr(0, dot) != name && option.substr(0, dot) != any_autoscheduler)) {
            continue;
        }
        const std::vector<std::string> values = parted(value);
        const std::string full_name = name + option.substr(dot);
        std::erase_if(parameters, [&](const Parameter &parameter) { return parameter.name == full_name; });
        parameters.push_back({full_name, values.front(), values});
    }
    return parameters;
}

Parameters ForeignGenerator::parameters_of(const Variant &variant) const {
    if (!variant.autoscheduler.empty()) {
        return parameters_of_autoscheduler(variant.autoscheduler);
    }
    return variant.family == "reference" ? Parameters{} : parameters_;
}

void ForeignGenerator::emit(const Variant &variant, const std::string &kinds, const std::string &name,
    const std::string &folder) const {
    const bool is_reference = variant.family == "reference" && !words_.reference.empty();
    std::vector<std::string> arguments = {"-g", is_reference ? words_.reference : words_.name, "-f", name,
        "-n", name, "-o", folder, "-e", kinds};
    std::string target = "target=" + words_.host;
    if (variant.backend != Backend::cpu) {
        target += std::string("-") + name_of(variant.backend);
    }
    target += words_.features.empty() ? "" : "-" + words_.features;
    if (!variant.autoscheduler.empty()) {
        arguments.insert(arguments.end(), {"-p", plugin(variant.autoscheduler)});
        arguments.push_back("autoscheduler=" + variant.autoscheduler);
        if (variant.autoscheduler == "Mullapudi2016" && variant.backend != Backend::cpu) {
            arguments.push_back("autoscheduler.experimental_gpu_schedule=1");
        }
    }
    arguments.push_back(target + "-no_runtime");
    const Parameters parameters = parameters_of(variant);
    for (const std::string &word : words_.parameters) {
        const std::string of = pair_of("--param", word).first;  // another generator may not have it
        if (!is_reference || std::ranges::find(parameters_, of, &Parameter::name) == parameters_.end() ||
            std::ranges::find(of_reference_, of, &Parameter::name) != of_reference_.end()) {
            arguments.push_back(word);
        }
    }
    for (size_t i = 0; i < parameters.size(); i++) {
        const std::string &value = parameters[i].values.at((size_t)variant.tunables.at(i).value);
        if (value != parameters[i].own || !variant.autoscheduler.empty()) {
            const std::string &word = parameters[i].name;  // of an autoscheduler, its name has a dot behind
                                                           // it
            const size_t dot = variant.autoscheduler.empty() ? std::string::npos : word.find('.');
            arguments.push_back(
                (dot == std::string::npos ? word : any_autoscheduler + word.substr(dot)) + "=" + value);
        }
    }
    const Finished ran = run_program(words_.program, arguments);
    if (ran.code != 0) {
        throw Error(Fault::failed,
            ran.code > 128 && ran.err.empty() ?
                fmt::format("its generator was ended by signal {}", ran.code - 128) :
                fmt::format("its generator refuses it: {}", reason_of(ran)),
            {.operation = variant.name()});
    }
}

namespace {

std::map<std::string, const ForeignGenerator *> &known_generators() {
    return immortal([] { return std::map<std::string, const ForeignGenerator *>(); });
}

}  // namespace

const ForeignGenerator *foreign_generator(const std::string &op) {
    const auto at = known_generators().find(op);
    return at == known_generators().end() ? nullptr : at->second;
}

void keep_foreign_generator(const std::string &op, const ForeignGenerator &generator) {
    known_generators()[op] = &generator;
}

}  // namespace tilewright::app
