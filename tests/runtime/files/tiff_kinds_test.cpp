// TIFF files as other programs write them: both byte orders, planes, tiles, palettes, few bits, multiplied
// alpha. The files are made here byte by byte, because our own writer makes one kind only.
#include "tests/runtime/files/files_test.h"
#include "tests/support/arrays.h"
#include <map>

namespace tilewright {
namespace {

using Shorts = std::vector<uint16_t>;

// A file of one picture without compression. Source: TIFF 6.0, section 2.
class TiffFile {
public:
    TiffFile(bool big_endian, int64_t h, int64_t w, int bits, int samples, int photometric)
        : big_endian_(big_endian) {
        tags = {{256, {(uint16_t)w}}, {257, {(uint16_t)h}}, {258, Shorts((size_t)samples, (uint16_t)bits)},
            {259, {1}}, {262, {(uint16_t)photometric}}, {277, {(uint16_t)samples}}, {278, {(uint16_t)h}}};
    }

    // With one strip or tile per block of samples.
    Bytes with(const std::vector<Shorts> &blocks) const {
        std::map<int, Shorts> all = tags;
        const bool is_tiled = all.contains(322);
        Bytes file = big_endian_ ? Bytes{'M', 'M', 0, 42} : Bytes{'I', 'I', 42, 0};
        put(file, 0, 4);
        for (const Shorts &block : blocks) {
            all[is_tiled ? 324 : 273].push_back((uint16_t)file.size());
            for (const uint16_t sample : block) {
                put(file, sample, tags.at(258)[0] == 16 ? 2 : 1);
            }
            all[is_tiled ? 325 : 279].push_back((uint16_t)(file.size() - all[is_tiled ? 324 : 273].back()));
        }
        file.resize(file.size() + file.size() % 2);
        Bytes directory_at;
        put(directory_at, file.size(), 4);
        std::copy(directory_at.begin(), directory_at.end(), file.begin() + 4);
        Bytes further;
        const size_t further_at = file.size() + 2 + 12 * all.size() + 4;
        put(file, all.size(), 2);
        for (const auto &[tag, values] : all) {
            Bytes bytes;
            for (const uint16_t value : values) {
                put(bytes, value, 2);
            }
            put(file, (uint64_t)tag, 2);
            put(file, 3, 2);  // of 16 bits each
            put(file, values.size(), 4);
            if (bytes.size() > 4) {
                put(file, further_at + further.size(), 4);
                further.insert(further.end(), bytes.begin(), bytes.end());
            } else {
                bytes.resize(4);
                file.insert(file.end(), bytes.begin(), bytes.end());
            }
        }
        put(file, 0, 4);
        file.insert(file.end(), further.begin(), further.end());
        return file;
    }

    std::map<int, Shorts> tags;

private:
    void put(Bytes &to, uint64_t value, int bytes) const {
        for (int i = 0; i < bytes; i++) {
            to.push_back((uint8_t)(value >> 8 * (big_endian_ ? bytes - 1 - i : i)));
        }
    }

    bool big_endian_;
};

class TiffKinds : public FilesTest, public testing::WithParamInterface<bool> {
protected:
    static constexpr int64_t h = 5, w = 7;

    void SetUp() override {
        try {
            check_kind(FileKind::tiff, Type::u8, {1, 1});
        } catch (const Error &) {
            GTEST_SKIP() << "this build reads no TIFF";
        }
    }

    TiffFile file(int bits, int samples, int photometric) const {
        return {GetParam(), h, w, bits, samples, photometric};
    }

    Array read(const TiffFile &tiff, const std::vector<Shorts> &blocks) {
        write_bytes(folder.file("a.tif"), tiff.with(blocks));
        return read_array(folder.file("a.tif"));
    }

    // Sample c of the pixel (y, x) of every picture here.
    static uint16_t sample(int64_t y, int64_t x, int64_t c = 0) {
        return (uint16_t)(31 * y + 7 * x + 90 * c);
    }

    template<typename Make>
    static Shorts samples(int64_t rows, int64_t row, const Make &make) {
        Shorts all;
        for (int64_t y = 0; y < rows; y++) {
            for (int64_t x = 0; x < row; x++) {
                all.push_back(make(y, x));
            }
        }
        return all;
    }

    template<typename T, typename Make>
    static void expect_pixels(const Array &image, std::vector<int64_t> shape, const Make &make) {
        ASSERT_EQ(image.shape(), shape);
        const int64_t channels = shape.size() == 3 ? shape[2] : 1;
        for (int64_t y = 0; y < shape[0]; y++) {
            for (int64_t x = 0; x < shape[1] * channels; x++) {
                ASSERT_EQ(row_of<T>(image, y)[x], (T)make(y, x / channels, x % channels)) << y << ", " << x;
            }
        }
    }
};

TEST_P(TiffKinds, PlanesBecomePixels) {
    TiffFile tiff = file(8, 3, 2);
    tiff.tags[284] = {2};
    std::vector<Shorts> planes;
    for (int c = 0; c < 3; c++) {
        planes.push_back(samples(h, w, [c](int64_t y, int64_t x) { return sample(y, x, c) & 255; }));
    }
    expect_pixels<uint8_t>(read(tiff, planes), {h, w, 3}, sample);
}

TEST_P(TiffKinds, TilesBecomeOnePicture) {
    TiffFile tiff(GetParam(), 20, 40, 16, 1, 1);
    tiff.tags.erase(278);
    tiff.tags[322] = {32};
    tiff.tags[323] = {16};
    std::vector<Shorts> tiles;
    for (const int64_t y0 : {0, 16}) {
        for (const int64_t x0 : {0, 32}) {
            tiles.push_back(samples(16, 32, [=](int64_t y, int64_t x) { return sample(y0 + y, x0 + x); }));
        }
    }
    expect_pixels<uint16_t>(read(tiff, tiles), {20, 40}, sample);
}

TEST_P(TiffKinds, APaletteBecomesItsColours) {
    TiffFile tiff = file(8, 1, 3);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 256; i++) {
            tiff.tags[320].push_back((uint16_t)(257 * ((i * (c + 2)) & 255)));
        }
    }
    const Shorts indices = samples(h, w, [](int64_t y, int64_t x) { return sample(y, x) & 255; });
    expect_pixels<uint8_t>(read(tiff, {indices}), {h, w, 3},
        [](int64_t y, int64_t x, int64_t c) { return (sample(y, x) & 255) * (c + 2); });
}

TEST_P(TiffKinds, WhereZeroIsWhiteItBecomes255) {
    const Shorts grey = samples(h, w, [](int64_t y, int64_t x) { return sample(y, x) & 255; });
    expect_pixels<uint8_t>(read(file(8, 1, 0), {grey}), {h, w},
        [](int64_t y, int64_t x, int64_t) { return 255 - (sample(y, x) & 255); });
    const Shorts rows(h, 0xa4);  // seven pixels in the upper bits of a byte: 1 0 1 0 0 1 0
    expect_pixels<uint8_t>(read(file(1, 1, 0), {rows}), {h, w},
        [](int64_t, int64_t x, int64_t) { return 0xa4 >> (7 - x) & 1 ? 0 : 255; });
}

TEST_P(TiffKinds, MultipliedAlphaIsDivided) {
    TiffFile tiff = file(8, 4, 2);
    tiff.tags[338] = {1};
    const Shorts half = samples(h, w * 4, [](int64_t, int64_t i) { return i % 4 == 3 ? 128 : 64; });
    expect_pixels<uint8_t>(read(tiff, {half}), {h, w, 4}, [](int64_t, int64_t, int64_t) { return 128; });
    EXPECT_TRUE(read_file(folder.file("a.tif")).has_alpha);
}

// Alpha is what the file calls so; taken for alpha, another band would change the colours.
TEST_P(TiffKinds, SamplesThatAreNotAlphaAreRefused) {
    const auto refused = [&](int colours, const Shorts &kinds, int planar) {
        SCOPED_TRACE(testing::PrintToString(kinds) + " besides " + std::to_string(colours));
        const int count = colours + (int)std::max<size_t>(kinds.size(), 1);
        TiffFile tiff = file(8, count, colours == 1 ? 1 : 2);
        tiff.tags[284] = {(uint16_t)planar};
        if (!kinds.empty()) {
            tiff.tags[338] = kinds;
        }
        const Shorts band = samples(h, w, [](int64_t y, int64_t x) { return sample(y, x) & 255; });
        const Shorts pixels = samples(h, w * count, [](int64_t y, int64_t x) { return sample(y, x) & 255; });
        expect_error(Fault::input, "besides their colours, which", [&] {
            read(tiff, planar == 1 ? std::vector<Shorts>{pixels} : std::vector<Shorts>((size_t)count, band));
        });
    };
    for (const int planar : {1, 2}) {
        for (const int colours : {1, 3}) {
            for (const Shorts &kinds : {Shorts{}, {0}, {0, 2}, {2, 0}, {0, 1}, {1, 2}, {0, 0, 2}}) {
                refused(colours, kinds, planar);
            }
        }
    }
    TiffFile palette = file(8, 2, 3);
    palette.tags[320] = Shorts(768);
    palette.tags[338] = {2};
    expect_error(Fault::input, "1 sample besides", [&] { read(palette, {Shorts(h * w * 2)}); });
}

TEST_P(TiffKinds, AlphaIsKeptWhereTheFileCallsItSo) {
    for (const int colours : {1, 3}) {
        TiffFile tiff = file(8, colours + 1, colours == 1 ? 1 : 2);
        tiff.tags[338] = {2};
        const int64_t channels = colours + 1;
        const Shorts pixels = samples(h, w * channels,
            [&](int64_t y, int64_t x) { return sample(y, x / channels, x % channels) & 255; });
        expect_pixels<uint8_t>(read(tiff, {pixels}), {h, w, channels}, sample);
        EXPECT_TRUE(read_file(folder.file("a.tif")).has_alpha);
        tiff.tags[284] = {2};
        std::vector<Shorts> planes;
        for (int c = 0; c < channels; c++) {
            planes.push_back(samples(h, w, [c](int64_t y, int64_t x) { return sample(y, x, c) & 255; }));
        }
        expect_pixels<uint8_t>(read(tiff, planes), {h, w, channels}, sample);
        EXPECT_TRUE(read_file(folder.file("a.tif")).has_alpha);
    }
}

TEST_P(TiffKinds, OrientationIsApplied) {
    TiffFile tiff = file(8, 1, 1);
    tiff.tags[274] = {6};
    const Shorts grey = samples(h, w, [](int64_t y, int64_t x) { return sample(y, x) & 255; });
    expect_pixels<uint8_t>(
        read(tiff, {grey}), {w, h}, [](int64_t y, int64_t x, int64_t) { return sample(h - 1 - x, y); });
}

// As the EXIF data of a JPEG that say so.
TEST_P(TiffKinds, AnUnknownOrientationIsNone) {
    const Shorts grey = samples(h, w, [](int64_t y, int64_t x) { return sample(y, x) & 255; });
    for (const uint16_t orientation : {0, 9, 65535}) {
        TiffFile tiff = file(8, 1, 1);
        tiff.tags[274] = {orientation};
        expect_pixels<uint8_t>(read(tiff, {grey}), {h, w}, sample);
        EXPECT_EQ(read_file(folder.file("a.tif")).orientation, 1);
    }
}

// Such files are whole, and other programs read them.
TEST_P(TiffKinds, OtherNumbersOfBitsAreNotCalledBroken) {
    for (const int bits : {3, 10, 12, 14, 24, 32, 64}) {
        const std::string line =
            expect_error(Fault::input, "its samples have " + std::to_string(bits) + " bits",
                [&] { read(file(bits, 1, 1), {Shorts(h * w * 8)}); });
        EXPECT_EQ(line.find("broken"), std::string::npos) << line;
    }
    const std::string line =
        expect_error(Fault::input, "kind of colours", [&] { read(file(8, 1, 9), {Shorts(h * w)}); });
    EXPECT_EQ(line.find("broken"), std::string::npos) << line;
}

TEST_P(TiffKinds, AFailingDiskIsCalledSo) {
    const Bytes bytes = file(8, 1, 1).with({Shorts(h * w)});
    write_bytes(folder.file("a.tif"), bytes);
    int64_t failed = 0;
    for (; failed < 100; failed++) {
        refusing_system::was_refused = false;
        refusing_system::reads_until_failure = failed;
        std::string line;
        try {
            read_array(folder.file("a.tif"));
        } catch (const Error &error) {
            line = error.what();
        }
        refusing_system::reads_until_failure = -1;
        if (!refusing_system::was_refused) {
            EXPECT_EQ(line, "");
            break;
        }
        EXPECT_NE(line.find("Input/output error"), std::string::npos) << "read " << failed << ": " << line;
    }
    EXPECT_GT(failed, 2);
}

TEST_P(TiffKinds, OtherSamplesAreRefused) {
    TiffFile tiff = file(16, 1, 1);
    tiff.tags[339] = {2};  // signed
    const Shorts grey = samples(h, w, [](int64_t y, int64_t x) { return sample(y, x); });
    expect_error(Fault::input, "neither unsigned integers nor floats", [&] { read(tiff, {grey}); });
    tiff.tags[339] = {3};  // floats, of fewer than 32 bits
    expect_error(Fault::input, "of floats, it takes those of 32 bits", [&] { read(tiff, {grey}); });
    tiff.tags[339] = {1};
    tiff.tags[257] = {6000};  // more rows than the file has
    tiff.tags[278] = {6000};
    expect_error(Fault::input, "broken TIFF", [&] { read(tiff, {grey}); });
}

TEST_P(TiffKinds, HeadersThatContradictThemselvesAreRefused) {
    const auto refused = [&](const std::string &why, int tag, const Shorts &values) {
        SCOPED_TRACE(why);
        TiffFile tiff = file(8, 1, 1);
        if (values.empty()) {
            tiff.tags.erase(tag);
        } else {
            tiff.tags[tag] = values;
        }
        if (tag == 322) {
            tiff.tags[323] = values;
        }
        expect_error(Fault::input, why, [&] { read(tiff, {Shorts(h * w)}); });
    };
    refused("its header is not complete", 262, {});
    refused("does not know its compression (number 65000)", 259, {65000});
    refused("fewer samples than colours", 262, {2});
    refused("its header says that a tile has", 322, {60000});
}

// libtiff says of it that there is no memory for 0 elements.
TEST_P(TiffKinds, AHeaderWithoutEntriesIsBroken) {
    Bytes bytes = GetParam() ? Bytes{'M', 'M', 0, 42, 0, 0, 0, 8} : Bytes{'I', 'I', 42, 0, 8, 0, 0, 0};
    bytes.resize(64);
    write_bytes(folder.file("empty.tif"), bytes);
    expect_error(Fault::input, "broken TIFF", [&] { read_array(folder.file("empty.tif")); });
}

// libtiff warns of it, and reports no error.
TEST_P(TiffKinds, FaxDataThatEndTooEarlyAreBroken) {
    TiffFile tiff = file(8, 1, 1);
    tiff.tags[258] = {1};
    tiff.tags[259] = {3};  // group 3
    expect_error(Fault::input, "broken TIFF: Premature", [&] { read(tiff, {{0, 0}}); });
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, TiffKinds, testing::Bool());

}  // namespace
}  // namespace tilewright
