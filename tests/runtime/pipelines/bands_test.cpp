// Bands give the bytes of the whole image: every operator that works by bands, every type, colours and
// borders, from memory and from files; and what is refused or fails in the middle leaves nothing.
#include "tilewright/bands.h"
#include "runtime/arrays/copy.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/files.h"
#include "tests/support/operators.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using Shape = std::vector<int64_t>;
constexpr Device cpu = {};

// An image in memory, as a camera of the program's own would give it.
class Rows final : public RowSource {
public:
    explicit Rows(Array image) : image_(std::move(image)) {}

    Type type() const override {
        return image_.type();
    }
    Shape shape() const override {
        return image_.shape();
    }
    void read(Array &rows) override {
        const int64_t n = rows.shape()[0];
        if (fails_at >= 0 && row_ + n > fails_at) {
            throw std::runtime_error("the camera fell down");
        }
        most_rows = std::max(most_rows, n);
        copy(image_.crop(row_, 0, n, image_.shape()[1]), rows);
        row_ += n;
    }

    int64_t fails_at = -1, most_rows = 0;

private:
    const Array image_;
    int64_t row_ = 0;
};

// Keeps the bytes of a result without gaps.
class Kept final : public RowSink {
public:
    void begin(Type new_type, const Shape &new_shape) override {
        type = new_type;
        shape = new_shape;
    }
    void write(const Array &rows) override {
        append(rows);
        if (fails) {
            throw std::runtime_error("the socket was closed");
        }
    }
    void finish() override {
        is_finished = true;
    }
    void append(const Array &rows) {
        const int64_t n = rows.dimensions() == 1 ? 1 : rows.shape()[0];
        const auto size = size_of(rows.type());
        const auto row = (size_t)(rows.size() / n) * size;
        const auto *from = static_cast<const uint8_t *>(rows.data());
        for (int64_t y = 0; y < n; y++) {
            const uint8_t *at = from + (n == 1 ? 0 : y * rows.strides()[0] * (int64_t)size);
            bytes.insert(bytes.end(), at, at + row);
        }
    }

    Type type = Type::u8;
    Shape shape;
    std::vector<uint8_t> bytes;
    bool is_finished = false, fails = false;
};

Array image_of(Type type, const Shape &shape) {
    Array image(type, shape);
    if (type == Type::u8) {
        fill_random<uint8_t>(image);
    } else if (type == Type::u16) {
        fill_random<uint16_t>(image);
    } else {
        fill_random<float>(image);
    }
    return image;
}

class AllBands : public testing::Test {
protected:
    static void SetUpTestSuite() {
        for (const char *name : {"invert", "gaussian_blur", "transpose", "row_sum", "column_sum"}) {
            const auto &all = operators();
            has_all_ &= std::ranges::any_of(all, [&](const Operator *op) { return op->name() == name; });
        }
    }
    void SetUp() override {
        if (!has_all_) {
            GTEST_SKIP() << "this build has not all operators that work by bands";
        }
    }

    // With bands of one row, of a few, and of all: the bytes of the whole image on the CPU.
    static void expect_same(
        const std::string &stages, const Array &image, bool has_alpha = false, Device device = cpu) {
        const Pipeline pipeline(stages);
        const PipelineCall call = {.device = device, .alpha = has_alpha};
        Array expected;
        pipeline(image, expected, {.device = cpu, .alpha = has_alpha});
        Kept whole;
        whole.append(expected);
        const BandsNeeded needed = bands_needed(image.type(), image.shape(), pipeline, call);
        ASSERT_EQ(needed.why_not, "") << stages;
        EXPECT_EQ(needed.type, expected.type());
        EXPECT_EQ(needed.shape, expected.shape());
        for (const double factor : {1., 1.5, 6., 1000.}) {
            Rows source(image);
            Kept result;
            const BandsDone done = process(source, result, pipeline,
                {.memory = (int64_t)(needed.least_memory * factor) + 1, .call = call});
            const std::string of =
                fmt::format("{} of {}, {} rows, {}", stages, image.describe(), done.rows, device.str());
            EXPECT_EQ(done.device.str(), device.str());
            EXPECT_TRUE(result.is_finished) << of;
            EXPECT_EQ(result.type, expected.type()) << of;
            EXPECT_EQ(result.shape, expected.shape()) << of;
            EXPECT_TRUE(result.bytes == whole.bytes) << of;
            EXPECT_TRUE(factor > 1 || stages.find("transpose") != stages.npos || done.rows == 1) << of;
        }
    }

private:
    static inline bool has_all_ = true;
};

TEST_F(AllBands, HaveTheBytesOfTheWholeImage) {
    for (const Type type : {Type::u8, Type::u16}) {
        const Array grey = image_of(type, {71, 53}), colours = image_of(type, {37, 29, 3});
        for (const char *border : {"reflect", "mirror", "nearest", "zero"}) {
            const std::string blur = fmt::format("gaussian_blur sigma=1.3 border={}", border);
            expect_same(blur, grey);
            expect_same(blur, colours);
        }
        expect_same("gaussian_blur sigma=30", grey);  // the halo is larger than the image
        expect_same("transpose", grey);
        expect_same("transpose", colours);
        for (const char *sum : {"row_sum", "column_sum"}) {
            for (const char *of : {"u32", "u64", "f32", "f64"}) {
                expect_same(fmt::format("{} output-type={}", sum, of), grey);
            }
        }
        expect_same("gaussian_blur sigma=1.3", image_of(type, {41, 31, 4}), true);
        expect_same("transpose", image_of(Type::f32, {150, 70}));
    }
    expect_same("invert", image_of(Type::u8, {71, 53}));
    expect_same("invert", image_of(Type::u8, {37, 29, 4}), true);
}

TEST_F(AllBands, OfPipelinesHaveTheSumOfAllHalos) {
    const Array image = image_of(Type::u8, {90, 67});
    expect_same("gaussian_blur sigma=1 | invert | gaussian_blur sigma=2 border=zero", image);
    expect_same("gaussian_blur sigma=1 | transpose | gaussian_blur sigma=2 | transpose | invert", image);
    expect_same("transpose | gaussian_blur sigma=1 | column_sum", image);
    expect_same("gaussian_blur sigma=1 | row_sum", image);
    expect_same("gaussian_blur sigma=1 | transpose", image_of(Type::u16, {40, 33, 4}), true);
}

// Where several of them are under way at a time.
TEST_F(AllBands, OnOtherDevicesHaveTheSameBytes) {
    compile_quickly_on_pocl();
    int others = 0;
    for (const Device device : usable_devices()) {
        if (device.backend == Backend::cpu) {
            continue;
        }
        others++;
        const Array grey = image_of(Type::u8, {203, 157});
        expect_same("gaussian_blur sigma=2", grey, false, device);
        expect_same("transpose | invert", grey, false, device);
        expect_same("column_sum", grey, false, device);
        for (const bool is_source : {false, true}) {
            Rows source(grey);
            source.fails_at = is_source ? 150 : -1;
            Kept sink;
            sink.fails = !is_source;
            const Pipeline blur("gaussian_blur sigma=2");
            const int64_t memory = (int64_t)bands_needed(Type::u8, grey.shape(), blur).least_memory * 6;
            EXPECT_THROW(
                process(source, sink, blur, {.memory = memory, .call = {.device = device}}), std::exception);
            EXPECT_FALSE(sink.is_finished);
        }
    }
    if (others == 0) {
        GTEST_SKIP() << "not run here: no usable device but the CPU";
    }
}

TEST_F(AllBands, OfFilesMakeTheFilesOfWholeImages) {
    const TestFolder folder;
    const Pipeline pipeline("gaussian_blur sigma=1");
    for (const FileKind kind : {FileKind::png, FileKind::tiff, FileKind::npy, FileKind::jpeg}) {
        for (const Shape &shape : {Shape{61, 47}, Shape{45, 33, 3}}) {
            const std::string in = folder.file(std::string("in") + ending_of(kind)),
                              out = folder.file(std::string("out") + ending_of(kind)),
                              whole = folder.file(std::string("whole") + ending_of(kind));
            PngMetadata metadata;
            metadata.density = PngMetadata::Density{300, 200, true};
            write_array(in, image_of(Type::u8, shape), metadata);
            const FileContents read = read_file(in);
            Array blurred;
            pipeline(read.array, blurred, {.device = cpu});
            write_array(whole, blurred, read.metadata);

            const auto source = rows_of_file(in);
            const auto sink = rows_to_file(out, kind, source->about().metadata);
            const int64_t memory = (int64_t)bands_needed(Type::u8, shape, pipeline).least_memory + 1;
            process(*source, *sink, pipeline, {.memory = memory, .call = {.device = cpu}});
            EXPECT_TRUE(read_bytes(out) == read_bytes(whole)) << in;
            const FileContents opened = rows_of_file(in)->whole();
            EXPECT_EQ(opened.kind, read.kind);
            EXPECT_EQ(opened.metadata.density.has_value(), read.metadata.density.has_value()) << in;
            EXPECT_TRUE(same_bytes(opened.array, read.array)) << in;
        }
    }
}

TEST_F(AllBands, ThatFailLeaveTheOlderFile) {
    const TestFolder folder;
    const std::string out = folder.file("out.tif");
    const Pipeline pipeline("gaussian_blur sigma=1");
    const Array image = image_of(Type::u8, {500, 300});
    write_array(out, image_of(Type::u8, {3, 4}));
    const Bytes before = read_bytes(out);
    const int64_t memory = (int64_t)bands_needed(Type::u8, image.shape(), pipeline).least_memory * 2;
    {
        Rows source(image);
        source.fails_at = 250;
        const auto sink = rows_to_file(out, FileKind::tiff);
        EXPECT_THROW(process(source, *sink, pipeline, {.memory = memory}), std::exception);
        EXPECT_LT(source.most_rows, 100);
    }
    {
        Rows source(image);
        Kept sink;
        sink.fails = true;
        EXPECT_THROW(process(source, sink, pipeline, {.memory = memory}), std::exception);
        EXPECT_FALSE(sink.is_finished);
    }
    {
        Rows source(image);
        const auto sink = rows_to_file(out, FileKind::tiff);
        BandOptions options = {.memory = memory};
        options.call.progress = [](double done) { return done < .5; };
        expect_error(Fault::cancelled, "cancelled", [&] { process(source, *sink, pipeline, options); });
    }
    EXPECT_TRUE(read_bytes(out) == before);
    EXPECT_EQ(folder.names(), Names{"out.tif"});
}

// A program may call these itself. What it gets wrong is no file, and reads and writes no other memory.
TEST_F(AllBands, OfAFileAreItsOwn) {
    const TestFolder folder;
    const std::string in = folder.file("in.npy");
    const Array image = image_of(Type::u8, {10, 30}), few = image.crop(0, 0, 4, 30);
    write_array(in, image);
    for (const FileKind kind :
        {FileKind::png, FileKind::jpeg, FileKind::tiff, FileKind::npy, FileKind::csv}) {
        const auto sink = rows_to_file(folder.file("out"), kind);
        expect_error(Fault::usage, "begin() was not called", [&] { sink->write(few); });
        expect_error(Fault::usage, "begin() was not called", [&] { sink->finish(); });
        sink->begin(Type::u8, {10, 30});
        sink->write(few);
        sink->write(few);
        for (const Array &other : {few, image_of(Type::u8, {2, 29}), image_of(Type::u16, {2, 30}),
                 image_of(Type::u8, {2, 30, 3}), Array()}) {
            expect_error(Fault::usage, "not the next rows of u8 (10, 30), of which 2 are left",
                [&] { sink->write(other); });
        }
        expect_error(Fault::usage, "2 rows are missing", [&] { sink->finish(); });
    }
    EXPECT_EQ(folder.names(), Names{"in.npy"});
    const auto source = rows_of_file(in);
    Array rows(Type::u8, {6, 30});
    source->read(rows);
    for (Array other : {rows, Array(Type::u8, {2, 31}), Array(Type::u16, {2, 30}), Array()}) {
        expect_error(Fault::usage, "not the next rows of u8 (10, 30), of which 4 are left",
            [&] { source->read(other); });
    }
    Array last(Type::u8, {4, 30});
    source->read(last);
    EXPECT_TRUE(same_bytes(last, image.crop(6, 0, 4, 30)));
    const auto whole = rows_of_file(in);
    EXPECT_TRUE(same_bytes(whole->whole().array, image));
    EXPECT_EQ(whole->shape(), image.shape());
    expect_error(Fault::usage, "once; open it again", [&] { whole->read(rows); });
    expect_error(Fault::usage, "once; open it again", [&] { whole->whole(); });
}

TEST_F(AllBands, AreOfImagesAlone) {
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {5}, {2, 3, 4, 5}}) {
        expect_error(Fault::input, "takes one image, (h, w) or (h, w, c)",
            [&] { bands_needed(Type::u8, shape, Pipeline("gaussian_blur")); });
    }
}

TEST_F(AllBands, OfAFileThatEndsTooEarlyAreRefused) {
    const TestFolder folder;
    const std::string in = folder.file("in.png");
    write_array(in, image_of(Type::u8, {300, 200}));
    Bytes bytes = read_bytes(in);
    bytes.resize(bytes.size() / 2);
    write_bytes(in, bytes);
    const auto source = rows_of_file(in);
    const auto sink = rows_to_file(folder.file("out.png"), FileKind::png);
    expect_error(Fault::input, "in.png",
        [&] { process(*source, *sink, Pipeline("gaussian_blur sigma=1"), {.memory = 100000}); });
    EXPECT_EQ(folder.names(), Names{"in.png"});
}

TEST_F(AllBands, SayTheMemoryThatTheyNeed) {
    Rows source(image_of(Type::u8, {500, 3000}));
    Kept sink;
    expect_error(Fault::usage, "1M would do",
        [&] { process(source, sink, Pipeline("gaussian_blur sigma=3"), {.memory = 1000}); });
    expect_error(Fault::usage, "gets a vector",
        [&] { process(source, sink, Pipeline("column_sum | invert"), {.memory = 1 << 30}); });
    Rows colours(image_of(Type::u8, {40, 6, 3}));
    expect_error(Fault::usage, "transpose gets sums of the whole image",
        [&] { process(colours, sink, Pipeline("row_sum | transpose"), {.memory = 1 << 30}); });
    EXPECT_TRUE(sink.bytes.empty());
}

}  // namespace
}  // namespace tilewright
