#pragma once
#include "tilewright/device.h"
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct halide_filter_metadata_t;

namespace tilewright {

class Form;

// One ahead-of-time library: a row of an operator's table of schedules, for one element type and one backend.
// The tables are written by the generators; nothing else lists schedules.
struct Row {
    struct Tunable {
        std::string name;
        int value, low, high;
    };

    struct RegisterCap {
        std::string kernel;  // a part of a CUDA kernel's name; empty: any
        int most;            // registers per thread
    };

    // What a library needs of a device, as the generator saw it when it made it; 0 and false: nothing, or not
    // known before it runs. All but the last are of the kernels of a GPU's library.
    struct Needs {
        int threads = 0;           // of the largest block
        int64_t shared_bytes = 0;  // shared (OpenCL: local) memory of the largest block
        int capability = 0;        // CUDA: the compute capability, 80 for 8.0
        bool fp64 = false, images = false, half = false;
        int only_capability = 0;  // CUDA: the one whose instructions the kernels have; others do not run them
        bool avx2 = false;        // of the CPU
    };

    // What the row says of its form, member by member; configuration() gives it as a struct.
    struct Field {
        std::string name;
        int value;
    };

    // A condition on a number of a call (Operator::measure): it is from `least` to `most`.
    struct Condition {
        std::string measure;  // "height", "n"
        double least, most;
        bool is_needed;  // the row serves no other calls; or else it does, and is not meant for them
    };

    std::string op;
    std::string origin;  // whose functions these are: the operator's own, or what tilewright_add_library made
    std::string schedule;
    std::string family;  // the word that means this row and others: "tuned" of "tuned_aligned"
    std::string type;
    Backend backend;
    bool needs_vnni;
    std::string form;  // the name of the algebra whose arguments the library takes
    std::vector<Field> configured;
    std::vector<Tunable> tunables;
    std::vector<RegisterCap> register_caps;
    std::string opencl_options;  // with which OpenCL programs are built; empty: none
    std::string autoscheduler;   // of `auto` rows: the plug-in that made the schedule
    std::string declined;        // not empty: no library, because this is what the autoscheduler says
    std::string summary;         // one sentence: how the work is done, and what that brings
    Needs needs;
    int (*entry)(void **);
    const halide_filter_metadata_t *(*metadata)();
    std::string also = {};  // another family that the row belongs to; empty: none
    std::vector<Condition> conditions = {};
    const Form *known_form = nullptr;  // what the front knows of the form: the operator of the row sets it

    std::string name() const;  // "transpose/padded/u8/cuda", and "/turn" if that is the library
    int tunable(std::string_view name) const;  // the value; a name that is not there is a std::logic_error
    int tunable(std::string_view name, int otherwise) const;  // the same, `otherwise` where the row has no
                                                              // such tunable
    bool belongs_to(std::string_view word) const;  // the word is the row's schedule, a family of it, or the
                                                   // library that it is of

    // What the row says of its form, as the struct that the generator has it in: with default values where
    // the row says nothing. A member that is missing, or one that the struct does not have, is a
    // std::logic_error that names it and the row.
    template<typename Configuration>
    Configuration configuration() const {
        Configuration all;
        size_t at = 0;  // fields stand in the order of the members
        all.fields([&](std::string_view name, auto &member) {
            if (!configured.empty()) {
                if (at >= configured.size() || configured[at].name != name) {
                    refuse_missing(name);
                }
                member = static_cast<std::remove_reference_t<decltype(member)>>(configured[at].value);
            }
            at++;
        });
        if (configured.size() > at) {
            refuse_unknown(at);
        }
        return all;
    }

private:
    [[noreturn]] void refuse_missing(std::string_view name) const;
    [[noreturn]] void refuse_unknown(size_t at) const;
};

// Adds rows to the operators that they are of, in front of those that the operators have. Before main(), from
// a static constructor: an operator's table is made at its first use. Errors: failed, when it was made
// already.
void add_rows(const std::vector<Row> &rows);

// Why a row cannot run on a device: what it needs, and what the device has. Empty where it can, and for a
// device that is not there.
std::string why_not_on(const Row &row, Device device);
std::string why_not_on(const Row &row, const DeviceInfo &device);

// For the tables: says that libraries are linked in which CUDA devices of this compute capability (80: 8.0)
// and newer ones run. Devices that are too old for all of them are not usable. Returns true.
bool cuda_libraries_from(int capability);

// For the tables: a number of a row. It is a field of the configuration or a register limit (name, value), or
// a tunable (name, value, lowest, highest).
struct RowNumber {
    const char *name;
    int value, low = 0, high = 0;
};

// For the tables: a condition of a row.
struct RowCondition {
    const char *measure;
    double least = 0, most = std::numeric_limits<double>::infinity();
    bool is_needed = false;
};

// For the tables: a row as constant data. A vector of 90 rows that the compiler fills took 6 s to compile.
struct ConstantRow {
    const char *op, *origin, *schedule, *family, *also, *type;
    Backend backend;
    bool needs_vnni;
    const char *form;
    int configured, tunables, register_caps;  // how many of the next numbers are the row's, in this order
    int conditions;                           // and of the next conditions
    const char *opencl_options, *autoscheduler, *declined, *summary;
    Row::Needs needs;
    int (*entry)(void **);
    const halide_filter_metadata_t *(*metadata)();
};
std::vector<Row> rows_of(
    std::span<const ConstantRow> table, const RowNumber *numbers, const RowCondition *conditions);

// For the tables: an operator's own rows behind those that were added to it.
std::vector<Row> with_added_rows(const std::string &op, std::vector<Row> own);

}  // namespace tilewright
