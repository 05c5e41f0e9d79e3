// Divides lines of any length into passes of FftMixed, and binds their arguments.
#include "runtime/operators/fft_mixed.h"
#include "generators/algorithms/fft2d/mixed_shape.h"
#include "generators/algorithms/integers.h"
#include "runtime/operators/fft_tables.h"
#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace tilewright {

namespace {

using Numbers = FftMixedNumbers<int32_t>;

constexpr int32_t all = std::numeric_limits<int32_t>::max();

// The divisor of a length that is nearest to its root, so that both parts are short.
int64_t part_of(int64_t length) {
    int64_t part = 1;
    for (int64_t d = 1; d * d <= length; d++) {
        part = length % d == 0 ? d : part;
    }
    return part;
}

// a times b, element by element. Either may be empty.
Array product(const Array &a, const Array &b) {
    if (a.empty() || b.empty()) {
        return a.empty() ? b : a;
    }
    const auto *x = a.as<std::complex<float>>(), *y = b.as<std::complex<float>>();
    return complex_vector(
        a.size(), [&](int64_t i) { return std::complex<double>(x[i]) * std::complex<double>(y[i]); });
}

Array conjugate(const Array &a) {
    const auto *x = a.as<std::complex<float>>();
    return complex_vector(a.size(), [&](int64_t i) { return std::conj(std::complex<double>(x[i])); });
}

}  // namespace

// One library and what it is given.
struct MixedTransform::Pass {
    const Variant *variant;
    Array first, last;
    Endpoints ends;
    Numbers numbers;

    // The lines that a block of threads takes together. Rows: enough points for all threads; columns: a power
    // of two, so that whole pieces of memory are read. Fewer where that leaves multiprocessors idle.
    void divide(int64_t points, int64_t batches) {
        const int64_t lines = numbers.lines, most = std::max<int64_t>(1, points / numbers.length);
        int64_t together;
        if (numbers.reads_columns) {
            together = std::min<int64_t>(32, (int64_t)std::bit_floor((uint64_t)most));
            while (together > 8 && ceil_div(lines, together) * batches < 256) {
                together /= 2;
            }
        } else {
            const int64_t busy = std::max<int64_t>(1, lines * batches / 512);
            together = std::min({most, busy, ceil_div(int64_t(4096), numbers.length)});
        }
        numbers.together = (int32_t)std::min(together, lines);
        numbers.blocks = (int32_t)ceil_div(lines, numbers.together);
    }

    void add_to(Plan &plan, Device device, const Array &from, View reads, Array &to, View writes) {
        const MixedTables tables =
            mixed_tables(numbers.length, variant->configuration<FftMixedShape>().stages());
        const Array roots = fft_roots(numbers.length), one = fft_roots(1);
        if (!first.empty() && !numbers.twiddled) {
            numbers.first_by_point = 1;
        }
        numbers.last_by_result = !last.empty();
        numbers.result_width = (int32_t)writes.dims[0].extent;
        numbers.result_height = (int32_t)writes.dims[1].extent;
        Launch &launch = plan.launch(*variant, device);
        const auto table = [&](const char *name, const Array &array) {
            launch.in(name, array, complex_words(array));
        };
        launch.in("in", from, std::move(reads))
            .in("positions", tables.positions)
            .in("strides", tables.strides)
            .values("counts", std::span<const int32_t>(tables.counts))
            .value("sign", ends.sign)
            .value("scale_re", ends.scale_re)
            .value("scale_im", ends.scale_im)
            .out("output", to, std::move(writes));
        table("roots", roots);
        table("first", first.empty() ? one : first);
        table("last", last.empty() ? one : last);
        numbers.fields([&](const char *name, int32_t number) { launch.value(name, number); });
    }
};

MixedTransform::MixedTransform(std::vector<const Variant *> variants, FieldAxis axis, int64_t n,
    const Endpoints &ends, const LineFactors &factors)
    : variants_(std::move(variants)), axis_(axis), n_(n), ends_(ends), factors_(factors) {
    if (!is_on_gpu()) {
        std::erase_if(variants_, [&](const Variant *variant) {
            return variant->configuration<FftMixedShape>().columns != (axis == FieldAxis::columns);
        });
    }
    if (variants_.empty()) {
        throw std::logic_error("no variant of the form fft_mixed");
    }
}

MixedStages MixedTransform::stages() const {
    return variants_.front()->configuration<FftMixedShape>().stages();
}

bool MixedTransform::is_on_gpu() const {
    return !variants_.empty() && variants_.front()->backend != Backend::cpu;
}

// How many points a block of threads has room for: of 17 words one is left out.
int64_t MixedTransform::points_of(const Variant &variant) const {
    return variant.tunable("words") / 17 * 16;
}

// The variant that takes whole lines: the first one with room for 4 columns, or for 2, or for a row. Null
// where none has it.
const Variant *MixedTransform::whole(int64_t length) const {
    if (!is_on_gpu()) {
        return variants_.front();
    }
    const bool columns = axis_ == FieldAxis::columns;
    for (const int64_t lines : columns ? std::vector<int64_t>{4, 2} : std::vector<int64_t>{1}) {
        for (const Variant *variant : variants_) {
            if (lines * length <= points_of(*variant)) {
                return variant;
            }
        }
    }
    return nullptr;
}

const Variant &MixedTransform::variant() const {
    const Variant *variant = whole(is_smooth(n_, stages()) ? n_ : chirp_length(n_, stages()));
    return variant ? *variant : *variants_.front();
}

Array MixedTransform::scratch(int64_t length, int64_t count) const {
    const bool columns = axis_ == FieldAxis::columns;
    return Array::uninitialized(
        Type::c64, columns ? std::vector<int64_t>{length, count} : std::vector<int64_t>{count, length});
}

View MixedTransform::view(const Array &field, const Window &window, int64_t points) const {
    View view = complex_words(field);
    const int64_t pitch = field.strides()[0], bytes = (int64_t)size_of(Type::c64);
    if (axis_ == FieldAxis::columns) {
        view.dims = {{window.count, 1}, {points, pitch}, {1, 1}};
        view.offset += window.first * bytes;
    } else {
        view.dims = {{points, 1}, {window.count, pitch}, {1, 1}};
        view.offset += window.first * pitch * bytes;
    }
    return view;
}

// The same of lines that are divided into `parts` parts, each of which has each parts-th point: the parts of
// a row are side by side, those of columns are batches.
View MixedTransform::part(const Array &field, const Window &window, int64_t points, int64_t parts) const {
    View view = this->view(field, window, points);
    const int64_t pitch = field.strides()[0], each = ceil_div(points, parts);
    if (axis_ == FieldAxis::columns) {
        view.dims = {{window.count, 1}, {each, parts * pitch}, {parts, pitch}};
    } else {
        view.dims = {{parts, 1}, {each, parts}, {window.count, pitch}};
    }
    return view;
}

void MixedTransform::add_parts(Plan &plan, Device device, const Lines &lines, const Array &from,
    const Window &reads, Array &to, const Window &writes) const {
    const bool columns = axis_ == FieldAxis::columns;
    const Variant &variant = *variants_.front();
    const int64_t second = part_of(lines.length), first = lines.length / second, count = reads.count;
    const Window window{0, count};
    Array between = scratch(lines.length, count);
    Pass head{&variant, lines.first, {}, {.sign = lines.ends.sign}, {}};
    Numbers &h = head.numbers;
    h.length = (int32_t)first;
    h.lines = (int32_t)(columns ? count : second);
    h.reads_columns = h.writes_columns = 1;
    (columns ? h.b_of_batch : h.b_of_line) = 1;
    h.read_step = (int32_t)second;
    h.read_offset = 1;
    h.present = (int32_t)lines.present;
    h.written = all;
    head.divide(points_of(variant), columns ? second : count);
    head.add_to(plan, device, from, part(from, reads, lines.present, second), between,
        part(between, window, lines.length, second));

    Pass tail{&variant, fft_roots(lines.length), lines.last,
        {.scale_re = lines.ends.scale_re, .scale_im = lines.ends.scale_im}, {}};
    Numbers &t = tail.numbers;
    t.length = (int32_t)second;
    t.lines = (int32_t)(columns ? count : first);
    t.reads_columns = columns;
    t.writes_columns = 1;
    (columns ? t.b_of_batch : t.b_of_line) = 1;
    t.present = all;
    t.twiddled = 1;
    t.write_step = (int32_t)first;
    t.write_offset = 1;
    t.written = (int32_t)lines.written;
    tail.divide(points_of(variant), columns ? first : count);
    View consecutive = complex_words(between);
    const int64_t pitch = between.strides()[0];
    consecutive.dims = columns ?
                           std::vector<View::Dim>{{count, 1}, {second, pitch}, {first, second * pitch}} :
                           std::vector<View::Dim>{{second, 1}, {first, second}, {count, pitch}};
    tail.add_to(plan, device, between, consecutive, to, part(to, writes, lines.written, first));
}

void MixedTransform::add_lines(Plan &plan, Device device, const Lines &lines, const Array &from,
    const Window &reads, Array &to, const Window &writes) const {
    const Variant *variant = whole(lines.length);
    if (!variant) {
        return add_parts(plan, device, lines, from, reads, to, writes);
    }
    Pass pass{variant, lines.first, lines.last, lines.ends, {}};
    Numbers &n = pass.numbers;
    n.length = (int32_t)lines.length;
    n.lines = (int32_t)reads.count;
    n.reads_columns = n.writes_columns = axis_ == FieldAxis::columns;
    n.present = (int32_t)lines.present;
    n.written = (int32_t)lines.written;
    if (is_on_gpu()) {
        pass.divide(points_of(*variant), 1);
    }
    pass.add_to(plan, device, from, view(from, reads, lines.present), to, view(to, writes, lines.written));
}

void MixedTransform::add_to(Plan &plan, Device device, const Array &from, Array &to) const {
    const int64_t count = from.shape()[axis_ == FieldAxis::columns ? 1 : 0];
    const Array first = factors_.first ? factors_.first() : Array(),
                last = factors_.last ? factors_.last() : Array();
    if (is_smooth(n_, stages())) {
        return add_lines(plan, device, {n_, n_, n_, first, last, ends_}, from, {0, count}, to, {0, count});
    }
    // Some lines at a time, so that the longer ones take little memory: on a CPU, as much as its last cache.
    const int64_t longer = chirp_length(n_, stages()), bytes = int64_t(1) << (is_on_gpu() ? 28 : 24);
    const int64_t together =
        std::min(count, std::max<int64_t>(64, bytes / (longer * (int64_t)size_of(Type::c64)) / 64 * 64));
    const Array chirp = fft_chirp(n_, -1), response = chirp_response(n_, longer);
    const Lines forward{longer, n_, longer, product(first, chirp), response, {.sign = ends_.sign}},
        back{longer, longer, n_, {}, product(last.empty() ? last : conjugate(last), fft_chirp(n_, 1)),
            {-1, ends_.scale_re, -ends_.scale_im}};
    Array spectrum = scratch(longer, together);
    for (int64_t line = 0; line < count; line += together) {
        const Window window{line, std::min(together, count - line)}, start{0, window.count};
        add_lines(plan, device, forward, from, window, spectrum, start);
        add_lines(plan, device, back, spectrum, start, to, window);
    }
}

}  // namespace tilewright
