// Builds variants at the ends of their tunables' ranges, runs them where this machine has a device for them,
// and compares the results with those of the plain loops.
//
// Usage: corners WORK [operator=OP,...] [schedule=NAME] [backend=cpu,cuda,opencl] [each=N]
// WORK is a folder for the libraries. All variants but those of autoschedulers are taken unless a schedule is
// named. each=N takes N corners of each operator and backend, spread evenly over the list of them. A corner
// may be refused by the generator in words, and then the next one is taken; a generator that is ended by a
// signal, a wrong result and a failing call are faults, and the program ends with 1.
#include "apps/tilewright/built_variants/built_variant.h"
#include "apps/tilewright/command_line/variant_options.h"
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/verification/verification.h"
#include "tests/support/operators.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include <cstdio>
#include <cstdlib>
#include <map>

namespace tilewright::app {
namespace {

struct Options {
    std::map<std::string, std::string> values;

    std::string operator[](const std::string &name) const {
        const auto at = values.find(name);
        return at == values.end() ? "" : at->second;
    }
};

// Whether `list`, words with commas, has the word. An empty list has every word.
bool lists(const std::string &list, const std::string &word) {
    return list.empty() || ("," + list + ",").find("," + word + ",") != std::string::npos;
}

bool chosen(const Variant &variant, const Options &options) {
    const std::string schedule = options["schedule"];
    return variant.autoscheduler.empty() && lists(options["backend"], name_of(variant.backend)) &&
           (schedule.empty() || variant.belongs_to(schedule));
}

// Every choice of the lower or the upper end of each range; none for a variant whose ranges are single
// numbers.
std::vector<TunableValues> corners_of(const Variant &variant) {
    std::vector<Variant::Tunable> ranges;
    for (const Variant::Tunable &tunable : variant.tunables) {
        if (tunable.low < tunable.high) {
            ranges.push_back(tunable);
        }
    }
    std::vector<TunableValues> corners;
    for (size_t corner = 0; !ranges.empty() && corner < size_t(1) << ranges.size(); corner++) {
        TunableValues values;
        for (size_t i = 0; i < ranges.size(); i++) {
            values.emplace_back(ranges[i].name, corner >> i & 1 ? ranges[i].high : ranges[i].low);
        }
        corners.push_back(values);
    }
    return corners;
}

// A variant, and values at the ends of its ranges.
struct Corner {
    const Variant *variant;
    TunableValues values;
};

class Corners {
public:
    Corners(std::string work, const Options &options)
        : work_(std::move(work)), options_(options),
          each_((size_t)std::max(0L, std::strtol(options["each"].c_str(), nullptr, 10))) {}

    void try_operator(const Operator &op) {
        std::map<Backend, std::vector<Corner>> all;
        for (const Variant &variant : op.variants()) {
            if (chosen(variant, options_)) {
                for (TunableValues &values : corners_of(variant)) {
                    all[variant.backend].push_back({&variant, std::move(values)});
                }
            }
        }
        std::map<std::string, Verification> verifications;  // by type
        for (const auto &[backend, corners] : all) {
            const size_t count = each_ == 0 ? corners.size() : std::min(each_, corners.size());
            for (size_t i = 0; i < count; i++) {
                const size_t begin = i * corners.size() / count,
                             length = (i + 1) * corners.size() / count - begin;
                bool built = false;
                for (size_t k = 0; k < length && !built; k++) {  // from the middle on
                    const Corner &corner = corners[begin + (length / 2 + k) % length];
                    const std::string &type = corner.variant->type;
                    built = try_corner(verifications.try_emplace(type, op, type, 2).first->second, corner);
                }
            }
        }
    }

    int report() const {
        printf("%zu built and right, %zu only built, %zu refused with a message, %zu at fault\n", right_,
            built_, refused_, faults_);
        return faults_ || right_ + built_ + refused_ == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    }

private:
    // Whether the generator made the library.
    bool try_corner(Verification &verification, const Corner &corner) {
        const Variant &variant = *corner.variant;
        std::string why_not;
        const auto device = usable_device(variant.backend, why_not);
        const bool runs = device && why_not_on(variant, device->device).empty();
        // A crash shows the corner that it belongs to.
        printf("%s/%s: ", variant.name().c_str(), text_of(corner.values).c_str());
        fflush(stdout);
        std::string word = "built", why;
        size_t *count = &built_;
        try {
            if (!runs) {
                const std::string file = work_ + "/corner.so";
                build_library(variant, corner.values, file);
                for (const char *end : {"", ".needs", ".ptx"}) {
                    remove((file + end).c_str());
                }
            } else {
                kept_.push_back(built_variant(variant, corner.values));
                const Result result = verification.run(*kept_.back(), device->device);
                word = name_of(result.verdict);
                why = result.why;
                count = result.verdict == Verdict::ok                                         ? &right_ :
                        result.verdict == Verdict::wrong || result.verdict == Verdict::failed ? &faults_ :
                                                                                                &built_;
            }
        } catch (const Error &error) {
            why = error.what();
            const bool in_words = why.find("refuses it: ") != std::string::npos &&
                                  why.find("Unhandled exception") == std::string::npos;
            word = in_words ? "refused" : "FAULT";
            count = in_words ? &refused_ : &faults_;
        }
        ++*count;
        printf("%s %s\n", word.c_str(), why.c_str());
        fflush(stdout);
        return count != &refused_;
    }

    const std::string work_;
    const Options options_;
    const size_t each_;  // 0: all corners
    size_t right_ = 0, built_ = 0, refused_ = 0, faults_ = 0;
    // The runtime keeps what it knows of a variant by its address.
    std::vector<std::unique_ptr<const Variant>> kept_;
};

}  // namespace
}  // namespace tilewright::app

int main(int argc, char **argv) {
    using namespace tilewright;
    app::Options options;
    for (int i = 2; i < argc; i++) {
        const std::string word = argv[i];
        const size_t equals = word.find('=');
        options.values[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    if (argc < 2 || options.values.contains("")) {
        fprintf(
            stderr, "usage: corners WORK [operator=OP,...] [schedule=NAME] [backend=NAME,...] [each=N]\n");
        return EXIT_FAILURE;
    }
    setenv("TILEWRIGHT_GENERATORS", TILEWRIGHT_BUILD_FOLDER, 0);
    app::Corners corners(argv[1], options);
    for (const Operator *op : operators()) {
        if (app::lists(options["operator"], op->name())) {
            corners.try_operator(*op);
        }
    }
    return corners.report();
}
