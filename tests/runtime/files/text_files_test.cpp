// Vectors and matrices as text.
#include "tests/runtime/files/files_test.h"
#include "tests/support/arrays.h"
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

class TextFiles : public FilesTest {
protected:
    Array read(const std::string &text, const std::string &name = "a.csv") {
        write_bytes(folder.file(name), bytes_of(text));
        return read_array(folder.file(name));
    }
};

TEST_F(TextFiles, HoldVectorsAndMatrices) {
    const Array vector = read("# heading\n1\r\n-2.5e3 # why\n\n+3\nnan\n-inf");
    ASSERT_EQ(vector.describe(), "f64 (5)");
    EXPECT_EQ(vector.at<double>({0}), 1);
    EXPECT_EQ(vector.at<double>({1}), -2500);
    EXPECT_EQ(vector.at<double>({2}), 3);
    EXPECT_TRUE(std::isnan(vector.at<double>({3})));
    EXPECT_EQ(vector.at<double>({4}), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(read("1, 2,3\n").describe(), "f64 (3)");
    for (const char *text : {"1,2,3\n4,5,6\n", "1 2\t3\n4 5 6", "1;2; 3\n4 ;5;6\n"}) {
        const Array matrix = read(text);
        ASSERT_EQ(matrix.describe(), "f64 (2, 3)") << text;
        EXPECT_EQ(matrix.at<double>({1, 0}), 4);
        EXPECT_EQ(matrix.at<double>({1, 2}), 6);
    }
    EXPECT_EQ(read("7\n8\n", "without_ending").describe(), "f64 (2)");
}

TEST_F(TextFiles, ThatAreNoneAreRefusedWithTheLine) {
    const auto refused = [&](const std::string &text, const std::string &why) {
        expect_error(Fault::input, why, [&] { read(text); });
    };
    refused("1\ntwo\n", "line 2: 'two' is no number");
    refused("1.5.2\n", "line 1: '1.5.2' is no number");
    refused("1,2\n3\n", "line 2 has 1 numbers, and the lines before it have 2");
    refused("1,,2\n", "line 1 has an empty place");
    refused("# nothing\n", "it holds no numbers");
    refused("", "the file is empty");
}

template<typename T>
void expect_kept(Type type, const std::vector<T> &values, const std::string &path) {
    Array array(type, {(int64_t)values.size()});
    std::copy(values.begin(), values.end(), array.as<T>());
    write_array(path, array);
    const Array again = read_array(path);
    ASSERT_EQ(again.shape(), array.shape());
    for (size_t i = 0; i < values.size(); i++) {
        EXPECT_EQ((T)again.as<double>()[i], values[i]) << i;
    }
}

TEST_F(TextFiles, KeepEveryValue) {
    expect_kept<double>(Type::f64, {0.1, 1e-310, -1.7976931348623157e308, 1. / 3}, folder.file("a.csv"));
    expect_kept<float>(Type::f32, {0.1f, 1e-40f, 3.4028235e38f, 1.f / 3}, folder.file("a.txt"));
    expect_kept<uint32_t>(Type::u32, {0, 4294967295u}, folder.file("a.CSV"));
    expect_kept<int32_t>(Type::i32, {-2147483647 - 1, 5}, folder.file("a.csv"));
    Array matrix(Type::u16, {3, 2});
    int next = 0;
    fill<uint16_t>(matrix, [&] { return next++; });
    write_array(folder.file("m.csv"), matrix);
    EXPECT_EQ(read_text(folder.file("m.csv")), "0,1\n2,3\n4,5\n");
    write_array(folder.file("m.txt"), matrix);
    EXPECT_EQ(read_text(folder.file("m.txt")), "0 1\n2 3\n4 5\n");
    expect_error(
        Fault::usage, "real numbers", [&] { write_array(folder.file("c.csv"), Array(Type::c64, {3})); });
    expect_error(
        Fault::usage, "real numbers", [&] { write_array(folder.file("c.csv"), Array(Type::u8, {3, 3, 3})); });
}

}  // namespace
}  // namespace tilewright
