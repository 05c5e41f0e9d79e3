// Builds rows at the ends of their tunables' ranges, runs them where this machine has a device for them, and
// compares the results with those of the plain loops.
//
// Usage: corners WORK [operator=OP,...] [schedule=NAME] [backend=cpu|cuda|opencl] [every=N]
// WORK is a folder for the libraries. All rows but those of the families `tuned` and `auto` are taken unless
// a schedule is named. every=N takes every N-th corner of the whole list. A corner may be refused by the
// generator in words; a generator that is ended by a signal, a wrong result and a failing call are faults,
// and the program ends with 1.
#include "apps/tilewright/support/built_row.h"
#include "apps/tilewright/support/report.h"
#include "apps/tilewright/support/selection.h"
#include "apps/tilewright/support/verification.h"
#include "tests/support/operators.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

namespace tilewright::app {
namespace {

struct Words {
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

bool chosen(const Row &row, const Words &words) {
    const std::string schedule = words["schedule"];
    return row.declined.empty() && row.autoscheduler.empty() &&
           lists(words["backend"], name_of(row.backend)) &&
           (schedule.empty() ? !row.belongs_to("tuned") : row.belongs_to(schedule));
}

// Every choice of the lower or the upper end of each range; none for a row whose ranges are single numbers.
std::vector<TunableValues> corners_of(const Row &row) {
    std::vector<Row::Tunable> ranges;
    for (const Row::Tunable &tunable : row.tunables) {
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

class Corners {
public:
    Corners(std::string work, const Words &words)
        : work_(std::move(work)), words_(words), every_(std::max(1, atoi(words["every"].c_str()))) {}

    void try_operator(const Operator &op) {
        for (const std::string &type : type_names(op)) {
            Verification verification(op, type, 2);
            for (const Row &row : op.rows()) {
                if (row.type == type && chosen(row, words_)) {
                    try_row(verification, row);
                }
            }
        }
    }

    int report() const {
        printf("%zu built and right, %zu only built, %zu refused in words, %zu at fault\n", right_, built_,
            refused_, faults_);
        return faults_ || right_ + built_ + refused_ == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    }

private:
    void try_row(Verification &verification, const Row &row) {
        std::string why_not;
        const auto found = usable_device(row.backend, why_not);
        for (const TunableValues &values : corners_of(row)) {
            if (number_++ % every_ == 0) {
                try_corner(verification, row, values,
                    found && why_not_on(row, found->device).empty() ? std::optional(found->device) :
                                                                      std::nullopt);
            }
        }
    }

    void try_corner(Verification &verification, const Row &row, const TunableValues &values,
        std::optional<Device> device) {
        // A crash shows the corner that it belongs to.
        printf("%s/%s: ", row.name().c_str(), text_of(values).c_str());
        fflush(stdout);
        std::string word = "built", why;
        size_t *count = &built_;
        try {
            const std::string file = work_ + "/corner_" + std::to_string(number_) + ".so";
            const Row::Needs needs = build_library(row, values, file);
            if (device) {
                kept_.push_back(loaded_row(row, values, needs, file));
                const Result result = verification.run(*kept_.back(), *device);
                word = name_of(result.verdict);
                why = result.why;
                count = result.verdict == Verdict::ok                                         ? &right_ :
                        result.verdict == Verdict::wrong || result.verdict == Verdict::failed ? &faults_ :
                                                                                                &built_;
            }
            remove(file.c_str());
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
    }

    const std::string work_;
    const Words words_;
    const int every_;
    int number_ = 0;
    size_t right_ = 0, built_ = 0, refused_ = 0, faults_ = 0;
    std::vector<std::unique_ptr<const Row>> kept_;  // the runtime keeps what it knows of a row by its address
};

}  // namespace
}  // namespace tilewright::app

int main(int argc, char **argv) {
    using namespace tilewright;
    app::Words words;
    for (int i = 2; i < argc; i++) {
        const std::string word = argv[i];
        const size_t equals = word.find('=');
        words.values[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    if (argc < 2 || words.values.contains("")) {
        fprintf(stderr, "usage: corners WORK [operator=OP,...] [schedule=NAME] [backend=NAME] [every=N]\n");
        return EXIT_FAILURE;
    }
    setenv("TILEWRIGHT_GENERATORS", TILEWRIGHT_BUILD_FOLDER, 0);
    app::Corners corners(argv[1], words);
    for (const Operator *op : operators()) {
        if (app::lists(words["operator"], op->name())) {
            corners.try_operator(*op);
        }
    }
    return corners.report();
}
