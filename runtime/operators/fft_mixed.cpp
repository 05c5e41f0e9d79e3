// Divides lines of any length into passes of FftMixed, and binds their arguments.
#include "runtime/operators/fft_mixed.h"
#include "generators/algorithms/cache.h"
#include "generators/algorithms/integers.h"
#include "runtime/devices/best_device.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/process/immortal.h"
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace tilewright {

namespace {

using Numbers = FftMixedNumbers<int32_t>;

// More points than any line has.
constexpr int32_t all = 0xffff;

// The divisor of a length that is nearest to its root, so that both parts are short.
int64_t part_of(int64_t length) {
    int64_t part = 1;
    for (int64_t d = 1; d * d <= length; d++) {
        part = length % d == 0 ? d : part;
    }
    return part;
}

std::complex<double> number(const Array &a, int64_t i) {
    return a.type() == Type::c64 ? std::complex<double>(a.as<std::complex<float>>()[i]) :
                                   a.as<std::complex<double>>()[i];
}

// a times b, element by element. Either may be empty.
Array product(const Array &a, const Array &b) {
    if (a.empty() || b.empty()) {
        return a.empty() ? b : a;
    }
    return complex_vector(a.size(), [&](int64_t i) { return number(a, i) * number(b, i); }, a.type());
}

Array conjugate(const Array &a) {
    return complex_vector(a.size(), [&](int64_t i) { return std::conj(number(a, i)); }, a.type());
}

MixedStages stages_of(const Variant &variant) {
    return variant.configuration<FftMixedShape>().stages();
}

using LinesOfBlocks = MixedTransform::LinesOfBlocks;

// The cells from one of 1 << shift lines to the next one (generators/algorithms/fft2d/mixed_blocks.h).
int64_t line_cells(int64_t cells, int32_t shift) {
    const int64_t apart = std::max(1, 16 >> shift);
    return (ceil_div(cells, apart) | 1) * apart;
}

// What a block of threads has: its threads, and words for cells.
struct Block {
    int64_t threads, words;

    auto operator<=>(const Block &) const = default;

    bool has_room(int64_t cells, int32_t shift) const {
        return (int64_t(1) << shift) <= threads && line_cells(cells, shift) << shift <= words;
    }
};
// A library for GPUs with less shared memory keeps fewer words than its variant says: as many whole 16.
Block block_of(const Variant &variant) {
    const int64_t word = variant.type == "c64" ? 8 : 16, kept = variant.needs.shared_bytes / word / 16 * 16;
    return {variant.tunable("threads"), std::min<int64_t>(variant.tunable("words"), kept)};
}

// Whether a block of the variant's threads has room for so many smooth lines of that length, 1 << shift.
bool has_room(const Variant &variant, int64_t length, int32_t shift) {
    const MixedStages most = stages_of(variant);
    return is_smooth(length, most) &&
           block_of(variant).has_room(mixed_tables(length, most, true).cells(), shift);
}

// Lines that a block of threads may take together, 1 << shift of them, and how long all of them take then:
// the instructions of the unit of the device that has the most blocks, which bound these passes (H200, 1000 x
// 1000: 70 % of the time).
struct Share {
    int32_t shift = 0;
    int64_t time = std::numeric_limits<int64_t>::max();  // where no block has room for a line, or no stages
};
Share best_share(const LinesOfBlocks &lines, const MixedStages &most, const Block &block, int units) {
    Share best;
    if (lines.length > block.words || !is_smooth(lines.length, most)) {
        return best;
    }
    const MixedTables tables = mixed_tables(lines.length, most, true);
    for (int32_t shift = 0; block.has_room(tables.cells(), shift) && 1 << shift < 2 * lines.count; shift++) {
        const int64_t blocks = ceil_div(lines.count, int64_t(1) << shift), threads = block.threads >> shift;
        // Reading and writing take about as long as two butterflies of 8. Of less than 4 columns, only a part
        // of the words that memory sends is used.
        int64_t time =
            16 * ceil_div(lines.length, threads * 8) * (lines.columns && shift < 2 ? 4 >> shift : 1);
        for (size_t r = 0; r < mixed_radices.size(); r++) {
            // A large radix takes as many multiply-adds more as the square of `p`.
            const int64_t radix = mixed_radices[r], p = is_large_radix((int)radix) ? radix - 1 : 0;
            time += tables.counts[r] * ceil_div(lines.length / radix, threads) * (radix + 4 + p * p / 8);
        }
        time *= block.threads * ceil_div(blocks * lines.batches, (int64_t)units);
        if (time < best.time) {
            best = {shift, time};
        }
    }
    return best;
}

// The same by a variant. Kept, because it takes longer than a call should.
Share best_share(const LinesOfBlocks &lines, const Variant &variant, int units) {
    using Key = std::tuple<LinesOfBlocks, MixedStages, Block, int>;
    auto &shares = immortal([] { return Cache<Key, Share>(256); });
    const Key key{lines, stages_of(variant), block_of(variant), units};
    return *shares.get(
        key, [&] { return std::apply([](const auto &...values) { return best_share(values...); }, key); });
}

}  // namespace

// One library and what it is given.
struct MixedTransform::Pass {
    const Variant *variant;
    Array first, last;
    Endpoints ends;
    Numbers numbers;
    Array response = {};  // of a variant that convolves

    // On a GPU: the variant, and how many lines a block of its threads takes.
    void take(const Division &division) {
        variant = division.variant;
        numbers.shift = division.shift;
        numbers.together = 1 << division.shift;
        numbers.blocks = (int32_t)ceil_div<int64_t>(numbers.lines, numbers.together);
        const MixedTables tables = mixed_tables(numbers.length, stages_of(*variant), true);
        numbers.rows = (int32_t)tables.rows;
        numbers.row = (int32_t)(numbers.length / tables.rows);
        numbers.of_rows = fft_mixed_reciprocal(numbers.rows);
        numbers.of_row = fft_mixed_reciprocal(numbers.row);
        numbers.of_read_step = fft_mixed_reciprocal(numbers.read_step);
        numbers.of_write_step = fft_mixed_reciprocal(numbers.write_step);
        numbers.left_out = (int32_t)tables.left_out;
        numbers.line_cells = (int32_t)line_cells(tables.cells(), numbers.shift);
    }

    void add_to(Plan &plan, Device device, const Array &from, View reads, Array &to, View writes) {
        const bool on_gpu = variant->backend != Backend::cpu;
        MixedTables tables = mixed_tables(numbers.length, stages_of(*variant), on_gpu);
        const Type type = from.type();
        if (on_gpu) {
            numbers.last_radix = response.empty() ? tables.take_last_radix() : (int32_t)tables.rows;
            numbers.last_butterflies = numbers.length / numbers.last_radix;
            // Those of a GPU read and write (point, line, batch).
            std::swap(reads.dims[0], reads.dims[(size_t)numbers.reads_columns]);
            std::swap(writes.dims[0], writes.dims[(size_t)numbers.writes_columns]);
        }
        numbers.loop_radix = (int32_t)tables.loop_radix;
        numbers.of_loop_radix = fft_mixed_reciprocal(numbers.loop_radix);
        const Array roots = fft_roots(numbers.length, type), one = fft_roots(1, type);
        if (!first.empty() && !numbers.twiddled) {
            numbers.first_by_point = 1;
        }
        numbers.last_by_result = !last.empty();
        numbers.result_width = (int32_t)writes.dims[0].extent;
        numbers.result_height = (int32_t)writes.dims[1].extent;
        Launch &launch = plan.launch(*variant, device);
        const auto table = [&](const char *name, const Array &array) {
            launch.in(name, array, complex_numbers(complex_words(array), type));
        };
        launch.in("in", from, complex_numbers(std::move(reads), type))
            .values("strides", std::span<const uint64_t>(tables.strides))
            .values("counts", std::span<const int32_t>(tables.counts))
            .out("output", to, complex_numbers(std::move(writes), type));
        bind_endpoints(launch, ends, type);
        if (response.empty()) {
            launch.in("positions", tables.positions);
        } else {
            table("response", response);
        }
        table("roots", roots);
        table("first", first.empty() ? one : first);
        table("last", last.empty() ? one : last);
        numbers.fields([&](const char *name, int32_t number) { launch.value(name, number); });
    }
};

MixedTransform::MixedTransform(std::vector<const Variant *> variants, Device device, FieldAxis axis,
    int64_t n, int64_t lines, const Endpoints &ends, const LineFactors &factors)
    : variants_(std::move(variants)), units_(units_of(device)), axis_(axis), n_(n), lines_(lines),
      ends_(ends), factors_(factors) {
    if (!is_on_gpu()) {
        std::erase_if(variants_, [&](const Variant *variant) {
            return variant->configuration<FftMixedShape>().columns != (axis == FieldAxis::columns);
        });
    } else {
        std::erase_if(variants_, [&](const Variant *variant) {
            const bool convolves = variant->configuration<FftMixedShape>().convolves;
            convolving_ = convolves ? variant : convolving_;
            return convolves;
        });
    }
    if (variants_.empty()) {
        throw std::logic_error("no variant of the form fft_mixed");
    }
}

MixedStages MixedTransform::stages() const {
    return stages_of(*variants_.back());
}

bool MixedTransform::is_on_gpu() const {
    return !variants_.empty() && variants_.front()->backend != Backend::cpu;
}

// The division of lines that are not divided into parts, by the variant that takes the least time. No variant
// where none has room for one.
MixedTransform::Division MixedTransform::division(const LinesOfBlocks &lines) const {
    Division division;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const Variant *variant : variants_) {
        const Share share = best_share(lines, *variant, units_);
        if (share.time < least) {
            least = share.time;
            division = {variant, share.shift};
        }
    }
    return division;
}

// The variant for whole lines; null where they are divided into parts: no block has room for one of them, or
// for two of them where they are columns.
const Variant *MixedTransform::whole(int64_t length) const {
    if (!is_on_gpu()) {
        return variants_.front();
    }
    const bool columns = axis_ == FieldAxis::columns;
    const bool fits = std::any_of(variants_.begin(), variants_.end(),
        [&](const Variant *variant) { return has_room(*variant, length, columns ? 1 : 0); });
    return fits ? division({length, lines_, 1, columns}).variant : nullptr;
}

// The length of the lines that one library transforms there and back, for lines that are not smooth. 0 where
// no block has room for one.
int64_t MixedTransform::convolved() const {
    if (!convolving_) {
        return 0;
    }
    const int64_t length = chirp_length(n_, stages_of(*convolving_));
    return has_room(*convolving_, length, 0) ? length : 0;
}

const Variant &MixedTransform::variant() const {
    const bool smooth = is_smooth(n_, stages());
    if (!smooth && convolved()) {
        return *convolving_;
    }
    const Variant *variant = whole(smooth ? n_ : chirp_length(n_, stages()));
    return variant ? *variant : *variants_.front();
}

Array MixedTransform::scratch(int64_t length, int64_t count, Type type) const {
    const bool columns = axis_ == FieldAxis::columns;
    return Array::uninitialized(
        type, columns ? std::vector<int64_t>{length, count} : std::vector<int64_t>{count, length});
}

View MixedTransform::view(const Array &field, const Window &window, int64_t points) const {
    View view = complex_words(field);
    const int64_t pitch = field.strides()[0], bytes = (int64_t)size_of(field.type());
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
    const int64_t second = part_of(lines.length), first = lines.length / second, count = reads.count;
    const Window window{0, count};
    Array between = scratch(lines.length, count, from.type());
    Pass head{nullptr, lines.first, {}, {.sign = lines.ends.sign}, {}};
    Numbers &h = head.numbers;
    h.length = (int32_t)first;
    h.lines = (int32_t)(columns ? count : second);
    h.reads_columns = h.writes_columns = 1;
    (columns ? h.b_of_batch : h.b_of_line) = 1;
    h.read_step = (int32_t)second;
    h.read_offset = 1;
    h.present = (int32_t)lines.present;
    h.written = all;
    head.take(division({first, h.lines, columns ? second : count, true}));
    head.add_to(plan, device, from, part(from, reads, lines.present, second), between,
        part(between, window, lines.length, second));

    Pass tail{nullptr, fft_roots(lines.length, from.type()), lines.last,
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
    tail.take(division({second, t.lines, columns ? first : count, columns}));
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
        pass.take(division({lines.length, n.lines, 1, n.reads_columns != 0}));
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
    if (const int64_t length = convolved()) {
        const MixedStages most = stages_of(*convolving_);
        Pass pass{convolving_, product(first, fft_chirp(n_, -1, Type::c64)),
            product(last.empty() ? last : conjugate(last), fft_chirp(n_, 1, Type::c64)),
            {ends_.sign, ends_.scale_re, -ends_.scale_im}, {}, chirp_response(n_, length, most)};
        Numbers &n = pass.numbers;
        n.length = (int32_t)length;
        n.lines = (int32_t)count;
        n.reads_columns = n.writes_columns = axis_ == FieldAxis::columns;
        n.present = n.written = (int32_t)n_;
        pass.take(
            {convolving_, best_share({length, count, 1, n.reads_columns != 0}, *convolving_, units_).shift});
        const Window window{0, count};
        return pass.add_to(plan, device, from, view(from, window, n_), to, view(to, window, n_));
    }
    // Some lines at a time, so that the longer ones take little memory: on a CPU, as much as its last cache.
    const Type type = from.type();
    const int64_t longer = chirp_length(n_, stages()), bytes = int64_t(1) << (is_on_gpu() ? 28 : 24);
    const int64_t together =
        std::min(count, std::max<int64_t>(64, bytes / (longer * (int64_t)size_of(type)) / 64 * 64));
    const Array chirp = fft_chirp(n_, -1, type), response = chirp_response(n_, longer, type);
    const Lines forward{longer, n_, longer, product(first, chirp), response, {.sign = ends_.sign}},
        back{longer, longer, n_, {}, product(last.empty() ? last : conjugate(last), fft_chirp(n_, 1, type)),
            {-1, ends_.scale_re, -ends_.scale_im}};
    Array spectrum = scratch(longer, together, type);
    for (int64_t line = 0; line < count; line += together) {
        const Window window{line, std::min(together, count - line)}, start{0, window.count};
        add_lines(plan, device, forward, from, window, spectrum, start);
        add_lines(plan, device, back, spectrum, start, to, window);
    }
}

}  // namespace tilewright
