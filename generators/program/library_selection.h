#pragma once
#include "generators/program/targets.h"
#include "schedules/schedule.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright {

// The words of `text` between separators.
std::vector<std::string> split(const std::string &text, char separator);

// Ends the program with a line that names the table's operator.
[[noreturn]] void fail(const std::string &message);

// Whether a backend's libraries have kernels for a GPU.
inline bool is_gpu(const std::string &backend) {
    return backend == "cuda" || backend == "opencl";
}

// A library that the program can make: a variant, for one of its types and one of its backends, with one
// value of each of its tunables.
struct Library {
    const ScheduleVariant *variant;
    std::string type, backend, name;
    int capability;         // of CUDA devices: the oldest that it is for
    std::string schedule;   // the name in the runtime's table: the variant's, and the values where it has
                            // several
    std::string tunables;   // the values in place of the variant's own, "tile=16,pad=4"
    bool host_cpu = false;  // a CPU library: it is for the best instruction set of this machine, and no other
    bool is_own = false;    // one of the operator's own: the runtime alone calls it
    std::string errors = "words";  // or "codes" (error_codes.h)
    std::string shared = {};       // the library that runs for this type too, in place of one of its own

    // The name of the library that runs.
    const std::string &run() const {
        return shared.empty() ? name : shared;
    }
    // The target of CMake's words that the library belongs to: variants of `vnni` are the CPU's.
    std::string target() const {
        return backend == "vnni" ? "cpu" : backend;
    }
};

// Some of the table's libraries, as the command line says: key=value, the values separated by commas.
class Selection {
public:
    explicit Selection(const std::vector<std::string> &words);

    std::string name;  // what the libraries' names begin with: the operator's, or another one
    std::vector<std::string> backends;           // empty: all
    int capability = TargetChoice().capability;  // of the oldest CUDA devices that the libraries are for
    bool host_cpu = false;                       // cpu=host: CPU libraries for this machine alone
    bool autoscheduled = true;                   // autoscheduled=no: without the variants of autoschedulers
    std::string errors = "words";                // of all its libraries; errors=codes: codes alone
    std::map<std::string, int64_t> values;       // of a call, for `show accesses`: "image.stride.1"

    // The libraries in the table's order.
    std::vector<Library> libraries() const;

    // Ends the program with a message where a schedule or type is chosen that no variant has, or where none
    // of the chosen variants takes a value of `tunables`. `complete`: the selection is all that is asked for,
    // and not one backend's part of it.
    void check(bool complete) const;

    // The combinations of chosen values that a variant takes: of tunables that it has, inside the ranges that
    // it states. Where it takes none, one point, which is the variant as it is.
    struct Point {
        std::string tunables;  // "tile=16,pad=4"
        std::string name;      // "_tile16", of those tunables of which the variant takes several values
    };
    std::vector<Point> points_of(const ScheduleVariant &variant) const;

    // Variants that have a chosen tunable, but not the value: a line for each, to be shown.
    std::vector<std::string> notes() const;

    // The one library that is meant: of several that a family's name chooses, the one whose variant has that
    // very name.
    Library only() const;

private:
    struct Value {
        std::string tunable;
        int value;
    };
    std::vector<std::string> schedules_, types_;  // empty: all
    std::vector<Value> values_;

    void read_values(const std::string &text);
    bool means(const std::string &word, const ScheduleVariant &variant) const;
    bool has(const ScheduleVariant &variant, const std::string &type) const;
    void check_words() const;
    void check_value(const Value &value) const;
};

// Ends the program with a message where the table is none that libraries can be made of: it belongs to
// another operator than `op` (empty: any), a variant's name is no part of a C name, two variants of a type
// and backend have one name, or no generator of the program makes a variant's form.
void check_table(const std::string &op);

}  // namespace tilewright
