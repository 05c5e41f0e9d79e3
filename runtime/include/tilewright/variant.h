#pragma once
#include "tilewright/device.h"
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct halide_filter_metadata_t;
#pragma GCC visibility push(default)

namespace tilewright {

class Form;

// One ahead-of-time library: a variant of an operator's table of schedules, for one element type and one
// backend. The tables are written by the generators; nothing else lists schedules.
struct Variant {
    // A number that the schedule may be built with otherwise.
    struct Tunable {
        std::string name;      // in its schedule
        int value, low, high;  // what it is, and its range
    };

    // A limit for the registers of kernels.
    struct RegisterCap {
        std::string kernel;  // a part of a kernel's name; empty: any
        int most;            // registers per thread
    };

    // What a library needs of a device, as the generator saw it when it made it; 0 and false: nothing, or not
    // known before it runs. All but the last are of the kernels of a GPU's library.
    struct Needs {
        int threads = 0;           // of the largest block
        int64_t shared_bytes = 0;  // shared (OpenCL: local) memory of the largest block
        int capability = 0;        // the compute capability of an NVIDIA GPU, 80 for 8.0
        bool fp64 = false, images = false, half = false;  // as those of DeviceInfo
        int only_capability = 0;  // CUDA: the one whose instructions the kernels have; others do not run them
        int ptx = 0;  // OpenCL: the least compute capability whose GPUs take the kernels as PTX, in which
                      // a block may have more memory than DeviceInfo::block_memory; 0: there is none
        bool avx2 = false;  // of the CPU
    };

    // What the variant says of its form, member by member; configuration() gives it as a struct.
    struct Field {
        std::string name;  // of the member
        int value;         // in this variant
    };

    // A condition on a number of a call (Operator::measure): it is from `least` to `most`.
    struct Condition {
        std::string measure;  // "height", "n"
        double least, most;
        bool is_needed;  // the variant serves no other calls; or else it does, and is not meant for them
    };

    std::string op;      // the operator's name
    std::string origin;  // whose functions these are: the operator's own, or what tilewright_add_library made
    std::string schedule;           // its own word for --schedule
    std::string family;             // the word that means this variant and others: "tuned" of "tuned_aligned"
    std::string type;               // of the data that it serves: "u8", "rgb8"
    Backend backend;                // that it was made for
    bool needs_vnni;                // whether only CPUs with AVX-512 VNNI run it
    std::string form;               // the name of the algebra whose arguments the library takes
    std::vector<Field> configured;  // what it says of its form
    std::vector<Tunable> tunables;  // with their values
    std::vector<RegisterCap> register_caps;  // of its kernels on NVIDIA's GPUs
    std::string opencl_options;              // with which OpenCL programs are built; empty: none
    std::string autoscheduler;               // of `auto` variants: the plug-in that made the schedule
    std::string summary;                     // one sentence: how the work is done, and what that brings
    Needs needs;                             // of a device
    int (*entry)(void **);                   // Halide's function
    const halide_filter_metadata_t *(*metadata)();  // of its arguments, as Halide describes them
    std::string also = {};                          // another family that the variant belongs to; empty: none
    std::vector<Condition> conditions = {};         // of the calls that it serves or is meant for
    std::string kept_for = {};  // the calls or machines for which it stays, although `tuned` takes it at no
                                // call that was measured; empty: no reason is needed
    const Form *known_form = nullptr;  // what the front knows of the form: the operator of the variant sets
                                       // it

    std::string name() const;  // "transpose/padded/u8/cuda", and "/turn" if that is the library
    int tunable(std::string_view name) const;  // the value; a name that is not there is a std::logic_error
    // the same, `otherwise` where the variant has no such tunable
    int tunable(std::string_view name, int otherwise) const;
    // the word is the variant's schedule, a family of it, or the library that it is of
    bool belongs_to(std::string_view word) const;

    // What the variant says of its form, as the struct that the generator has it in: with default values
    // where the variant says nothing. A member that is missing, or one that the struct does not have, is a
    // std::logic_error that names it and the variant.
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

// Adds variants to the operators that they are of, in front of those that the operators have. Before main(),
// from a static constructor: an operator's table is made at its first use. Errors: failed, when it was made
// already.
void add_variants(const std::vector<Variant> &variants);

// Why a variant cannot run on a device: what it needs, and what the device has. Empty where it can, and for a
// device that is not there.
std::string why_not_on(const Variant &variant, Device device);
std::string why_not_on(const Variant &variant, const DeviceInfo &device);

// For the tables: says that libraries are linked in which CUDA devices of this compute capability (80: 8.0)
// and newer ones run. Devices that are too old for all of them are not usable. Returns true.
bool cuda_libraries_from(int capability);

// For the tables: where a text begins in the texts of the table. Pointers would each be an address that the
// loader has to write.
using VariantText = uint32_t;

// For the tables: a number of a variant. It is a field of the configuration or a register limit (name,
// value), or a tunable (name, value, lowest, highest).
struct VariantNumber {
    VariantText name;
    int value, low = 0, high = 0;  // low, high: the range of a tunable
};

// For the tables: a condition of a variant.
struct VariantCondition {
    // as in Variant::Condition
    VariantText measure;
    double least = 0, most = std::numeric_limits<double>::infinity();
    bool is_needed = false;
};

// For the tables: an argument of a library, or an array of them.
struct VariantArgument {
    const char *name;  // as the generator has it
    // kind: Halide's halide_argument_kind_t. code, bits: of its elements, as in halide_type_t.
    uint8_t kind, dimensions, code, bits;
    uint16_t count = 0;  // an array: how many elements it has, which are called NAME_0, NAME_1...
};

// For the tables: the arguments as Halide describes them, made at the first call and kept in `made`. Halide's
// own form has 72 bytes per element and library.
const halide_filter_metadata_t *metadata_of(
    std::span<const VariantArgument> arguments, std::atomic<const halide_filter_metadata_t *> &made);

// For the tables: the library of a variant, with its members needs, entry and metadata.
struct VariantLibrary {
    Variant::Needs needs;
    int (*entry)(void **);
    const halide_filter_metadata_t *(*metadata)();
};

// For the tables: what variants of one schedule share, with the members of Variant.
struct VariantWords {
    // as in Variant
    VariantText schedule, family, also, form, opencl_options, autoscheduler, summary, kept_for;
};

// For the tables: a variant as constant data, with the members of Variant. A vector of 90 variants that the
// compiler fills took 6 s to compile.
struct ConstantVariant {
    VariantText type;                              // as in Variant
    Backend backend;                               // as in Variant
    bool needs_vnni;                               // it needs AVX-512 VNNI
    uint16_t words;                                // variants share those that are the same
    uint16_t configured, tunables, register_caps;  // how many numbers are the variant's, in this order
    uint16_t conditions;                           // and how many conditions
    uint16_t first_number, first_condition;        // these are shared, too
};

// For the tables: the libraries of a backend, in the order of its variants. There is none where the program
// is linked without those of the backend; then it has none of its variants.
struct BackendLibraries {
    Backend backend;
    std::span<const VariantLibrary> (*libraries)();
};

// For the tables: all that they have.
struct VariantTable {
    const char *op, *origin, *texts;             // texts: all of them, which a VariantText is a place of
    const VariantWords *words;                   // of each schedule
    const VariantNumber *numbers;                // of all variants
    const VariantCondition *conditions;          // of all variants
    std::span<const ConstantVariant> variants;   // in the order of the table
    std::span<const BackendLibraries> backends;  // of each backend that has variants
};

// For the tables: the variants of a table, behind those that were added to the operator where the table is
// its own. They are never destroyed: other threads may still call libraries while the process ends.
const std::vector<Variant> &variants_of(const VariantTable &table);

}  // namespace tilewright
#pragma GCC visibility pop
