// Pipelines on images that are larger than memory: bands of rows are read, computed and written at once.
#include "tilewright/bands.h"
#include "runtime/arrays/copy.h"
#include "runtime/dispatch/pipelines/band_queue.h"
#include "runtime/dispatch/pipelines/band_scratch.h"
#include "runtime/dispatch/pipelines/band_segments.h"
#include "runtime/errors/leaving.h"
#include "tilewright/stream.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <optional>
#include <span>

namespace tilewright {

namespace {

using Shape = std::vector<int64_t>;

Shape with_rows(Shape shape, int64_t rows) {
    shape[0] = rows;
    return shape;
}

// Rows of the image, with the halo of them that there is.
struct Band {
    Array image;
    int64_t top = 0, rows = 0;
};

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

// Computes the bands of a segment: on the CPU one after another, on a GPU three at a time.
class Computation {
public:
    // `memory`: bytes for all bands. Errors: device; memory.
    Computation(const BandSegment &segment, const PipelineCall &call, double memory)
        : segment_(segment), call_(call) {
        call_.alpha = segment.has_alpha;
        call_.steps = nullptr;
        call_.progress = {};
        call_.pinned = false;
        if (!call_.device) {
            const Array band = band_without_elements(segment, rows_of_band(segment, memory, at_a_time_));
            call_.device = first_pipeline().choose_device({&band, 1}, call_);
        }
        if (call_.device->backend != Backend::cpu && least_memory(segment, bands_of_gpu) <= memory) {
            at_a_time_ = bands_of_gpu;
            call_.pinned = call_.device->backend == Backend::cuda;
            stream_.emplace(*call_.device, bands_of_gpu.computed);
        }
        rows_ = rows_of_band(segment, memory, at_a_time_);
    }

    // Of the result per band.
    int64_t rows() const {
        return rows_;
    }
    Device device() const {
        return *call_.device;
    }
    // Of the last band. To be asked when all of them are there.
    const std::vector<Statistics> &statistics() const {
        return statistics_;
    }

    // Memory for rows of the image.
    Array image(int64_t rows) const {
        return (call_.pinned ? Array::pinned : Array::uninitialized)(
            segment_.type, with_rows(segment_.shape, rows), Array::padded);
    }

    // Begins to compute rows of the result, which get() returns when they are on the host.
    std::future<Array> start(Band band) {
        if (stream_) {
            return stream_->start([this, band = std::move(band)](const Call &) { return computed(band); });
        }
        std::promise<Array> result;
        result.set_value(computed(band));
        return result.get_future();
    }

private:
    const Pipeline &first_pipeline() const {
        return segment_.local.stages().empty() ? segment_.last : segment_.local;
    }

    Array computed(const Band &band) {
        std::vector<Statistics> statistics;
        Array image = band.image;
        if (!segment_.local.stages().empty()) {
            image = run(segment_.local, image, statistics).crop(band.top, 0, band.rows, segment_.shape[1]);
        }
        if (!segment_.last.stages().empty()) {
            image = run(segment_.last, image, statistics);
        }
        image.sync();
        const std::lock_guard lock(mutex_);
        statistics_ = std::move(statistics);
        return image;
    }

    Array run(const Pipeline &pipeline, const Array &image, std::vector<Statistics> &statistics) const {
        std::vector<Statistics> of_stages;
        PipelineCall call = call_;
        call.statistics = &of_stages;
        Array output;
        pipeline(image, output, call);
        statistics.insert(statistics.end(), of_stages.begin(), of_stages.end());
        return output;
    }

    const BandSegment &segment_;
    PipelineCall call_;
    BandsAtATime at_a_time_ = bands_of_cpu;
    int64_t rows_ = 0;
    std::mutex mutex_;  // of what follows
    std::vector<Statistics> statistics_;
    std::optional<Stream> stream_;  // ends before what its calls use
};

void read_bands(
    RowSource &source, const BandSegment &segment, const Computation &computation, BandQueue<Band> &to) {
    const int64_t rows = computation.rows(), h = segment.shape[0], w = segment.shape[1];
    int64_t read = 0;
    Array last;  // the rows that the next band has too
    for (int64_t y = 0; y < h; y += rows) {
        const int64_t n = std::min(rows, h - y), begin = std::max<int64_t>(0, y - segment.halo),
                      end = std::min(h, y + n + segment.halo), known = read - begin;
        Array image = computation.image(end - begin);
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

// Takes the bands that `computed` gives, in their order, to the sink. `is_whole`: whether they were all, when
// there are no more.
void write_bands(BandQueue<std::future<Array>> &computed, const BandSegment &segment, const bool &is_whole,
    RowSink &sink) {
    Sums sums;
    while (std::optional<std::future<Array>> part = computed.pop()) {
        const Array rows = part->get();
        segment.bands == Bands::sums ? sums.add(rows) : sink.write(rows);
    }
    if (segment.bands == Bands::sums && is_whole) {
        sink.write(sums.as(segment.result_type, segment.result_shape));
    }
}

// One pass over the image. `done`: asked with the part of the pass.
void run_segment(RowSource &source, RowSink &sink, const BandSegment &segment, Computation &computation,
    const std::function<void(double)> &done) {
    BandQueue<Band> read;
    BandQueue<std::future<Array>> computed;
    sink.begin(segment.result_type, segment.result_shape);
    {
        int64_t y = 0;
        bool is_whole = false;
        BandThread reader(read, [&] { read_bands(source, segment, computation, read); });
        BandThread writer(computed, [&] { write_bands(computed, segment, is_whole, sink); });
        const BandQueue<Band>::CloseAtEnd close_read(read);
        const BandQueue<std::future<Array>>::CloseAtEnd close_computed(computed);
        bool is_taken = true;
        for (std::optional<Band> band; is_taken && (band = read.pop());) {
            y += band->rows;
            is_taken = computed.push(computation.start(*std::exchange(band, std::nullopt)));
            done((double)y / (double)segment.shape[0]);
        }
        is_whole = y == segment.shape[0];
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

BandsNeeded needed_for(const BandSegments &segments) {
    const BandSegment &last = segments.all.back();
    return {last.result_type, last.result_shape, least_memory(segments), segments.bytes, segments.why_not};
}

}  // namespace

BandsNeeded bands_needed(
    Type type, const std::vector<int64_t> &shape, const Pipeline &pipeline, const PipelineCall &call) {
    return needed_for(segments_of(type, shape, pipeline, call.alpha));
}

std::string BandsNeeded::why_not_within(int64_t memory) const {
    return !why_not.empty() ?
               fmt::format(
                   "{}; without a limit of memory it takes about {}", why_not, in_bytes(whole_memory)) :
           least_memory > (double)memory ?
               fmt::format("{} bytes are too few for one band; {} would do", memory, in_bytes(least_memory)) :
               "";
}

BandsDone process(
    RowSource &source, RowSink &sink, const Pipeline &pipeline, const BandOptions &options) try {
    const BandSegments segments = segments_of(source.type(), source.shape(), pipeline, options.call.alpha);
    if (const std::string why_not = needed_for(segments).why_not_within(options.memory); !why_not.empty()) {
        throw Error(Fault::usage, why_not, {.operation = "process", .argument = "memory"});
    }
    BandsDone all;
    std::vector<Statistics> statistics;
    std::unique_ptr<BandScratch> scratch;
    for (size_t i = 0; i < segments.all.size(); i++) {
        const BandSegment &segment = segments.all[i];
        const std::unique_ptr<BandScratch> from = std::move(scratch);
        const bool is_kept = segment.bands == Bands::columns;
        scratch = is_kept ? std::make_unique<BandScratch>(options.scratch) : nullptr;
        Computation computation(segment, options.call, (double)options.memory);
        // What a transpose makes is read back: that is half of the work.
        const auto count =
            (double)(segments.all.size() + (segments.all.back().bands == Bands::columns ? 1 : 0));
        run_segment(from ? *from : source, is_kept ? static_cast<RowSink &>(*scratch) : sink, segment,
            computation, [&](double part) {
                if (options.call.progress && !options.call.progress(((double)i + part) / count)) {
                    throw Error(Fault::cancelled, "the call was cancelled", {.operation = "process"});
                }
            });
        all.device = computation.device();
        all.rows = i == 0 ? computation.rows() : all.rows;
        all.bands += (segment.shape[0] + computation.rows() - 1) / computation.rows();
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
