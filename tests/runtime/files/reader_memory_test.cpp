// What readers take of memory, and of time: no more than the limits say, whatever a file claims. Each file is
// read in a process of its own, whose largest resident size is asked for.
#include "tests/runtime/files/files_test.h"
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace tilewright {
namespace {

constexpr int64_t mib = int64_t(1) << 20;

Bytes big_endian(int64_t value, int bytes) {
    Bytes all;
    for (int i = bytes - 1; i >= 0; i--) {
        all.push_back((uint8_t)(value >> 8 * i));
    }
    return all;
}

Bytes joined(const std::vector<Bytes> &parts) {
    Bytes all;
    for (const Bytes &part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

// A segment of a JPEG.
Bytes segment(uint8_t marker, const Bytes &content) {
    return joined({{0xff, marker}, big_endian((int64_t)content.size() + 2, 2), content});
}

// A JPEG whose codes are as short as can be: a bit 0 is a block, or, in a scan of a progressive file, the end
// of many. Source: ISO/IEC 10918-1, annexes B and C.
struct Jpeg {
    int64_t side;
    int channels = 1;
    bool is_progressive = false;

    Bytes header() const {
        Bytes frame = joined({{8}, big_endian(side, 2), big_endian(side, 2), {(uint8_t)channels}});
        for (int c = 1; c <= channels; c++) {
            frame.insert(frame.end(), {(uint8_t)c, 0x11, 0});
        }
        const auto code = [](uint8_t kind, uint8_t symbol) {
            Bytes table = {kind, 1};
            table.resize(17);
            table.push_back(symbol);
            return segment(0xc4, table);
        };
        Bytes quantization(65, 1);
        quantization[0] = 0;
        return joined({segment(0xdb, quantization), segment(is_progressive ? 0xc2 : 0xc0, frame), code(0, 0),
            code(0x10, is_progressive ? 0xe0 : 0)});
    }
    // The first one, of all channels; `share`: how much of it there is.
    Bytes scan(double share = 1) const {
        Bytes head = {(uint8_t)channels};
        for (int c = 1; c <= channels; c++) {
            head.insert(head.end(), {(uint8_t)c, 0});
        }
        head.insert(head.end(), {0, (uint8_t)(is_progressive ? 0 : 63), 0});
        const int64_t blocks = (side + 7) / 8 * ((side + 7) / 8) * channels,
                      bytes = blocks * (is_progressive ? 1 : 2) / 8;
        return joined({segment(0xda, head), Bytes((size_t)((double)bytes * share) + 2)});
    }
    // One more of a progressive file, of the first channel.
    Bytes further_scan() const {
        const int64_t blocks = (side + 7) / 8 * ((side + 7) / 8), runs = (blocks >> 14) + 1;
        return joined({segment(0xda, {1, 1, 0, 1, 63, 0}), Bytes((size_t)(runs * 15 / 8 + 2))});
    }
    Bytes with(const std::vector<Bytes> &before, const std::vector<Bytes> &scans) const {
        return joined({{0xff, 0xd8}, joined(before), header(), joined(scans), {0xff, 0xd9}});
    }
    Bytes whole() const {
        return with({}, {scan()});
    }
};

Bytes exif(uint8_t orientation) {
    Bytes text = bytes_of(std::string("Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0", 25));
    text.insert(text.end(), {orientation, 0, 0});
    return segment(0xe1, text);
}

// A TIFF of one strip, or tile of `tile` x `tile` samples, with as many bytes as it says, all 0.
Bytes tiff(
    int64_t w, int64_t h, int photometric, int samples, int64_t tile, int64_t bytes, int compression = 1) {
    std::vector<std::array<int64_t, 2>> tags = {
        {256, w}, {257, h}, {258, 8}, {259, compression}, {262, photometric}, {277, samples}};
    if (samples == 4) {
        tags[2][1] = 0;  // four times 8 do not fit: at the end
    }
    tags.insert(tags.end(),
        tile > 0 ? std::initializer_list<std::array<int64_t, 2>>{{322, tile}, {323, tile}, {324, 200},
                       {325, bytes}} :
                   std::initializer_list<std::array<int64_t, 2>>{{273, 200}, {278, h}, {279, bytes}});
    std::sort(tags.begin(), tags.end());
    Bytes file = joined({{'M', 'M', 0, 42, 0, 0, 0, 8}, big_endian((int64_t)tags.size(), 2)});
    for (const auto &[tag, value] : tags) {
        const bool is_apart = tag == 258 && samples == 4;
        const Bytes entry = joined({big_endian(tag, 2), {0, (uint8_t)(is_apart ? 3 : 4)},
            big_endian(is_apart ? 4 : 1, 4), big_endian(is_apart ? 192 : value, 4)});
        file.insert(file.end(), entry.begin(), entry.end());
    }
    file.resize(192);
    file.insert(file.end(), {0, 8, 0, 8, 0, 8, 0, 8});
    file.resize(200 + (size_t)bytes);
    constexpr int packbits = 32773;
    for (size_t at = 200; compression == packbits && at < file.size(); at += 129) {
        file[at] = 127;  // 128 bytes follow
    }
    return file;
}

std::string repeated(const std::string &text, int64_t bytes) {
    std::string all;
    while ((int64_t)all.size() < bytes) {
        all += text;
    }
    return all;
}

class ReaderMemory : public FilesTest {
protected:
    static long peak() {  // in KiB
        rusage usage = {};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    }

    // The MiB that reading the file takes at most; `is_read` receives whether it was not refused.
    double most_of(const std::string &path, const FileLimits &limits, bool &is_read) {
        const std::string result = folder.file("result");
        const int status = in_child([&] {
            const long before = peak();
            bool is_whole = true, is_right = true;
            try {
                read_file(path, limits);
            } catch (const Error &error) {
                is_whole = false;
                is_right = error.fault() == Fault::input;
            }
            std::ofstream(result) << (double)(peak() - before) / 1024 << " " << is_whole;
            _exit(is_right ? 0 : 1);
        });
        EXPECT_EQ(status, 0) << path;
        double most = -1;
        std::ifstream(result) >> most >> is_read;
        return most;
    }

    // The file is made in a process of its own too, which leaves no free memory behind.
    void expect_within(const std::string &name, bool is_taken, const std::function<Bytes()> &make) {
        SCOPED_TRACE(name);
        const std::string path = folder.file(name);
        ASSERT_EQ(in_child([&] { write_bytes(path, make()); }), 0);
        bool is_read = false;
        EXPECT_LE(most_of(path, limits, is_read), limit + constant);
        EXPECT_EQ(is_read, is_taken);
        fs::remove(path);
    }

    void SetUp() override {
        if (!refusing_system::can_refuse_memory) {
            GTEST_SKIP() << "not run here: a sanitizer takes memory of its own";
        }
        limits.png.bytes = limits.npy.bytes = (int64_t)limit * mib;
        limits.png.side = 1 << 22;
    }

    // In MiB: the limit of the tests, and what a reader may take besides (of metadata 17).
    static constexpr double limit = 64, constant = 32;
    FileLimits limits;
};

bool reads(const char *name) {
    try {
        check_kind(*kind_of_name(name), Type::u8, {1, 1});
        return true;
    } catch (const Error &) {
        return false;
    }
}

TEST_F(ReaderMemory, OfJpegsIsWithinTheLimit) {
    if (!reads("a.jpg")) {
        GTEST_SKIP() << "this build reads no JPEG";
    }
    expect_within("grey.jpg", true, [] { return Jpeg{8000}.whole(); });
    expect_within("turned.jpg", false, [] { return Jpeg{8000}.with({exif(6)}, {Jpeg{8000}.scan()}); });
    expect_within("small_turned.jpg", true, [] { return Jpeg{5600}.with({exif(6)}, {Jpeg{5600}.scan()}); });
    expect_within("progressive.jpg", false, [] { return Jpeg{4600, 3, true}.whole(); });
    expect_within("small_progressive.jpg", true, [] { return Jpeg{2600, 3, true}.whole(); });
    // Four bytes of each of these blocks are the marker and the length.
    limits.png.profile_bytes = mib;
    expect_within("metadata.jpg", false,
        [] { return Jpeg{8}.with(std::vector<Bytes>(2000, segment(0xe1, Bytes(65500))), {Jpeg{8}.scan()}); });
}

TEST_F(ReaderMemory, OfTiffsIsWithinTheLimit) {
    if (!reads("a.tif")) {
        GTEST_SKIP() << "this build reads no TIFF";
    }
    expect_within("grey.tif", true, [] { return tiff(8000, 8000, 1, 1, 0, 64'000'000); });
    expect_within("tile.tif", false, [] { return tiff(5000, 5000, 1, 1, 9984, 1000); });
    expect_within("tiny.tif", false, [] { return tiff(16, 16, 1, 1, 1 << 16, 1000); });
    const auto printing = [](int64_t side) {
        return [side] { return tiff(side, side, 5, 4, 0, 4 * side * side / 128 * 129 + 129, 32773); };
    };
    expect_within("printing.tif", false, printing(2900));
    expect_within("small_printing.tif", true, printing(2000));
}

TEST_F(ReaderMemory, OfOtherFilesIsWithinTheLimit) {
    const auto narrow = [&](const char *name) {
        return [this, name] {
            write_array(folder.file(name), Array(Type::u8, {2 << 20, 1}, 0));
            return read_bytes(folder.file(name));
        };
    };
    expect_within("narrow.png", false, narrow("narrow.png"));
    expect_within("narrow.npy", false, narrow("narrow.npy"));
    expect_within("short.csv", true, [] { return bytes_of(repeated("0 ", 12 * mib)); });
    expect_within("longer.csv", false, [] { return bytes_of(repeated("0 ", 14 * mib)); });
    expect_within("columns.csv", true, [] { return bytes_of(repeated("0 0\n", 12 * mib)); });
    expect_within("comment.csv", true, [] { return bytes_of("1\n#" + std::string(60 * mib, ' ')); });
}

// The rest of a pipe is kept: a TIFF is not read from its beginning to its end.
TEST_F(ReaderMemory, OfAPipeIsWithinTheLimit) {
    if (!reads("a.tif")) {
        GTEST_SKIP() << "this build reads no TIFF";
    }
    const std::string path = folder.file("whole.tif");
    ASSERT_EQ(in_child([&] { write_bytes(path, tiff(7600, 7600, 1, 1, 0, 7600 * 7600)); }), 0);
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        dup2(ends[1], 1);
        execlp("cat", "cat", path.c_str(), nullptr);
        _exit(1);
    }
    close(ends[1]);
    bool is_read = true;
    EXPECT_LE(most_of("/dev/fd/" + std::to_string(ends[0]), limits, is_read), limit + constant);
    EXPECT_FALSE(is_read);
    close(ends[0]);
    waitpid(writer, nullptr, 0);
}

// Pixels that are never decoded are never written, and so take no memory: a JPEG is given up where its data
// end or are damaged.
TEST_F(ReaderMemory, OfABrokenJpegIsThatOfItsBeginning) {
    if (!reads("a.jpg")) {
        GTEST_SKIP() << "this build reads no JPEG";
    }
    const Jpeg jpeg{8000}, progressive{2600, 3, true};
    const Bytes ends_early = jpeg.with({}, {jpeg.scan(.01)});
    Bytes cut = jpeg.whole();
    cut.resize(cut.size() / 100);
    for (const Bytes &bytes : {ends_early, cut, progressive.with({}, {progressive.scan(.01)})}) {
        write_bytes(folder.file("broken.jpg"), bytes);
        bool is_read = true;
        EXPECT_LE(most_of(folder.file("broken.jpg"), limits, is_read), 12);
        EXPECT_FALSE(is_read);
    }
}

// Each scan takes the time of a whole picture, so that a large one may have fewer.
TEST_F(ReaderMemory, ScansOfAJpegAreBounded) {
    if (!reads("a.jpg")) {
        GTEST_SKIP() << "this build reads no JPEG";
    }
    const auto with_scans = [&](int64_t side, size_t count) {
        const Jpeg jpeg{side, 1, true};
        std::vector<Bytes> scans(count, jpeg.further_scan());
        scans[0] = jpeg.scan();
        write_bytes(folder.file("scans.jpg"), jpeg.with({}, scans));
        return [&] { read_file(folder.file("scans.jpg")); };
    };
    with_scans(64, 500)();
    expect_error(Fault::input, "more than 500 scans", with_scans(64, 501));
    expect_error(Fault::input, "more than 64 scans", with_scans(4096, 66));
}

}  // namespace
}  // namespace tilewright
