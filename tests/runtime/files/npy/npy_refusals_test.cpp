// .npy files that are refused: what we do not read, what is none, and damage.
#include "tests/runtime/files/npy/npy_samples.h"
#include <random>

namespace tilewright {
namespace {

TEST_F(NpyTest, RefusesWhatItDoesNotRead) {
    const Bytes data(64);
    auto header = [&](const std::string &descr, const std::string &shape) {
        return file_of(dictionary(descr, false, shape), data);
    };
    expect_refused(header("|O", "(8,)"), "Python objects");
    expect_refused(header("<i2", "(32,)"), "elements are int16 ('<i2'); save array.astype('float32')");
    expect_refused(header("<i8", "(8,)"), "elements are int64 ('<i8'); save array.astype('float32')");
    expect_refused(header("|b1", "(64,)"), "elements are bool ('|b1'); save array.astype('uint8')");
    expect_refused(header("|i1", "(64,)"), "elements are int8 ('|i1'); save array.astype('float32')");
    for (const char *descr : {"<c32", "<U4", "|S4", "<M8[ns]", "", "f", "f4", "=f4", "u1"}) {
        expect_refused(header(descr, "(8,)"), "its elements have type");
    }
    expect_refused(
        file_of("{'descr': [('a', '<f4'), ('b', '<u4')], 'fortran_order': False, 'shape': (8,), }", data),
        "records");
    expect_refused(header("<f4", "()"), "a single number");
    expect_refused(header("<f4", "(1, 1, 1, 1, 1, 1, 2, 2, 4)"), "it has 9 dimensions");
    expect_refused(file_of(dictionary("<f4", true, "(1, 2, 2, 4)"), data), "save numpy.ascontiguousarray");
    expect_refused(header("<f4", "(0,)"), "no elements");
    expect_refused(header("<f4", "(3, 0)"), "no elements: its shape is (3, 0)");
    expect_refused(
        header("<f4", "(17,)"), "ends too early: it has 64 bytes of elements where its shape (17,) takes 68");
    expect_refused(
        header("<f4", "(15,)"), "too long: it has 64 bytes of elements where its shape (15,) takes 60");
    expect_refused(header("<f4", "(3000000000,)"), "2^31 - 1");
    expect_refused(header("<f4", "(9223372036854775807,)"), "2^31 - 1");
    expect_refused(header("<f4", "(9223372036854775808,)"), "beyond 2^63");
    expect_refused(header("<f4", "(2147483647, 2147483647, 2147483647)"), "the limit is 68719476736 bytes");
    expect_refused(header("<f4", "(1048576, 8192)"), "ends too early");
}

TEST_F(NpyTest, RefusesWhatIsNoNpy) {
    expect_error(Fault::input, "No such file", [&] { read_npy(folder.file("absent.npy")); });
    expect_error(Fault::input, "it is a directory", [&] { read_npy(folder.path()); });
    expect_refused({}, "the file is empty");
    expect_refused({0x93}, "the file ends too early, after 1 bytes");
    expect_refused(bytes_of("1 2 3\n4 5 6\n"), "no .npy file");
    expect_refused(bytes_of("PK\x03\x04 and so on"), "no .npy file");
    Bytes good = file_of(dictionary("|u1", false, "(3,)"), {1, 2, 3});
    EXPECT_EQ(read(good).size(), 3);
    for (const auto &[at, value] : {std::pair(6, 0), {6, 4}, {6, 255}, {7, 1}}) {
        Bytes other = good;
        other[size_t(at)] = uint8_t(value);
        expect_refused(other, "and 1.0 to 3.0 are known");
    }
}

TEST_F(NpyTest, RefusesBrokenHeaders) {
    for (const std::string header : {
             "",
             "{",
             "{}",
             "}",
             "[]",
             "{'descr': '<f4'}",
             "{'descr': '<f4', 'fortran_order': False}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
             "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
             "{'descr': <f4, 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
         }) {
        SCOPED_TRACE(header);
        expect_refused(file_of(header, Bytes(4)), "its header is broken");
    }
    expect_refused(
        file_of(dictionary("<f4", false, "(1,)") + std::string(1, '\0'), Bytes(4)), "its header is broken");
}

TEST_F(NpyTest, LimitsCanBeSet) {
    Bytes bytes = file_of(dictionary("|u1", false, "(3,)"), {1, 2, 3}, 2);
    NpyLimits limits;
    limits.header_bytes = 116;
    limits.bytes = 3;
    EXPECT_EQ(read(bytes, limits).size(), 3);
    limits.bytes = 2;
    expect_refused(bytes, "the limit is 2 bytes", limits);
    limits.header_bytes = 115;
    expect_refused(bytes, "116 bytes long, and the limit is 115", limits);
    bytes[11] = 0xff;  // 4 GiB of header
    expect_refused(bytes, "the limit is 65536");
}

TEST_F(NpyTest, IsRefusedWhereverItIsCutOff) {
    for (const bool is_fortran : {false, true}) {
        const Bytes bytes =
            file_of(dictionary("<f4", is_fortran, "(5, 4)"), data_of<float>({5, 4}, is_fortran), 3);
        for (size_t length = 0; length < bytes.size(); length++) {
            expect_refused(Bytes(bytes.begin(), bytes.begin() + long(length)),
                length == 0 ? "empty" : "the file ends too early");
        }
    }
}

TEST_F(NpyTest, DamageIsAnErrorOrAnArray) {
    std::mt19937 random(2026);
    int read_well = 0, refused = 0;
    for (int round = 0; round < 10000; round++) {
        const bool is_fortran = round % 2 == 1;
        Bytes bytes = file_of(dictionary("<u2", is_fortran, "(5, 4, 3)"),
            data_of<uint16_t>({5, 4, 3}, is_fortran), 1 + round % 3);
        for (int damage = 0; damage < 1 + int(random() % 3); damage++) {
            const size_t at = random() % (random() % 4 == 0 ? bytes.size() : 80);
            switch (random() % 3) {
            case 0: bytes[at] = uint8_t(random()); break;
            case 1: bytes[at] = uint8_t("0123456789,()<>{}'uifcTrue"[random() % 26]); break;
            default: bytes[at] ^= uint8_t(1u << random() % 8);
            }
        }
        try {
            const Array array = read(bytes);
            ASSERT_GT(array.size(), 0);
            read_well++;
        } catch (const Error &error) {
            refused++;
            ASSERT_EQ(error.fault(), Fault::input) << error.what();
        }
    }
    EXPECT_GT(read_well, 100);
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace tilewright
