// Pipelines on images that are larger than memory: bands of rows are read, computed and written at once.
#include "tilewright/bands.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/dispatch/pipelines/band_queue.h"
#include "runtime/dispatch/pipelines/band_scratch.h"
#include "runtime/errors/leaving.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace tilewright {

namespace {

using Shape = std::vector<int64_t>;

// Stages that run on a band with one halo for all of them, and behind them what does more with it than rows.
struct Segment {
    Pipeline local = {}, last = {};  // either may have no stages
    Bands bands = Bands::halo;
    int64_t halo = 0;
    bool has_alpha = false;
    Type type = Type::u8, result_type = Type::u8;
    Shape shape, result_shape;
};

struct Segments {
    std::vector<Segment> all;
    std::string why_not;
    double bytes = 0;  // of the arrays of the whole pipeline
};

int64_t pixel_bytes(Type type, const Shape &shape) {
    return (shape.size() == 3 ? shape[2] : 1) * (int64_t)size_of(type);
}

double row_bytes(Type type, const Shape &shape) {
    const int64_t n = shape.size() == 1 ? 1 : shape[1];
    return (double)padded_bytes((size_t)(n * pixel_bytes(type, shape)));
}

Shape with_rows(Shape shape, int64_t rows) {
    shape[0] = rows;
    return shape;
}

// Type and shape of what a stage makes of a whole image. The elements of the view are never looked at.
std::unique_ptr<const Request> request_of(const PipelineStage &stage, Type type, const Shape &shape) {
    alignas(64) static const std::byte nothing[64] = {};
    const Array image = Array::view(type, static_cast<const void *>(nothing), shape);
    return stage.op->parse({&image, 1}, stage.settings);
}

Pipeline with_stage(const Pipeline &pipeline, const PipelineStage &stage, Settings settings) {
    if (!stage.schedule.empty()) {
        settings.set("schedule", stage.schedule);
    }
    return pipeline.then(stage.op->name(), settings);
}

// Adds a stage to the segment, and says why it cannot be there.
std::string add_stage(Segment &segment, const PipelineStage &stage) {
    const Operator &op = *stage.op;
    if (stage.from_call > 0 || !stage.arrays.empty()) {
        return op.name() + " takes more than one array";
    }
    const std::unique_ptr<const Request> request =
        request_of(stage, segment.result_type, segment.result_shape);
    segment.bands = op.bands();
    if (op.bands() == Bands::halo) {
        const std::optional<int64_t> halo = op.halo(stage.settings);
        if (!halo || request->output_shape != segment.shape) {
            return op.name() + " needs the whole image for each of its pixels";
        }
        segment.halo += *halo;
        segment.local = with_stage(segment.local, stage, stage.settings);
    } else {
        Settings settings = stage.settings;
        const bool is_integer = segment.result_type == Type::u8 || segment.result_type == Type::u16;
        if (op.bands() == Bands::sums && is_integer) {
            settings.set("output-type", name_of(Type::u64));  // which the sums of all bands are added in
        }
        segment.last = with_stage(segment.last, stage, settings);
    }
    segment.result_type = request->output_type;
    segment.result_shape = request->output_shape;
    return "";
}

Segments segments_of(Type type, const Shape &shape, const Pipeline &pipeline, bool has_alpha) {
    Segments segments;
    const auto begin = [&](Type from_type, const Shape &from_shape) {
        segments.all.push_back({.has_alpha = has_alpha,
            .type = from_type,
            .result_type = from_type,
            .shape = from_shape,
            .result_shape = from_shape});
    };
    begin(type, shape);
    segments.bytes = row_bytes(type, shape) * (double)shape[0];
    int mixing = 0;
    for (const PipelineStage &stage : pipeline.stages()) {
        if (segments.all.back().bands != Bands::halo) {
            begin(segments.all.back().result_type, segments.all.back().result_shape);
        }
        Segment &segment = segments.all.back();
        const bool is_first = segment.local.stages().empty();
        segments.why_not = segment.result_shape.size() == 1 ? stage.op->name() + " gets a vector" :
                                                              add_stage(segment, stage);
        if (!segments.why_not.empty()) {
            return segments;
        }
        mixing += is_first && !segment.local.stages().empty() ? 1 : 0;
        segments.bytes +=
            row_bytes(segment.result_type, segment.result_shape) * (double)segment.result_shape[0];
    }
    if (has_alpha && mixing > 1) {
        segments.why_not = "its stages before and after a transpose keep colours multiplied by alpha";
    }
    return segments;
}

// Of transposed bands a row has n pixels, of whole 64 bytes.
int64_t least_rows(const Segment &segment) {
    const int64_t wanted = segment.bands == Bands::columns ? 64 : 1;
    return std::min(wanted, segment.shape[0]);
}

// The bytes for bands of n rows: three are read, wait and are computed, and so are three results. Stages keep
// what is between them, with colours times alpha of twice the size.
double memory_of(const Segment &segment, int64_t n) {
    const double in = row_bytes(segment.type, segment.shape) *
                      (double)std::min(segment.shape[0], n + 2 * segment.halo),
                 own = segment.local.stages().empty() ? 0 : in * (segment.has_alpha ? 6 : 3),
                 row = segment.bands == Bands::halo ? row_bytes(segment.result_type, segment.result_shape) :
                       segment.bands == Bands::columns ? row_bytes(segment.type, segment.shape) :
                                                         8.;
    const double sums = segment.bands == Bands::sums ? 32. * (double)segment.shape[1] : 0;
    return 3 * in + own + 3 * row * (double)n + sums +
           row_bytes(segment.type, segment.shape) * 2. * (double)segment.halo;
}

double least_memory(const Segments &segments) {
    double least = 0;
    for (const Segment &segment : segments.all) {
        least = std::max(least, memory_of(segment, least_rows(segment)));
    }
    return least;
}

// As many rows as the memory has room for, but no more than caches and overlap gain from.
int64_t rows_of_band(const Segment &segment, double memory) {
    constexpr double worth = 4 << 20;  // bytes of a band
    const int64_t h = segment.shape[0], least = least_rows(segment);
    const auto enough = (int64_t)(worth / row_bytes(segment.type, segment.shape));
    int64_t low = least, high = std::clamp(std::max(enough, 8 * segment.halo), least, h);
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (memory_of(segment, middle) <= memory) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Rows of the image, with the halo of them that there is.
struct Band {
    Array image;
    int64_t top = 0, rows = 0;
};

void read_bands(RowSource &source, const Segment &segment, int64_t rows, BandQueue<Band> &to) {
    const int64_t h = segment.shape[0], w = segment.shape[1];
    int64_t read = 0;
    Array last;  // the rows that the next band has too
    for (int64_t y = 0; y < h; y += rows) {
        const int64_t n = std::min(rows, h - y), begin = std::max<int64_t>(0, y - segment.halo),
                      end = std::min(h, y + n + segment.halo), known = read - begin;
        Array image = Array::uninitialized(segment.type, with_rows(segment.shape, end - begin));
        if (known > 0) {
            Array first = image.crop(0, 0, known, w);
            copy(last, first);
        }
        if (end > read) {
            Array rest = image.crop(known, 0, end - read, w);
            source.read(rest);
            read = end;
        }
        const int64_t next = std::max<int64_t>(0, y + n - segment.halo);
        last = next < end && y + n < h ? image.crop(next - begin, 0, end - next, w).clone() : Array();
        if (!to.push({std::move(image), y - begin, n})) {
            return;
        }
    }
}

// Sums of columns of the bands so far, exact for integers.
class Sums {
public:
    void add(const Array &of_band) {
        switch (of_band.type()) {
        case Type::u64: return add<uint64_t>(of_band, integers_);
        case Type::f64: return add<double>(of_band, floats_);
        default: return add<float>(of_band, floats_);
        }
    }

    Array as(Type type, const Shape &shape) const {
        Array sums(type, shape, 0);
        switch (type) {
        case Type::u32: convert(sums.as<uint32_t>()); break;
        case Type::u64: convert(sums.as<uint64_t>()); break;
        case Type::f64: convert(sums.as<double>()); break;
        default: convert(sums.as<float>());
        }
        return sums;
    }

private:
    template<typename T, typename Sum>
    static void add(const Array &of_band, std::vector<Sum> &sums) {
        std::vector<T> from((size_t)of_band.size());
        of_band.copy_to(std::span(from));
        sums.resize(from.size());
        for (size_t i = 0; i < from.size(); i++) {
            sums[i] += from[i];
        }
    }

    template<typename T>
    void convert(T *to) const {
        const auto cast = [](auto sum) { return (T)sum; };
        std::transform(integers_.begin(), integers_.end(), to, cast);
        std::transform(floats_.begin(), floats_.end(), to, cast);
    }

    std::vector<uint64_t> integers_;
    std::vector<double> floats_;
};

// Computes the bands of a segment on the calling thread.
class Computation {
public:
    Computation(const Segment &segment, const PipelineCall &call) : segment_(segment), call_(call) {
        call_.alpha = segment.has_alpha;
        call_.steps = nullptr;
        call_.progress = {};
        call_.pinned = false;
    }

    // The next rows of the result; empty for sums.
    Array of(const Band &band) {
        statistics_.clear();
        Array image = band.image;
        if (!segment_.local.stages().empty()) {
            image = run(segment_.local, image).crop(band.top, 0, band.rows, segment_.shape[1]);
        }
        if (!segment_.last.stages().empty()) {
            image = run(segment_.last, image);
        }
        image.sync();
        if (segment_.bands == Bands::sums) {
            sums_.add(image);
            image = Array();
        }
        return image;
    }

    Array sums() const {
        return sums_.as(segment_.result_type, segment_.result_shape);
    }
    Device device() const {
        return *call_.device;
    }
    const std::vector<Statistics> &statistics() const {
        return statistics_;
    }

private:
    Array run(const Pipeline &pipeline, const Array &image) {
        std::vector<Statistics> of_stages;
        call_.statistics = &of_stages;
        if (!call_.device) {
            call_.device = pipeline.choose_device({&image, 1}, call_);
        }
        Array output;
        pipeline(image, output, call_);
        statistics_.insert(statistics_.end(), of_stages.begin(), of_stages.end());
        return output;
    }

    const Segment &segment_;
    PipelineCall call_;
    Sums sums_;
    std::vector<Statistics> statistics_;
};

// One pass over the image. `done`: asked with the part of the pass.
void run_segment(RowSource &source, RowSink &sink, const Segment &segment, int64_t rows,
    Computation &computation, const std::function<void(double)> &done) {
    BandQueue<Band> read;
    BandQueue<Array> computed;
    sink.begin(segment.result_type, segment.result_shape);
    {
        BandThread reader(read, [&] { read_bands(source, segment, rows, read); });
        BandThread writer(computed, [&] {
            while (const std::optional<Array> part = computed.pop()) {
                sink.write(*part);
            }
        });
        const BandQueue<Band>::CloseAtEnd close_read(read);
        const BandQueue<Array>::CloseAtEnd close_computed(computed);
        int64_t y = 0;
        bool is_taken = true;
        for (std::optional<Band> band; is_taken && (band = read.pop());) {
            Array part = computation.of(*band);
            y += band->rows;
            is_taken = part.empty() || computed.push(std::move(part));
            done((double)y / (double)segment.shape[0]);
        }
        if (segment.bands == Bands::sums && y == segment.shape[0]) {
            computed.push(computation.sums());
        }
        read.close();
        computed.close();
        writer.join();
        reader.join();
    }
    sink.finish();
}

std::string in_bytes(double bytes) {
    return fmt::format("{:.0f}M", std::ceil(bytes / (1 << 20)));
}

[[noreturn]] void refuse(const std::string &why) {
    throw Error(Fault::usage, why, {.operation = "process", .argument = "memory"});
}

}  // namespace

BandsNeeded bands_needed(
    Type type, const std::vector<int64_t> &shape, const Pipeline &pipeline, const PipelineCall &call) {
    const Segments segments = segments_of(type, shape, pipeline, call.alpha);
    const Segment &last = segments.all.back();
    return {last.result_type, last.result_shape, least_memory(segments), segments.bytes, segments.why_not};
}

BandsDone process(
    RowSource &source, RowSink &sink, const Pipeline &pipeline, const BandOptions &options) try {
    const Segments segments = segments_of(source.type(), source.shape(), pipeline, options.call.alpha);
    if (!segments.why_not.empty()) {
        refuse(fmt::format(
            "{}; without a limit of memory it takes about {}", segments.why_not, in_bytes(segments.bytes)));
    }
    if (const double least = least_memory(segments); least > (double)options.memory) {
        refuse(
            fmt::format("{} bytes are too few for one band; {} would do", options.memory, in_bytes(least)));
    }
    BandsDone all;
    std::vector<Statistics> statistics;
    std::unique_ptr<BandScratch> scratch;
    for (size_t i = 0; i < segments.all.size(); i++) {
        const Segment &segment = segments.all[i];
        const int64_t rows = rows_of_band(segment, (double)options.memory);
        const std::unique_ptr<BandScratch> from = std::move(scratch);
        const bool is_kept = segment.bands == Bands::columns;
        scratch = is_kept ? std::make_unique<BandScratch>(options.scratch) : nullptr;
        Computation computation(segment, options.call);
        // What a transpose makes is read back: that is half of the work.
        const auto count =
            (double)(segments.all.size() + (segments.all.back().bands == Bands::columns ? 1 : 0));
        run_segment(from ? *from : source, is_kept ? static_cast<RowSink &>(*scratch) : sink, segment, rows,
            computation, [&](double part) {
                if (options.call.progress && !options.call.progress(((double)i + part) / count)) {
                    throw Error(Fault::cancelled, "the call was cancelled", {.operation = "process"});
                }
            });
        all.device = computation.device();
        all.rows = i == 0 ? rows : all.rows;
        all.bands += (segment.shape[0] + rows - 1) / rows;
        statistics.insert(statistics.end(), computation.statistics().begin(), computation.statistics().end());
    }
    if (scratch) {
        scratch->copy_to(sink, options.memory);
    }
    if (options.call.statistics) {
        *options.call.statistics = std::move(statistics);
    }
    return all;
} catch (...) {
    leave_with_error([] { return "process"; });
}

}  // namespace tilewright
