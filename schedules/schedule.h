#pragma once
#include "Halide.h"
#include "generators/algorithms/configuration.h"
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

// What a table of schedules is made of.
namespace tilewright {

// What nearly every schedule names.
using Halide::Expr, Halide::Func, Halide::LoopLevel, Halide::MemoryType, Halide::RVar, Halide::TailStrategy,
    Halide::Var;

// Where a variant runs. `gpu` is one library for CUDA and one for OpenCL; `vnni` is a CPU variant for
// machines that have AVX-512 VNNI; a `cpu` variant is compiled for plain x86-64, AVX2 and AVX-512, and the
// machine's best one is taken. Some variants have fewer libraries, which are built sooner: `reference` is for
// plain x86-64 only; a variant of a family that has a variant `..._any`, or of an autoscheduler, is for AVX2
// and AVX-512 only; and a variant may say so itself (newer(), avx2()).
enum class Backends { cpu, vnni, cuda, opencl, gpu };
using enum Backends;

// A number that a schedule may be built with: its default, and the range worth searching.
struct Tunable {
    std::string name;
    int value;
    int low = value, high = value;
};

// The tunables with other values: "tile=16,pad=4" (or with ':'). Names that are not among them belong to
// other variants.
std::vector<Tunable> with_values(std::vector<Tunable> tunables, const std::string &values);

// What a schedule may know besides the algorithm: the machine, the element type, the buffers that it may
// constrain, and the variant's tunables and configuration.
struct ScheduleContext {
    Halide::Target target;
    std::string type;
    std::vector<Halide::OutputImageParam> buffers;
    std::vector<Tunable> tunables;
    std::vector<std::string> folded_per_thread = {};  // the Funcs that fold_per_thread() was called for
    std::vector<ConfigurationField> configured = {};  // what the variant says of its form
    bool is_stage = false;  // of a pipeline: the buffers are nobody's, so that their sizes say nothing
    // What load_ahead() and keep_in_own_registers() were called for.
    std::vector<std::pair<std::string, int>> loaded_ahead = {}, own_registers = {};
    std::vector<std::string> own_memory = {};  // the Funcs that keep_in_own_memory() was called for

    // The value of the tunable called `name`; a name that the variant does not have is a build error.
    int operator[](const std::string &name) const;

    // What the variant says of its form; see generators/algorithms/configuration.h.
    template<typename Configuration>
    Configuration configuration() const {
        return with_fields<Configuration>(configured, "the variant");
    }

    // Folds the storage of `func` along `threads`, a dimension that GPU threads divide between them, to one
    // element. The storage of a block of threads that is not shared memory is private to each thread, so that
    // every thread then has one element of its own. Halide's checks of a fold do not know this and fail, so
    // they are left out for `func`; every other check stays.
    void fold_per_thread(Halide::Func func, const Halide::Var &threads);

    // Has a GPU thread load `func` one step ahead, which it computes in its registers at the beginning of
    // each step of a loop (schedules/passes/loads_ahead.h). Where no loop has such steps, that is a build
    // error. The first `first_steps` of the loop, which has more, load what they need at once.
    void load_ahead(const Halide::Func &func, int first_steps = 0);

    // Leaves out the barriers of the loop that makes `func` in shared memory, of which each thread reads only
    // what it wrote itself (schedules/passes/own_memory.h).
    void keep_in_own_memory(const Halide::Func &func);

    // Keeps `func` in the registers of each GPU thread, which reads only what it wrote itself. Its storage
    // may be folded to `places` steps of a loop, which is unrolled then. Shared memory that a step of the
    // kernel writes must have room for two steps (schedules/passes/own_registers.h).
    void keep_in_own_registers(const Halide::Func &func, int places = 1);
};

// The numbers from `least` to `most`.
struct Range {
    double least = 0, most = std::numeric_limits<double>::infinity();
};

// A condition of a variant on a number of a call; see ScheduleVariant::serves.
struct Condition {
    std::string measure;
    Range range;
    bool is_needed;
};

// A limit on the registers a thread of some kernels may take on NVIDIA's GPUs; see
// ScheduleVariant::registers.
struct RegisterCap {
    std::string kernel;  // a part of the kernel's name (Halide names a kernel after the Func it computes);
                         // empty: any
    int most;
};

// One variant: one library per type and target, one test case, one benchmark line and one choice of
// `--schedule`.
struct ScheduleVariant {
    std::string name, family;  // the family is the name where family() gives no other
    std::string also = {};     // another family; see in()
    Backends where;
    std::string types;  // separated by spaces, as the operator's generator names them
    std::string form;   // the generator that makes the arguments of this form
    std::function<void(void *, ScheduleContext &)> apply;
    std::vector<ConfigurationField> configured;
    std::vector<Tunable> tunables;
    std::string features;       // further Halide target features, separated by '-'
    std::string autoscheduler;  // the plug-in that makes the schedule, in place of `apply`
    std::vector<RegisterCap> register_caps;
    std::vector<Condition> conditions = {};
    bool needs_avx2 = false;         // no code for older CPUs
    bool without_avx512 = false;     // code for AVX2 runs on CPUs with AVX-512, too
    std::string common = {};         // what its libraries' names begin with; see one_for()
    std::string shared_ending = {};  // of types without libraries of their own; see sharing()
    std::string opencl_options;      // further options of clBuildProgram
    bool native_functions = false;   // OpenCL kernels call native_exp in place of exp, and so on
    std::string summary;             // one sentence for people: how the work is done, and what that brings
    std::string unmeasured = {};     // the calls or machines that it stays for; see kept_for()

    // What the variant says of its form; a member that is missing or unknown is a build error.
    template<typename Configuration>
    Configuration configuration() const {
        return with_fields<Configuration>(configured, "variant " + name);
    }

    // Whether its libraries for OpenCL have their kernels as PTX, too (kernel_ptx.h), unless these read
    // images. PTX has no options of OpenCL C, and not its native functions.
    bool has_ptx() const {
        return opencl_options.empty() && !native_functions;
    }

    // The type whose library runs for calls of `type`: another one for types that share it.
    std::string library_type(const std::string &type) const;

    ScheduleVariant with(const std::string &more) && {
        features += (features.empty() ? "" : "-") + more;
        return std::move(*this);
    }

    // One sentence for people, at most 100 characters: how the work is done, and what that brings. `list` and
    // `explain` print it.
    ScheduleVariant says(std::string sentence) && {
        summary = std::move(sentence);
        return std::move(*this);
    }

    // The variant serves only calls of which a number is in this range. The operator gives its numbers names:
    // "height", "width", "channels", and what it makes of them (Operator::measure).
    ScheduleVariant serves(std::string measure, Range range) && {
        conditions.push_back({std::move(measure), range, true});
        return std::move(*this);
    }

    // The variant serves other calls too, but is expected to be as fast as the variants of its family behind
    // it only for these. Measured times replace this, unless the variant's time depends on values.
    ScheduleVariant meant_for(std::string measure, Range range) && {
        conditions.push_back({std::move(measure), range, false});
        return std::move(*this);
    }

    // For which calls or machines, none of which was measured, a variant stays that `tuned` takes at no
    // measured call: "images of one column". Every such variant says so, and no other
    // (tests/runtime/dispatch/cover_test.cpp).
    ScheduleVariant kept_for(std::string calls_or_machines) && {
        unmeasured = std::move(calls_or_machines);
        return std::move(*this);
    }

    // The variant belongs to another family too. So `tuned` takes it by the same conditions and times as its
    // own variants, even if its time depends on values.
    ScheduleVariant in(std::string other_family) && {
        also = std::move(other_family);
        return std::move(*this);
    }

    // On CUDA and NVIDIA's OpenCL, a thread of the kernels whose name contains `kernel` takes at most so many
    // registers (the first match counts), and more blocks fit a multiprocessor. The runtime says so to the
    // driver; without a cap ptxas takes what a kernel would like.
    ScheduleVariant registers(const std::string &kernel, int most) && {
        register_caps.push_back({kernel, most});
        return std::move(*this);
    }

    // A variant of the CPU that has no code for machines without AVX2: other variants do its work there.
    ScheduleVariant newer() && {
        needs_avx2 = true;
        return std::move(*this);
    }

    // A variant of the CPU that has no code for AVX-512, because that for AVX2 is as fast. Variants were
    // compared with each other with and without AVX-512, by the time of one thread, at the sizes that
    // `tilewright calibrate` measures on a Xeon (Sapphire Rapids) and at four sizes on an AMD EPYC (Zen 4),
    // 2026-11-23. A variant has no AVX-512 code where the mean of the ratios is below 1.05 on both, at the
    // sizes for which it is meant.
    ScheduleVariant avx2() && {
        without_avx512 = true;
        return std::move(*this);
    }

    // The tables of several operators have this variant, with the same form and configuration. The names of
    // its libraries begin with `operators` in place of the operator, so that a program which links several of
    // these operators has the code once.
    ScheduleVariant one_for(std::string operators) && {
        common = std::move(operators);
        return std::move(*this);
    }

    // OpenCL programs of the variant are built with these options besides the caller's, for example
    // "-cl-fast-relaxed-math". The runtime says so to the driver.
    ScheduleVariant options(std::string opencl) && {
        opencl_options = std::move(opencl);
        return std::move(*this);
    }

    // OpenCL kernels of the variant call the native_ functions of OpenCL C, whose error each device chooses.
    ScheduleVariant native() && {
        native_functions = true;
        return std::move(*this);
    }
};

// Variants in their order. A table is a list of variants, and of functions that return several, as a loop
// makes them.
class ScheduleVariants : public std::vector<ScheduleVariant> {
public:
    ScheduleVariants() = default;
    ScheduleVariants(ScheduleVariant variant);
    ScheduleVariants(std::initializer_list<ScheduleVariants> parts);
};

// Variants that one word of `--schedule` means besides their own names: of those, the first that serves the
// data is taken. Their names begin with the family's; where there are several, the last one, which serves all
// data, is called NAME_any.
ScheduleVariants family(const std::string &name, ScheduleVariants variants);

// Of each variant the types that are others with this ending, "u8f32" beside "u8", share the libraries of
// those: an argument says of which of the two types a call is.
ScheduleVariants sharing(const std::string &ending, ScheduleVariants variants);

// The table of an operator. A file of schedules ends with one, which makes its variants known to the
// generator program that it is linked into:
//     static const Table table("transpose", variants);
struct Table {
    std::string op;
    const ScheduleVariants &(*variants)();

    Table(std::string op, const ScheduleVariants &(*variants)());
    Table(const Table &) = delete;
};

// The table of `op`; one that is not linked in is a build error that names those that are.
const Table &find_table(const std::string &op);

// The table of a program that has only one, as an operator's generator does.
const Table &only_table();

// A variant whose schedule is the function `apply`; the form is the function's own first argument.
template<typename Form>
ScheduleVariant variant(std::string name, Backends where, std::string types,
    void (*apply)(Form &, ScheduleContext &), std::vector<Tunable> tunables = {}) {
    ScheduleVariant variant;
    variant.name = variant.family = std::move(name);
    variant.where = where;
    variant.types = std::move(types);
    variant.form = Form::name;
    variant.apply = [=](void *form, ScheduleContext &context) { apply(*static_cast<Form *>(form), context); };
    variant.tunables = std::move(tunables);
    return variant;
}

// A variant that says what its form is by a configuration (generators/algorithms/configuration.h).
template<typename Form, IsConfiguration Configuration>
ScheduleVariant variant(std::string name, Backends where, std::string types,
    void (*apply)(Form &, ScheduleContext &), const Configuration &configuration,
    std::vector<Tunable> tunables = {}) {
    ScheduleVariant made = variant(std::move(name), where, std::move(types), apply, std::move(tunables));
    made.configured = fields_of(configuration);
    return made;
}

// A variant that one of Halide's autoschedulers (Mullapudi2016, Adams2019, Anderson2021) makes.
template<typename Form>
ScheduleVariant automatic(std::string name, Backends where, std::string types, std::string autoscheduler) {
    ScheduleVariant variant;
    variant.name = variant.family = std::move(name);
    variant.where = where;
    variant.types = std::move(types);
    variant.form = Form::name;
    variant.summary = "Halide's autoscheduler " + autoscheduler + " made this schedule.";
    variant.autoscheduler = std::move(autoscheduler);
    return variant;
}

// The variant of a table called `name`; an unknown one is a build error that lists the known ones.
const ScheduleVariant &find_variant(
    const Table &table, const std::string &name, const std::string &type, const std::string &backend);

// The backends ("cpu", "vnni", "cuda", "opencl") that a variant makes libraries for.
std::vector<std::string> backends(Backends where);

}  // namespace tilewright
