#pragma once
// A compiled generator of Halide that is not ours: what it says of itself, and the libraries that it builds.
#include "apps/tilewright/terminal/json.h"
#include "tilewright/variant.h"
#include <string>
#include <vector>

namespace tilewright::app {

// What the command line says of such a generator.
struct ForeignWords {
    std::string program, name;                // --generator, -g
    std::string reference;                    // another generator of the program, whose results are right
    std::string against;                      // FILE.so or FILE.so:FUNCTION, whose results are right
    std::vector<std::string> parameters;      // NAME=VALUE, of every library: "input.type=uint8"
    std::vector<std::string> values;          // NAME=VALUE,VALUE: what the search may take
    std::vector<std::string> settings;        // NAME=VALUE: numbers that the library takes
    std::vector<std::string> autoschedulers;  // names; none: all that there are
    std::string features;                     // of Halide's target, joined by '-'
    std::string host = "host";                // Halide's target of the CPU
    std::string said;                         // of a bundle, where the program is not: what it said of itself
    double tolerance = 0;                     // of floats; 0: that of their type
};

Json json(const ForeignWords &words);
ForeignWords foreign_words_of(const Json &json);

// The target of libraries that run elsewhere: machines of the last ten years have it.
constexpr const char *any_machine = "x86-64-linux-sse41-avx-avx2-f16c-fma";

class ForeignGenerator {
public:
    // A parameter of the generator (GeneratorParam), or of an autoscheduler, with the values that it may
    // take: all words of an enumeration and of a bool, and those that the user named. One alone is fixed.
    struct Parameter {
        std::string name, own;
        std::vector<std::string> values;
    };

    // Runs the program, which says what parameters the generator has. Errors: usage, where there is no such
    // program, generator or parameter; failed, where the program is of another version of Halide.
    explicit ForeignGenerator(ForeignWords words);

    const ForeignWords &words() const {
        return words_;
    }
    const std::vector<Parameter> &parameters() const {
        return parameters_;
    }
    // The autoschedulers whose plug-ins are beside the generator's Halide, and that schedule for the backend.
    std::vector<std::string> autoschedulers(Backend backend) const;
    std::vector<Parameter> parameters_of_autoscheduler(const std::string &name) const;

    // The words for a machine that does not have the program.
    ForeignWords words_elsewhere() const;

    // The parameters that a variant may be built with: its tunables, in the same order.
    std::vector<Parameter> parameters_of(const Variant &variant) const;

    // Writes the files of these kinds (Halide's words: "static_library", "stmt") for a variant with the
    // values of its tunables to the folder; they begin with `name`, which the function is called too. The
    // generator `reference` makes the variant of that name. Errors: failed, with the generator's reason.
    void emit(const Variant &variant, const std::string &kinds, const std::string &name,
        const std::string &folder) const;

private:
    void find_halide();
    std::vector<Parameter> read_parameters(const std::string &name) const;
    void take_values();
    void take_said();
    std::string plugin(const std::string &autoscheduler) const;

    const ForeignWords words_;
    std::string plugins_;                      // their folder; empty: not known
    std::vector<std::string> autoschedulers_;  // that are in it
    unsigned cpus_ = 1;
    std::vector<Parameter> parameters_, of_reference_;  // of the two generators
};

std::string in_small_letters(std::string text);

// The generator that makes the variants of this operator; null for operators of ours.
const ForeignGenerator *foreign_generator(const std::string &op);

// Keeps it until the program ends.
void keep_foreign_generator(const std::string &op, const ForeignGenerator &generator);

}  // namespace tilewright::app
