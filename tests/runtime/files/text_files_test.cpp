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
    for (const char *text : {"1,2\r3,4\r", "1,2\r\n3,4\r\n", "1;2\n\r3;4"}) {  // every system's ends of lines
        const Array matrix = read(text);
        ASSERT_EQ(matrix.describe(), "f64 (2, 2)") << text;
        EXPECT_EQ(matrix.at<double>({1, 0}), 3) << text;
    }
    EXPECT_EQ(read("7\n8\n", "without_ending").describe(), "f64 (2)");
}

TEST_F(TextFiles, SayWhetherAVectorIsOneLine) {
    for (const auto &[text, is_one_line] :
        {std::pair("1,2,3\n", true), {"7", true}, {"# numbers\n1 2\n\n", true}, {"1\n2\n", false}}) {
        write_bytes(folder.file("a.csv"), bytes_of(text));
        EXPECT_EQ(read_file(folder.file("a.csv")).is_one_line, is_one_line) << text;
    }
}

// Numbers beyond the range of f64 become 0 or infinite; how they are written says which.
TEST_F(TextFiles, HoldNumbersBeyondTheRange) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::string zeros(400, '0');
    for (const auto &[text, value] :
        {std::pair("." + zeros + "1", 0.), {"-0." + zeros + "1", 0.}, {"1" + zeros, infinity},
            {"-1" + zeros + ".5", -infinity}, {"1e400", infinity}, {"+1E+400", infinity}, {"1e-400", 0.},
            {"1" + zeros + "e-100000", 0.}, {"." + zeros + "1e+900", infinity},
            {"1e99999999999999999999", infinity}, {"1e-99999999999999999999", 0.}}) {
        EXPECT_EQ(read(text + "\n").at<double>({0}), value) << text;
    }
    EXPECT_EQ(read("." + zeros + "1e401\n").at<double>({0}), 1);
}

TEST_F(TextFiles, AreToldByTheirFirstBytes) {
    for (const char *text : {" 1\n2\n", "\t1\n2", "\n1\n2\n", "nan\n2\n", "NaN\n2", "inf\n2\n", "-inf\n2",
             "\xef\xbb\xbf"  // NOLINT(bugprone-suspicious-missing-comma): a hexadecimal escape would go on
             "1\n2\n",
             ".5\n2\n", "# two\n1\n2\n"}) {
        EXPECT_EQ(read(text, "without_ending").describe(), "f64 (2)") << text;
    }
    for (const char *text : {"no numbers", "index",
             "\xef\xbb"
             "1\n"}) {
        expect_error(Fault::input, "text of numbers", [&] { read(text, "without_ending"); });
    }
}

TEST_F(TextFiles, HaveTheKindOfTheirName) {
    for (const auto &[name, kind] :
        {std::pair("a.csv", FileKind::csv), {"a.TXT", FileKind::txt}, {"a", FileKind::csv}}) {
        write_bytes(folder.file(name), bytes_of("1\n2\n"));
        EXPECT_EQ(read_file(folder.file(name)).kind, kind) << name;
    }
}

TEST_F(TextFiles, OverTheLimitAreRefused) {
    const std::string text = "1\n22\n";
    write_bytes(folder.file("a.csv"), bytes_of(text));
    FileLimits limits;
    limits.npy.bytes = (int64_t)(text.size() + 2 * sizeof(double));
    EXPECT_EQ(read_file(folder.file("a.csv"), limits).array.describe(), "f64 (2)");
    limits.npy.bytes--;
    expect_error(Fault::input, "its text and its numbers take more than 20 bytes",
        [&] { read_file(folder.file("a.csv"), limits); });
    limits.npy.bytes = (int64_t)text.size() - 1;
    expect_error(Fault::input, "more than 4 bytes", [&] { read_file(folder.file("a.csv"), limits); });
}

TEST_F(TextFiles, ThatAreNoneAreRefusedWithTheLine) {
    const auto refused = [&](const std::string &text, const std::string &why) {
        expect_error(Fault::input, why, [&] { read(text); });
    };
    refused("1\ntwo\n", "line 2: 'two' is no number");
    refused("1.5.2\n", "line 1: '1.5.2' is no number");
    refused("1,2\n3\n", "line 2 has 1 numbers, and the lines before it have 2");
    refused("1,,2\n", "line 1 has an empty place");
    refused("1,2\n1,2,\n", "line 2 has an empty place");
    refused(",1\n", "line 1 has an empty place");
    refused("1,5;2,5\n", "line 1: commas and semicolons are between numbers; write numbers with a decimal");
    refused("1;2\r\n3,4\r\n", "line 2: commas and semicolons");
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
