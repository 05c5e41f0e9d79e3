#include "tilewright/min_plus_convolution.h"
#include "runtime/dispatch/launch.h"
#include "runtime/operators/min_plus_convolution/data.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>
#include <utility>

namespace tilewright {

const std::vector<Row> &min_plus_convolution_rows();

namespace {

int64_t whole(int64_t n, int64_t unit) {  // units that hold n
    return (n + unit - 1) / unit;
}

// The call as the libraries take it: the shorter vector is `a`, and both are as long as the output can see.
struct Problem {
    Array a, b, accumulated;
    int64_t n, m, length;

    Problem(std::span<const Array> inputs, const Array &output) : a(inputs[0]), b(inputs[1]), length(output.size()) {
        if (inputs.size() > 2) {
            accumulated = inputs[2];
        }
        n = std::min(a.size(), length);
        m = std::min(b.size(), length);
        if (n > m) {
            std::swap(a, b);
            std::swap(n, m);
        }
    }

    // Sums that the output is the least of: i + j < length.
    double pairs() const {
        const auto triangle = [](int64_t side) { return side > 0 ? .5 * (double)side * (double)(side + 1) : 0.; };
        return triangle(length) - triangle(length - n) - triangle(length - m) + triangle(length - n - m);
    }
};

View first(const Array &vector, int64_t n) {
    View view = image(vector);
    view.dims[0].extent = n;
    return view;
}

// What an output is held against where nothing is accumulated: one element for all. It outlives everything, and so does its copy on a device.
const Array &nothing(Type type) {
    static const std::array<Array, 3> &all = *new std::array<Array, 3>([] {
        std::array<Array, 3> made = {Array(Type::f64, {1}), Array(Type::f32, {1}), Array(Type::i32, {1})};
        made[0].as<double>()[0] = std::numeric_limits<double>::infinity();
        made[1].as<float>()[0] = std::numeric_limits<float>::infinity();
        made[2].as<int32_t>()[0] = std::numeric_limits<int32_t>::max();
        return made;
    }());
    return all[type == Type::f64 ? 0 : type == Type::f32 ? 1 : 2];
}

// How the work of the tiled form is cut (generators/algorithms/min_plus_convolution/tiles.h).
struct Cut {
    int64_t tiles, chunks, parts, bytes;  // bytes: of the parts

    Cut(const Row &row, const Problem &p) {
        const int64_t tile = row.tunable("own") * row.tunable("owners"), runs = row.tunable("runs");
        tiles = whole(p.length, tile);
        const int64_t most = whole(std::min(p.n, p.m + tile), row.tunable("run")) + 1;  // runs that a tile meets
        const int64_t blocks = row.tunable("several") ? 2000 : 16000;                   // enough for any GPU known here
        if (runs == 0 || row.tunable("several")) {
            const int64_t units = runs == 0 ? most : whole(most, runs);
            chunks = whole(units, std::max<int64_t>(1, whole(blocks, tiles)));
            parts = whole(units, chunks);
        } else {
            chunks = 1;
            parts = whole(most, runs);
        }
        bytes = parts * tiles * tile * (int64_t)size_of(p.a.type());
    }
};

// The same of the pruned forms (generators/algorithms/min_plus_convolution/pruned.h).
struct Blocks {
    int64_t run, own, owners, tile, words, segments, tiles, segments_of_part, parts;

    Blocks(const Row &row, const Problem &p)
        : run(row.tunable("run")), own(row.tunable("own")), owners(row.tunable("owners")), tile(own * owners) {
        const int64_t blocks = whole(p.n, run);
        words = whole(blocks, 32);
        segments = whole(blocks, 256);
        tiles = whole(p.length, tile);
        segments_of_part = whole(segments, std::max<int64_t>(1, whole(6000, tiles)));
        parts = whole(segments, segments_of_part);
    }

    // Lists are in one buffer; a grid ends at 65535.
    bool fit() const {
        return tiles <= 65535 && 256 * segments * tiles <= most_bytes;
    }
};

// What the first half leaves for the second.
struct Plan {
    Array low_of_blocks, low_of_windows, chosen, best, limits, asked;
    View best_view;

    Plan(Type type, const Blocks &of)
        : low_of_blocks(type, {32, of.words}, 0), low_of_windows(type, {32, of.words + (of.tiles - 1) * (of.tile / of.run) / 32 + 1}, 0),
          chosen(Type::u32, {of.tiles, of.segments * 8}, 0), best(type, {of.tiles * of.tile}, 0), limits(type, {of.tiles, 2}, 0),
          asked(Type::i32, {1}, 0), best_view{halide_type(type), {{of.owners, 1}, {of.own, of.owners}, {of.tiles, of.tile}}, 0} {
    }
};

// Where rows of an H200 meet.
constexpr int64_t short_vector = 16;      // below it an output a thread has little to walk
constexpr double small_pairs = 4e6, medium_pairs = 1e9;
constexpr int64_t most_bytes_of_parts = (int64_t)512 << 20;

// From how many pairs on `tuned` makes a plan, which must cost less than a tenth of the dense form: an estimate from the times of its kernels.
// And up to which part of them a plan may ask for, so that the pruned form pays: lists are walked at a lower rate than whole ranges.
struct Worth {
    double pairs, asked;
};
Worth worth(Type type) {
    return type == Type::f64 ? Worth{2e10, .75} : type == Type::f32 ? Worth{8e10, .5} : Worth{8e10, .45};
}

class MinPlusConvolution : public Operator {
public:
    std::string name() const override {
        return "min_plus_convolution";
    }
    std::string summary() const override {
        return "the min-plus convolution of two vectors: c[k] = min over i of a[i] + b[k - i]";
    }
    const std::vector<Row> &rows() const override {
        return min_plus_convolution_rows();
    }
    int inputs() const override {
        return 2;
    }
    std::optional<Option> optional_input() const override {
        return Option{"accumulate", "A vector of the output's length: the output is the lesser of it and the convolution", false, "", {}};
    }
    std::vector<Option> options() const override {
        return {{"length", "How many entries, from the first on, 1 to n + m - 1 (default: all)", true, "", {}}};
    }

    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override {
        const char *const names[] = {"a", "b"};
        for (int i : {0, 1}) {
            const Array &vector = inputs[i];
            const bool number = vector.type() == Type::f64 || vector.type() == Type::f32 || vector.type() == Type::i32;
            if (!number || vector.dimensions() != 1) {
                refuse(Fault::input, "takes two vectors of f64, f32 or i32", names[i], vector.describe());
            }
        }
        if (inputs[0].type() != inputs[1].type()) {
            refuse(Fault::input, "the vectors must be of one type", "a, b", inputs[0].describe() + ", " + inputs[1].describe());
        }
        const int64_t length = length_of(inputs, settings);
        if (inputs.size() > 2 && (inputs[2].type() != inputs[0].type() || inputs[2].dimensions() != 1 || inputs[2].size() != length)) {
            refuse(Fault::input, fmt::format("must be {} ({}), as the output is", tilewright::name_of(inputs[0].type()), length), "accumulate",
                   inputs[2].describe());
        }
        return tilewright::name_of(inputs[0].type());
    }

    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &settings) const override {
        return {inputs[0].type(), {length_of(inputs, settings)}};
    }

    void check_values(std::span<const Array> inputs, const Settings &) const override {
        const char *const names[] = {"a", "b", "accumulate"};
        for (size_t i = 0; i < inputs.size(); i++) {
            switch (inputs[i].type()) {
            case Type::f64: check_floats<double>(inputs[i], names[i], i < 2); break;
            case Type::f32: check_floats<float>(inputs[i], names[i], i < 2); break;
            default:
                if (i < 2) {
                    check_integers(inputs[i], names[i]);
                }
            }
        }
    }

    bool serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &) const override {
        return fits(row, Problem(inputs, output));
    }

    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &) const override {
        const Problem p(inputs, output);
        if (row.form == "min_plus_convolution_plan") {
            return run_pruned(row, device, p, output, true);
        }
        if (row.form == "min_plus_convolution_pruned") {
            return run_pruned(sibling(row, "min_plus_convolution_plan"), device, p, output, false);
        }
        if (row.schedule == "tuned" && row.backend != Backend::cpu && p.n > short_vector) {
            const Row &plan = sibling(row, "min_plus_convolution_plan");
            if (p.pairs() >= worth(p.a.type()).pairs && fits(plan, p)) {
                return run_pruned(plan, device, p, output, false);
            }
            return run_dense(row, device, p, output);
        }
        run_library(row, device, p, output);
    }

    std::vector<Sample> samples(const std::string &type) const override {
        const std::tuple<int64_t, int64_t, const char *> sizes[] = {
            {1, 1, "uniform"},       {1, 300, "few"},        {300, 1, "absent"},     {37, 101, "gaussian"}, {255, 256, "zeros"},
            {257, 255, "walk"},      {511, 513, "absent"},   {1009, 1021, "nothing"}, {700, 3001, "sorted"}, {3001, 700, "denormals"},
            {2048, 2048, "uniform"}, {2049, 2047, "few"},    {1537, 2500, "falling"}, {2500, 1537, "huge"},  {2053, 1999, "convex"}};
        std::vector<Sample> all;
        for (const auto &[n, m, kind] : sizes) {
            // Where denormals count as 0 they are another sample.
            all.push_back(sample(type, n, m, std::string(kind) == "denormals" && type == "f32" ? "zeros" : kind));
        }
        Sample part = sample(type, 1500, 1700, "gaussian");
        part.settings.set("length", 1601.);
        part.what += " length 1601";
        all.push_back(part);
        Sample accumulating = sample(type, 1300, 900, "walk");
        accumulating.inputs.push_back(min_plus_vector(accumulating.inputs[0].type(), 1300 + 900 - 1, "walk", 3));
        accumulating.what += " accumulated";
        all.push_back(accumulating);
        return all;
    }

    // The first w entries of the convolution of two vectors of w; "length" = "all" has all of them, "data" says what is in them.
    Sample benchmark_sample(const std::string &type, int64_t w, int64_t, const Settings &settings) const override {
        Sample timed = sample(type, w, w, settings.text("data", "uniform"));
        if (settings.text("length", "first") == "all") {
            timed.what += ", all entries";
        } else {
            timed.settings.set("length", (double)w);
        }
        return timed;
    }
    std::pair<int64_t, int64_t> benchmark_size() const override {
        return {100000, 1};
    }
    std::vector<Settings> benchmark_settings(const std::string &type) const override {
        std::vector<Settings> all = {{{"data", "uniform"}}};
        if (type == "f64") {
            for (const char *kind : {"gaussian", "walk", "sorted"}) {
                all.push_back({{"data", kind}});
            }
            all.push_back({{"data", "uniform"}, {"length", "all"}});
        }
        return all;
    }

    // A sum and a comparison a pair.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Operator::work(inputs, output, settings);
        work.flops = 2 * Problem(inputs, output).pairs();
        return work;
    }

private:
    int64_t length_of(std::span<const Array> inputs, const Settings &settings) const {
        const int64_t all = inputs[0].size() + inputs[1].size() - 1;
        const double length = settings.number("length", (double)all);
        if (!(length >= 1 && length <= (double)all && length == std::floor(length))) {
            refuse(Fault::usage, fmt::format("takes a whole number from 1 to {}", all), "length", fmt::format("{}", length));
        }
        return (int64_t)length;
    }

    template<typename T>
    void check_floats(const Array &vector, const std::string &argument, bool finite_below) const {
        const T *x = vector.as<T>();
        const auto is_wrong = [=](T value) { return finite_below ? !(value > -std::numeric_limits<T>::infinity()) : value != value; };
        const int64_t n = vector.size();
        bool wrong = false;
        for (int64_t i = 0; i < n; i++) {
            wrong |= is_wrong(x[i]);
        }
        const int64_t at = wrong ? std::find_if(x, x + n, is_wrong) - x : n;
        if (at < n) {
            refuse(Fault::input,
                   finite_below ? "takes finite numbers and +infinity (absent), not NaN or -infinity" : "takes numbers and infinities, not NaN",
                   fmt::format("{}[{}]", argument, at), fmt::format("{}", x[at]));
        }
    }

    void check_integers(const Array &vector, const std::string &argument) const {
        constexpr int32_t most = 1 << 28;
        const int32_t *x = vector.as<int32_t>();
        const auto is_wrong = [](int32_t value) { return (uint32_t)value + (uint32_t)most > 2u * most; };
        const int64_t n = vector.size();
        bool wrong = false;
        for (int64_t i = 0; i < n; i++) {
            wrong |= is_wrong(x[i]);
        }
        const int64_t at = wrong ? std::find_if(x, x + n, is_wrong) - x : n;
        if (at < n) {
            refuse(Fault::input, "i32 values must lie in [-2^28, 2^28]; take f64, which has all sums of i32 exactly",
                   fmt::format("{}[{}]", argument, at), std::to_string(x[at]));
        }
    }

    bool fits(const Row &row, const Problem &p) const {
        const auto element = (int64_t)size_of(p.a.type());
        if (row.form == "min_plus_convolution") {
            return row.autoscheduler.empty() || p.length >= 16;  // a vector, of the plug-in's making
        }
        if ((2 * p.n + 2 * p.length + (1 << 20)) * element > most_bytes && row.backend != Backend::cpu) {
            return false;  // the padded vectors
        }
        if (row.form == "min_plus_convolution_plan") {
            return Blocks(row, p).fit();
        }
        if (row.schedule == "registers_small" || row.schedule == "registers_medium") {
            const double most_pairs = row.schedule == "registers_small" ? small_pairs : medium_pairs;
            const Cut cut(row, p);
            return p.pairs() < most_pairs && cut.bytes <= most_bytes_of_parts && cut.parts <= 65535;
        }
        return true;
    }

    // The row of the same type and backend that has a form.
    const Row &sibling(const Row &row, const std::string &form) const {
        for (const Row &other : rows()) {
            if (other.form == form && other.type == row.type && other.backend == row.backend) {
                return other;
            }
        }
        throw std::logic_error(row.name() + " has no row with the form " + form + " beside it");
    }

    // The best row that evaluates all pairs; `row` itself, where none takes the size.
    void run_dense(const Row &row, Device device, const Problem &p, Array &output) const {
        for (const Row *other : Operator::rows("registers", row.backend)) {
            if (other->type == row.type && fits(*other, p)) {
                return run_library(*other, device, p, output);
            }
        }
        run_library(row, device, p, output);
    }

    // Both halves; or, unless it is `always` to go on so, the first half and the dense form, where the first one asks for too much.
    void run_pruned(const Row &plan_row, Device device, const Problem &p, Array &output, bool always) const {
        const Row &row = sibling(plan_row, "min_plus_convolution_pruned");
        if (!fits(plan_row, p)) {
            return run_dense(row, device, p, output);
        }
        const Blocks blocks(plan_row, p);
        Plan plan(p.a.type(), blocks);
        Launch(plan_row, device)
            .in(p.a, first(p.a, p.n)).in(p.b, first(p.b, p.m))
            .value((int32_t)p.length).value((int32_t)blocks.segments_of_part).value((int32_t)blocks.parts)
            .out(plan.low_of_blocks).out(plan.low_of_windows).out(plan.chosen).out(plan.best, plan.best_view).out(plan.limits).out(plan.asked)
            .run();
        if (!always) {
            const double asked = (double)std::as_const(plan.asked).as<int32_t>()[0] * (double)(blocks.run * blocks.tile);
            if (asked > worth(p.a.type()).asked * p.pairs()) {
                return run_dense(row, device, p, output);
            }
        }
        Launch(row, device)
            .in(p.a, first(p.a, p.n)).in(p.b, first(p.b, p.m)).in(before(p))
            .in(plan.low_of_blocks).in(plan.low_of_windows).in(plan.chosen).in(plan.best, plan.best_view).in(plan.limits)
            .value((int32_t)p.length).value((int32_t)blocks.segments_of_part).value((int32_t)blocks.parts)
            .out(output)
            .run();
    }

    static const Array &before(const Problem &p) {
        return p.accumulated.empty() ? nothing(p.a.type()) : p.accumulated;
    }

    void run_library(const Row &row, Device device, const Problem &p, Array &output) const {
        Launch launch(row, device);
        launch.in(p.a, first(p.a, p.n)).in(p.b, first(p.b, p.m)).in(before(p));
        if (row.form == "min_plus_convolution_tiles") {
            const Cut cut(row, p);
            launch.value((int32_t)cut.chunks).value((int32_t)cut.parts);
        }
        launch.out(output).run();
    }

    static Sample sample(const std::string &type, int64_t n, int64_t m, const std::string &kind) {
        const Type element = type == "f64" ? Type::f64 : type == "f32" ? Type::f32 : Type::i32;
        const std::string size = n == m ? std::to_string(n) : fmt::format("{}+{}", n, m);
        return {{min_plus_vector(element, n, kind, 1), min_plus_vector(element, m, kind, 2)}, {}, fmt::format("{} {} {}", type, size, kind)};
    }
};

Settings settings_of(std::optional<int64_t> length) {
    Settings settings;
    if (length) {
        settings.set("length", (double)*length);
    }
    return settings;
}

}  // namespace

const Operator &min_plus_convolution_operator() {
    static const auto &op = *new MinPlusConvolution;  // never destroyed (inside.h)
    return op;
}

void min_plus_convolution(const Array &a, const Array &b, Array &c, std::optional<int64_t> length, const Call &call) {
    const Array inputs[] = {a, b};
    min_plus_convolution_operator()(inputs, c, settings_of(length), call);
}

void min_plus_convolution(const Array &a, const Array &b, const Array &accumulated, Array &c, std::optional<int64_t> length, const Call &call) {
    const Array inputs[] = {a, b, accumulated};
    min_plus_convolution_operator()(inputs, c, settings_of(length), call);
}

}  // namespace tilewright
