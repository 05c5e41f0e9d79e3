// What a photograph becomes so that an operator takes it, and many photographs in one call.
#include "tests/command_line/command_line.h"
#include "tests/support/arrays.h"
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<int64_t>;

class Photographs : public CommandLine {
protected:
    Array make_colours(const std::string &name, int64_t h = 40, int64_t w = 50, int64_t channels = 3) const {
        Array image(Type::u8, {h, w, channels});
        fill_random<uint8_t>(image);
        write_array(path(name), image);
        return image;
    }

    void expect_done(const Words &arguments) const {
        const Ran ran = succeed(arguments, {"TILEWRIGHT_DEVICE=cpu"});
    }
};

TEST_F(Photographs, HaveSumsOfEachChannelAndOfOne) {
    NEEDS_OPERATOR("column_sum");
    for (const int64_t channels : {3, 4}) {
        const Array image = make_colours("in.png", 40, 50, channels);
        expect_done({"column_sum", path("in.png"), path("all.npy")});
        expect_done({"column_sum", path("in.png"), path("one.csv"), "--channel", "2"});
        const Array all = read_array(path("all.npy")), one = read_array(path("one.csv"));
        ASSERT_EQ(all.shape(), (Shape{50, channels}));
        ASSERT_EQ(one.shape(), Shape{50});
        for (int64_t x = 0; x < 50; x++) {
            for (int64_t c = 0; c < channels; c++) {
                uint32_t sum = 0;
                for (int64_t y = 0; y < 40; y++) {
                    sum += image.at<uint8_t>({y, x, c});
                }
                ASSERT_EQ(all.at<uint32_t>({x, c}), sum);
                ASSERT_TRUE(c != 2 || one.at<double>({x}) == sum);
            }
        }
    }
    expect_refusal(
        2, {"column_sum", path("in.png"), path("o.npy"), "--channel", "4"}, {"--channel", "4", "0 to 3"});
    write_array(path("five.npy"), Array(Type::u8, {6, 7, 5}));
    expect_done({"column_sum", path("five.npy"), path("fifth.npy"), "--channel", "4"});
    make_image("grey.png");
    expect_refusal(2, {"column_sum", path("grey.png"), path("o.npy"), "--channel", "1"},
        {"--channel = 1", "has 1 channel"});
    expect_refusal(2, {"column_sum", path("in.png"), path("o.npy"), "--channel", "1", "--grey"},
        {"--channel", "leave one"});
}

// Without asking, an operator that takes colours of another type does not lose them.
TEST_F(Photographs, KeepTheirColoursWhereTheOperatorTakesColours) {
    NEEDS_OPERATOR("invert");
    write_array(path("floats.tif"), Array(Type::f32, {8, 8, 3}));
    expect_refusal(3, {"invert", path("floats.tif"), path("out.tif")}, {"f32 (8, 8, 3)", "floats.tif"});
    make_colours("in.png");
    expect_done({"invert", path("in.png"), path("grey.png"), "--grey"});
    EXPECT_EQ(read_array(path("grey.png")).shape(), (Shape{40, 50}));
}

// Of 8 and of 16 bits, grey and colour: a negative has the depth and the alpha of the photograph.
TEST_F(Photographs, HaveNegatives) {
    NEEDS_OPERATOR("invert");
    for (const Type type : {Type::u8, Type::u16}) {
        for (const int64_t channels : {2, 3, 4}) {
            const Array image = random_array(type, {20, 30, channels});
            write_array(path("in.png"), image);
            for (const Words &command : {Words{"invert"}, {"pipeline", "invert"}}) {
                Words words = command;
                words.insert(words.end(), {path("in.png"), path("out.png"), "--check"});
                expect_done(words);
                const Array negative = read_array(path("out.png"));
                ASSERT_EQ(negative.describe(), image.describe());
                const auto value = [&](const Array &of, int64_t y, int64_t x, int64_t c) {
                    return type == Type::u8 ? of.at<uint8_t>({y, x, c}) : of.at<uint16_t>({y, x, c});
                };
                const int top = type == Type::u8 ? 255 : 65535;
                for (const auto &[y, x] : {std::pair<int64_t, int64_t>(0, 0), {7, 11}, {19, 29}}) {
                    for (int64_t c = 0; c < channels; c++) {
                        const bool is_alpha = channels != 3 && c + 1 == channels;
                        const int before = value(image, y, x, c);
                        EXPECT_EQ(value(negative, y, x, c), is_alpha ? before : top - before)
                            << image.describe() << " at " << y << ", " << x << ", " << c;
                    }
                }
            }
        }
    }
}

TEST_F(Photographs, HaveSpectra) {
    NEEDS_OPERATOR("fft2d");
    Array photo(Type::u8, {40, 70, 3});
    memset(photo.data(), 200, (size_t)(40 * photo.strides()[0]));
    write_array(path("in.png"), photo);
    expect_done({"fft2d", path("in.png"), path("out.png")});
    const Array spectrum = read_array(path("out.png"));
    ASSERT_EQ(spectrum.shape(), (Shape{40, 70}));
    for (int64_t y = 0; y < 40; y++) {
        for (int64_t x = 0; x < 70; x++) {  // of a constant, frequency 0 alone, in the middle; and rounding
            ASSERT_NEAR(spectrum.at<uint8_t>({y, x}), y == 20 && x == 35 ? 255 : 0, 16) << y << ", " << x;
        }
    }
    const Ran padded = succeed({"fft2d", path("in.png"), path("field.npy"), "--pad", "--stats"});
    expect_has(padded.err, {"converted   grey values", "u8 as f32", "up to 128 x 64"});
    ASSERT_EQ(read_array(path("field.npy")).shape(), (Shape{64, 128}));
    expect_done({"fft2d", path("field.npy"), path("back.png"), "--direction", "inverse"});
    const Array back = read_array(path("back.png"));
    EXPECT_EQ(back.at<uint8_t>({39, 69}), 200);
    EXPECT_EQ(back.at<uint8_t>({40, 69}), 0);
}

// Spectra in f64, of which numbers of f64 are made, have pictures too.
TEST_F(Photographs, HaveSpectraOfF64) {
    NEEDS_OPERATOR("fft2d");
    Array values(Type::f64, {12, 20});
    for (int64_t i = 0; i < 12 * 20; i++) {
        values.as<double>()[i / 20 * values.strides()[0] + i % 20] = (double)i;
    }
    write_array(path("values.npy"), values);
    expect_done({"fft2d", path("values.npy"), path("out.png")});
    EXPECT_EQ(read_array(path("out.png")).at<uint8_t>({6, 10}), 255) << "frequency 0";
    expect_done({"fft2d", path("values.npy"), path("field.npy")});
    expect_done({"fft2d", path("field.npy"), path("back.png"), "--direction", "inverse"});
    EXPECT_EQ(read_array(path("back.png")).at<uint8_t>({11, 19}), 239);
}

TEST_F(Photographs, AreSlidesAsSquares) {
    NEEDS_OPERATOR("fresnel");
    make_colours("in.png", 40, 70);
    const auto fresnel = [&](const std::string &out, const std::string &how) {
        return Words{"fresnel", path("in.png"), path(out), "--wavelength", "532nm", "--distance", "5cm",
            "--pitch", "10um", how};
    };
    expect_done(fresnel("crop.png", "--crop"));
    EXPECT_EQ(read_array(path("crop.png")).shape(), (Shape{40, 40}));
    expect_done(fresnel("pad.png", "--pad"));
    EXPECT_EQ(read_array(path("pad.png")).shape(), (Shape{70, 70}));
}

TEST_F(Photographs, AreDoneOneAfterAnotherIntoAFolder) {
    NEEDS_OPERATOR("invert");
    fs::create_directory(path("in"));
    make_colours("in/a.png");
    make_image("in/b.PNG");
    std::ofstream(path("in/broken.png")) << "This is no image.\n";
    std::ofstream(path("in/notes.md")) << "No file for an operator.\n";
    write_array(path("c.npy"), Array(Type::u8, {3, 3}));
    const Ran ran = run({"invert", path("in"), path("c.npy"), "--into", path("out"), "--device", "cpu"});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 2) << ran.err;
    expect_has(ran.err, {"in/broken.png", "1 of 4 files failed"});
    EXPECT_EQ(names_in(path("out")), (Names{"a.png", "b.PNG", "c.npy"}));
    expect_done({"invert", path("in/a.png"), path("single.png")});
    EXPECT_EQ(read_text(path("out/a.png")), read_text(path("single.png")));
}

// A folder may hold names that others have given.
TEST_F(Photographs, NamesDoNotSteerTheTerminal) {
    NEEDS_OPERATOR("invert");
    fs::create_directory(path("in"));
    make_image("in/a\x1b[2J\n.png");
    const Ran ran = succeed({"invert", path("in"), "--into", path("out"), "--stats"});
    expect_has(ran.err, {"in/a?[2J?.png"});
    EXPECT_EQ(ran.err.find('\x1b'), std::string::npos);
}

TEST_F(Photographs, OfOneNameAreRefusedBeforeAnythingIsWritten) {
    NEEDS_OPERATOR("invert");
    fs::create_directory(path("in"));
    make_image("in/a.png");
    make_image("a.png");
    write_array(path("a.npy"), Array(Type::u8, {3, 3}));
    const std::string out = path("out");
    expect_refusal(2, {"invert", path("a.png"), path("in/a.png"), "--into", out}, {"one name", "in/a.png"});
    expect_refusal(2, {"invert", path("a.png"), path("a.npy"), "--into", out}, {"one name", "a.npy"});
    expect_refusal(2, {"invert", path("a.png"), "--into", path(".")}, {"a.png", "input as well"});
    expect_refusal(2, {"invert", "-", "--into", out}, {"standard input has no name"});
    expect_refusal(1, {"invert", path("a.png"), "--into", path("no/folder")}, {"no/folder"});
    fs::create_directory(path("empty"));
    expect_refusal(3, {"invert", path("empty"), "--into", out}, {"empty", "holds no file"});
    EXPECT_FALSE(fs::exists(out));
}

// The further input of an operator is no place for a result, whatever kind the result gets.
TEST_F(Photographs, DoNotReplaceTheFurtherInput) {
    NEEDS_OPERATOR("fresnel");
    make_image("s.png", 32, 32);
    fs::create_directory(path("out"));
    write_array(path("out/s.npy"), Array(Type::f32, {32, 32}));
    const std::string before = read_text(path("out/s.npy"));
    const Words call = {"fresnel", path("s.png"), "--phase", path("out/s.npy"), "--into", path("out"),
        "--wavelength", "532nm", "--distance", "5cm", "--pitch", "10um"};
    Words as_npy = call;
    as_npy.insert(as_npy.end(), {"--format", "npy"});
    expect_refusal(2, as_npy, {"out/s.npy", "input as well"});
    expect_refusal(2, call, {"out/s.npy", "input as well"});
    EXPECT_EQ(read_text(path("out/s.npy")), before);
    EXPECT_EQ(names_in(path("out")), Names{"s.npy"});
}

// Of an operator of two inputs, the last file that is named is the second input of all calls.
TEST_F(Photographs, AreFirstInputsOfSeveralCallsWithOneSecondInput) {
    NEEDS_OPERATOR("matmul");
    Array a(Type::f32, {3, 2}), b(Type::f32, {4, 2}), second(Type::f32, {2, 5});
    for (Array *matrix : {&a, &b, &second}) {
        fill_random<float>(*matrix);
    }
    write_array(path("a.npy"), a);
    write_array(path("b.npy"), b);
    write_array(path("second.npy"), second);
    succeed({"matmul", path("a.npy"), path("b.npy"), path("second.npy"), "--into", path("out"), "--device",
        "cpu"});
    EXPECT_EQ(names_in(path("out")), (Names{"a.npy", "b.npy"}));
    for (const char *name : {"a.npy", "b.npy"}) {
        ASSERT_EQ(
            run({"matmul", path(name), path("second.npy"), path("one.npy"), "--device", "cpu"}).code, 0);
        EXPECT_EQ(read_text(path("one.npy")), read_text(path("out/") + name));
    }
    expect_refusal(2, {"matmul", path("a.npy"), path("second.npy"), "--into", path(".")}, {"input as well"});
    expect_refusal(2, {"matmul", path("a.npy"), path("second.npy")}, {"output is required"});
}

// A type that the chosen variants do not take is an error of that file alone; a device that is not there, of
// all.
TEST_F(Photographs, GoOnAfterOneThatTheScheduleDoesNotTake) {
    NEEDS_OPERATOR("gaussian_blur");
    write_array(path("float.npy"), Array(Type::f32, {100, 200}));
    write_array(path("deep.png"), Array(Type::u16, {100, 200}));
    const Ran ran = run({"gaussian_blur", path("float.npy"), path("deep.png"), "--sigma", "2", "--schedule",
        "tuned_dots", "--into", path("out"), "--device", "cpu"});
    EXPECT_EQ(ran.code, 4) << ran.err;
    expect_has(ran.err, {"float.npy", "1 of 2 files failed"});
    EXPECT_EQ(names_in(path("out")), Names{"deep.png"});
    expect_refusal(
        4, {"gaussian_blur", path("deep.png"), "--into", path("none"), "--device", "cuda:99"}, {"cuda:99"});
    EXPECT_FALSE(fs::exists(path("none")));
}

TEST_F(Photographs, OfNumbersAsTextKeepTheirKind) {
    NEEDS_OPERATOR("transpose");
    std::ofstream(path("a.txt")) << "1 2\n3 4\n";
    expect_done({"transpose", path("a.txt"), "--into", path("out")});
    EXPECT_EQ(names_in(path("out")), Names{"a.txt"});
    EXPECT_EQ(read_text(path("out/a.txt")), "1 3\n2 4\n");
}

// Text has no type of its own: it becomes the other input's, where that is one that the operator takes.
TEST_F(Photographs, TextBesideAnotherTypeIsTakenOrRefusedWithASentence) {
    NEEDS_OPERATOR("matmul");
    NEEDS_OPERATOR("min_plus_convolution");
    std::ofstream(path("a.csv")) << "1,2\n3,4\n";
    for (const Type type : {Type::u8, Type::c64}) {
        write_array(path("b.npy"), Array(type, {2, 2}));
        expect_refusal(3, {"matmul", path("a.csv"), path("b.npy"), path("o.npy")},
            {"matmul: b = ", "b.npy is " + std::string(name_of(type)), "a.csv"});
    }
    std::ofstream(path("v.csv")) << "1\n2.5\n";
    write_array(path("w.npy"), Array(Type::i32, {2}));
    expect_refusal(3, {"min_plus_convolution", path("v.csv"), path("w.npy"), path("o.npy")},
        {"min_plus_convolution", "v.csv", "2.5 is no i32"});
}

// Operators of matrices take a line as a row, and one number per line as a column; those of vectors take both
// as vectors.
TEST_F(Photographs, TextOfOneLineOrOneColumnIsAMatrixWhereMatricesAreTaken) {
    for (const char *op : {"transpose", "row_sum", "column_sum", "matmul", "min_plus_convolution"}) {
        NEEDS_OPERATOR(op);
    }
    std::ofstream(path("row.csv")) << "1,2,3\n";
    std::ofstream(path("column.txt")) << "1\n2\n3\n";
    std::ofstream(path("m.csv")) << "1,2,3\n4,5,6\n";
    const auto result_of = [&](Words words) {
        words.push_back(path("o.csv"));
        expect_done(words);
        return read_text(path("o.csv"));
    };
    EXPECT_EQ(result_of({"transpose", path("row.csv")}), "1\n2\n3\n");
    EXPECT_EQ(result_of({"transpose", path("column.txt")}), "1,2,3\n");
    EXPECT_EQ(result_of({"row_sum", path("row.csv")}), "6\n");
    EXPECT_EQ(result_of({"column_sum", path("column.txt")}), "6\n");
    EXPECT_EQ(result_of({"row_sum", path("column.txt")}), "1\n2\n3\n");
    EXPECT_EQ(result_of({"matmul", path("m.csv"), path("column.txt")}), "14\n32\n");
    EXPECT_EQ(result_of({"matmul", path("row.csv"), path("column.txt")}), "14\n");
    EXPECT_EQ(result_of({"matmul", path("column.txt"), path("row.csv")}), "1,2,3\n2,4,6\n3,6,9\n");
    EXPECT_EQ(result_of({"min_plus_convolution", path("row.csv"), path("column.txt")}), "2\n3\n4\n5\n6\n");
    expect_refusal(3, {"matmul", path("m.csv"), path("row.csv"), path("o.csv")},
        {"a, b = f64 (2, 3), f64 (1, 3)", "as many columns"});
    write_array(path("cube.npy"), Array(Type::f32, {3, 2, 2}));
    expect_refusal(3, {"matmul", path("m.csv"), path("cube.npy"), path("o.csv")}, {"b = f32 (3, 2, 2)"});
}

TEST_F(Photographs, StatisticsAreJsonToo) {
    NEEDS_OPERATOR("invert");
    make_image("a.png");
    make_image("b.png");
    const json all = run_json({"invert", path("a.png"), path("b.png"), "--into", path("out"), "--json"});
    ASSERT_EQ(all["calls"].size(), 2u);
    const json &call = all["calls"][1];
    EXPECT_EQ(call["inputs"][0], path("b.png"));
    EXPECT_EQ(call["output"], path("out/b.png"));
    for (const char *name : {"read_ms", "compute_ms", "write_ms"}) {
        EXPECT_GT(call[name].get<double>(), 0) << name;
    }
    const Ran ran = run({"invert", path("a.png"), path("c.png"), "--stats", "--device", "cpu"});
    EXPECT_EQ(ran.out, "");
    expect_has(ran.err, {"\nread  "});
    EXPECT_EQ(ran.err.find("kernels     0"), std::string::npos) << "a line about nothing: " << ran.err;
}

TEST_F(Photographs, TheEnvironmentSaysDeviceAndThreads) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const Words call = {"invert", path("in.png"), path("out.png")};
    expect_refusal(2, call, {"TILEWRIGHT_DEVICE", "gpu"}, {"TILEWRIGHT_DEVICE=gpu"});
    expect_refusal(4, call, {"cuda:99"}, {"TILEWRIGHT_DEVICE=cuda:99"});
    Words with_device = call;
    with_device.insert(with_device.end(), {"--device", "cpu", "--threads", "1"});
    succeed(with_device, {"TILEWRIGHT_DEVICE=cuda:99"});
    Words with_auto = call;
    with_auto.insert(with_auto.end(), {"--device", "auto"});
    succeed(with_auto, {"TILEWRIGHT_DEVICE=cuda:99"});
    expect_refusal(2, call, {"TILEWRIGHT_THREADS = many", "1 to 256"}, {"TILEWRIGHT_THREADS=many"});
    with_device.back() = "0";
    expect_refusal(2, with_device, {"--threads = 0", "1 to 256"});
}

}  // namespace
}  // namespace tilewright
