#pragma once
// Puts passes of a Fourier transform together: which libraries transform all rows or all columns of a field,
// and what each of them is given. For fronts; not installed.
#include "generators/algorithms/fft2d/half_shape.h"
#include "generators/algorithms/fft2d/pass_shape.h"
#include "runtime/dispatch/steps/plan.h"
#include "tilewright/array.h"
#include "tilewright/device.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

// What a pass does to its lines, whatever their length.
struct FftPassKind {
    FftPassShape::Lines lines = FftPassShape::Lines::along;
    bool twiddled = false;      // multiplies by twiddle factors first, for second parts of longer lines
    bool first_factor = false;  // multiplies what it reads by a table
    bool last_factor = false;   // multiplies what it writes by a table
    bool convolves = false;     // transforms, multiplies the spectrum by a table and transforms back
    Type type = Type::c64;      // of the field

    bool operator==(const FftPassKind &) const = default;
};

struct FftPassCall;

// A table of a pass: seen by the index along the line and the number of the line or part; a response by the
// index, the line and the part.
struct FftTable {
    Array array;
    View view;

    FftTable(Array table, std::vector<View::Dim> dims);
};

// What the libraries of a form of passes are given. Such a form derives from it.
class FftArguments {
public:
    virtual void bind_lines(Launch &launch, const FftPassCall &call, const Array &from, Array &to) const = 0;
    virtual View view_of(const FftTable &table) const = 0;

    // Whether a response has its frequencies in their order; otherwise they are in that of the pass
    // (FftPassShape::order).
    virtual bool has_frequencies_in_order() const = 0;

protected:
    ~FftArguments() = default;
};

// Of the form FftPass: complex numbers, of c64 as words.
class FftWords : public FftArguments {
public:
    void bind_lines(Launch &launch, const FftPassCall &call, const Array &from, Array &to) const final;
    View view_of(const FftTable &table) const final {
        return table.view;
    }
    bool has_frequencies_in_order() const final {
        return false;
    }
};

// Of the form FftLines: parts of complex numbers, and the results by the digits of their number.
class FftParts : public FftArguments {
public:
    void bind_lines(Launch &launch, const FftPassCall &call, const Array &from, Array &to) const final;
    View view_of(const FftTable &table) const final {
        return complex_parts(table.array);
    }
    bool has_frequencies_in_order() const final {
        return true;
    }
};

// The library of a variant that is a pass.
struct FftPassLibrary {
    const Variant *variant;
    const FftArguments *arguments;
    FftPassShape shape;
    FftPassKind kind;
    int64_t together;  // how many lines a block of threads takes: the number of lines is a multiple of it

    FftPassLibrary(const Variant &variant, const FftArguments &arguments);
};

// The variants of an operator, found by what their libraries do. It is never destroyed.
class FftLibraries {
public:
    explicit FftLibraries(const std::vector<Variant> &variants);

    // The same, with a variant that a program has built in place of the table's, from which it was made.
    // These libraries themselves where the variant is one of the table's. For a variant that is another pass
    // over columns they are without the passes of clusters, which would take its columns.
    const FftLibraries &with(const Variant &variant) const;

    // The first pass of that kind and length that a device runs; `lines` is how many lines there are side by
    // side. Null where there is none.
    const FftPassLibrary *pass(Device device, const FftPassKind &kind, int64_t length, int64_t lines) const;

    // The lengths of the passes of that kind, the longest first.
    std::vector<int64_t> lengths(Device device, const FftPassKind &kind) const;

    // The shortest pass that transforms lines of n points as convolutions. Null where there is none.
    const FftPassLibrary *padded(Device device, FftPassShape::Lines lines, int64_t n) const;

    // The variants for lines of any length (generators/algorithms/fft2d/mixed.h) of that type that a device
    // runs; all of its backend, where it runs none.
    std::vector<const Variant *> mixed(Device device, Type type) const;

    // The variant of a step between real values or their spectrum and a transform
    // (generators/algorithms/fft2d/half.h). Null where there is none.
    const Variant *half(Backend backend, Type type, FftHalfShape::Step step) const;

    // The first variant of a backend that has the form of that name. Null where there is none.
    const Variant *of_form(Backend backend, std::string_view form) const;

private:
    FftLibraries(const FftLibraries &others, const Variant &built);

    // Whether one of these variants is a pass over columns that clusters of blocks would take in its place.
    bool avoids_clusters(const Variant &variant) const;

    std::span<const Variant> table_;
    bool has_clusters_ = true;
    std::vector<const Variant *> variants_;
    std::vector<FftPassLibrary> passes_;  // reading tunables takes longer than a call should
    mutable std::mutex guard_;
    // By the address and the name of the built variant, because it may be a copy that was made for one
    // question: the next copy is another variant at the same address.
    mutable std::map<std::pair<const Variant *, std::string>, std::unique_ptr<const FftLibraries>> with_;
};

enum class FieldAxis { rows, columns };

// How a pass sees a field c64 (h, w): as lines along an axis, each of them whole, or divided into `parts`
// parts of `points` numbers. A part has each parts-th number of its line (interleaved), or numbers that
// follow each other (consecutive).
struct LineLayout {
    enum class Division { whole, interleaved, consecutive };

    Division division = Division::whole;
    FieldAxis axis = FieldAxis::columns;
    int64_t points = 0, parts = 1;

    View view(const Array &field) const;
};

// Called when the pass is added to a plan; may add steps that compute the table. Empty: the pass has no such
// table.
using MakeFftTable = std::function<FftTable(Plan &plan, Device device)>;

// A table of numbers along a whole line, seen as `dims`. Empty where there is nothing to make it.
MakeFftTable along_line(std::function<Array()> make, std::vector<View::Dim> dims);

// What a pass multiplies the imaginary part by that it reads, and both parts that it writes.
struct Endpoints {
    double sign = 1, scale_re = 1, scale_im = 1;
};

// Adds them to a library for fields of that type.
void bind_endpoints(Launch &launch, const Endpoints &ends, Type type);

// The conjugate of a transform of the conjugate is the inverse transform, but for a factor.
constexpr Endpoints inverse_endpoints{-1, 1, -1};

// One pass and what it reads besides the lines.
struct FftPassCall {
    const FftPassLibrary *pass;
    LineLayout reads = {}, writes = {};
    int64_t whole_length = 0;  // of a twiddled pass: the length of the lines that it transforms parts of
    MakeFftTable first = {}, last = {}, response = {};
    Endpoints endpoints = {};

    void add_to(Plan &plan, Device device, const Array &from, Array &to) const;
};

// Tables of n numbers that lines of n are multiplied by before their transform and after it. Either may be
// empty.
struct LineFactors {
    std::function<Array()> first = {}, last = {};
};

// The libraries that transform one field on one device, one after another. They are found first, and given
// arrays afterwards.
class PassPlan {
public:
    PassPlan(const FftLibraries &libraries, Device device, int64_t h, int64_t w, Type type = Type::c64)
        : libraries_(libraries), device_(device), h_(h), w_(w), type_(type) {}

    // Adds the transform of all rows or of all columns: one pass, or two passes over parts of the lines; or
    // passes for lines of any length, where neither the length nor one to which lines are padded has passes.
    // On a GPU, rows that no pass takes are transformed as the columns of the transposed field where both
    // sides are powers of two, and columns as its rows where a pass pads these.
    void transform(FieldAxis axis, const Endpoints &endpoints = {}, const LineFactors &factors = {});

    // Adds a pass. `in_place`: it may write where it reads; otherwise it writes what other blocks of threads
    // still read.
    void pass(const FftPassCall &call, bool in_place = true);

    // Adds the library of a variant that transposes the field.
    void transpose(const Variant &variant);

    // Adds another library. `add` adds it to a plan.
    using Add = std::function<void(Plan &plan, Device device, const Array &from, Array &to)>;
    void step(const Variant &variant, bool in_place, Add add);

    // Adds work on the host, which does not write where it reads.
    void host(std::function<void(const Array &from, Array &to)> work);

    // Says that the next steps write fields of that shape.
    void set_shape(int64_t h, int64_t w) {
        h_ = h;
        w_ = w;
    }

    bool uses(const Variant &variant) const;

    // Adds all libraries to a plan: from `field` to `output`, by way of further arrays where steps cannot be
    // done in place.
    void add_to(Plan &plan, const Array &field, Array &output) const;

private:
    struct Step {
        const Variant *variant;  // null: work on the host
        bool in_place;
        std::vector<int64_t> shape;  // of what it writes
        Add add;
    };

    // Parts of transform(): whether there are such passes. They are added, then.
    bool one_pass(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors);
    bool two_passes(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors);
    bool transposed(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors);

    const FftLibraries &libraries_;
    Device device_;
    int64_t h_, w_;  // of the field behind the last step
    Type type_;
    std::vector<Step> steps_;
};

}  // namespace tilewright
