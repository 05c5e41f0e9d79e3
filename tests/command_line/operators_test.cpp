// Operators on files: results, statistics, variants by name, alpha and metadata.
#include "tests/command_line/command_line.h"
#include <cstring>
#include <fstream>
#include <regex>

namespace tilewright {
namespace {

TEST_F(CommandLine, InvertsAnImage) {
    NEEDS_OPERATOR("invert");
    const Array image = make_image("in.png");
    const Ran ran = succeed({"invert", path("in.png"), path("out.png")});
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "");
    const Array result = read_array(path("out.png"));
    ASSERT_EQ(result.shape(), image.shape());
    for (int64_t y = 0; y < image.shape()[0]; y++) {
        for (int64_t x = 0; x < image.shape()[1]; x++) {
            ASSERT_EQ(result.at<uint8_t>({y, x}), 255 - image.at<uint8_t>({y, x})) << x << ", " << y;
        }
    }
    EXPECT_EQ(files(), (Words{"in.png", "out.png"}));
}

TEST_F(CommandLine, StatisticsGoToStandardError) {
    NEEDS_OPERATOR("invert");
    make_image("in.png");
    const Ran ran = succeed(
        {"invert", path("in.png"), path("out.npy"), "--device", "cpu", "--schedule", "reference", "--stats"});
    EXPECT_EQ(ran.out, "");
    expect_has(ran.err, {"invert/reference/u8/cpu", "device", "total", "kernels", "copies", " ms"});
}

// No library addresses an image of more than 2047 MiB as a whole. The file is sparse, all zeros but one.
TEST_F(CommandLine, AnImageThatIsTooLargeForALibraryIsTakenInBands) {
    NEEDS_OPERATOR("column_sum");
    constexpr int64_t height = 47000, width = 46000;
    {
        std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (47000, 46000), }";
        head.resize(117, ' ');
        std::ofstream file(path("in.npy"), std::ios::binary);
        file << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << head << "\n";
        file.seekp(128 + height * width - 1);
        file.put(9);
    }
    const Ran ran = succeed({"column_sum", path("in.npy"), path("sums.npy"), "--device", "cpu"});
    const Array sums = read_array(path("sums.npy"));
    ASSERT_EQ(sums.shape(), (std::vector<int64_t>{width}));
    EXPECT_EQ(sums.at<uint32_t>({width - 2}), 0u);
    EXPECT_EQ(sums.at<uint32_t>({width - 1}), 9u);
}

TEST_F(CommandLine, ArraysOfManyImagesHaveALayout) {
    NEEDS_OPERATOR("transpose");
    Array images(Type::f32, {2, 3, 5, 7}, 0);
    for (int64_t i = 0; i < images.size(); i++) {
        images.as<float>()[i] = (float)i;
    }
    write_array(path("in.npy"), images);
    succeed({"transpose", path("in.npy"), path("out.npy"), "--layout", "nchw", "--device", "cpu", "--check"});
    const Array result = read_array(path("out.npy"));
    ASSERT_EQ(result.shape(), (std::vector<int64_t>{2, 3, 7, 5}));
    EXPECT_EQ(result.at<float>({1, 2, 6, 3}), images.at<float>({1, 2, 3, 6}));
    const Words call = {"transpose", path("in.npy"), path("other.npy")};
    const auto refuse = [&](int code, const Words &options, const Words &words) {
        Words all = call;
        all.insert(all.end(), options.begin(), options.end());
        expect_refusal(code, all, words);
    };
    refuse(3, {}, {"say by the layout, nhwc or nchw"});
    refuse(2, {"--layout", "nhcw"}, {"--layout = nhcw", "a different letter for each axis"});
    refuse(3, {"--layout", "nhw"}, {"--layout = nhw", "the array has 4 axes"});
    refuse(2, {"--layout", "nchw", "--crop"}, {"--layout = nchw", "leave --grey, --channel or --crop out"});
    refuse(2, {"--layout", "nchw", "--memory", "1M"}, {"--memory", "leave it out with --layout"});
    make_image("in.png");
    expect_refusal(
        2, {"transpose", path("in.png"), path("other.npy"), "--layout", "hwc"}, {"is one picture"});
    expect_refusal(
        2, {"transpose", path("in.npy"), path("other.png"), "--layout", "nchw"}, {"name a .npy file"});
    EXPECT_EQ(files(), (Words{"in.npy", "in.png", "out.npy"}));
}

TEST_F(CommandLine, StatisticsCountKernelsAndCopies) {
    NEEDS_OPERATOR("invert");
    NEEDS_DEVICE("opencl");
    make_image("in.png", 64, 64);
    const Ran ran = succeed({"invert", path("in.png"), path("out.npy"), "--device", "opencl", "--stats"});
    expect_has(ran.err, {"kernels     1 launched"});
    EXPECT_TRUE(std::regex_search(
        ran.err, std::regex("copies +[1-9][0-9]* to the device .*, [1-9][0-9]* to the host")))
        << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err, std::regex("first call +[1-9][0-9]* modules?"))) << ran.err;
}

TEST_F(CommandLine, MetadataCarriesOver) {
    NEEDS_OPERATOR("invert");
    PngMetadata metadata;
    metadata.gamma = .45455;
    metadata.density = PngMetadata::Density{2835, 2835, true};
    make_image("in.png", 20, 30, metadata);
    succeed({"invert", path("in.png"), path("out.png")});
    PngMetadata read;
    read_array(path("out.png"), &read);
    ASSERT_TRUE(read.gamma && read.density);
    EXPECT_NEAR(*read.gamma, .45455, 1e-5);
    EXPECT_EQ(read.density->x, 2835u);
}

// Pixels that are not square keep their sides where rows become columns, of a whole image and of bands.
TEST_F(CommandLine, TransposesExchangeTheDensity) {
    NEEDS_OPERATOR("transpose");
    PngMetadata metadata;
    metadata.density = PngMetadata::Density{300, 200, true};
    make_image("in.png", 20, 30, metadata);
    const std::vector<std::pair<Words, uint32_t>> calls = {{{"transpose"}, 200u},
        {{"pipeline", "transpose"}, 200u}, {{"pipeline", "transpose | transpose"}, 300u}};
    for (const auto &[command, x] : calls) {
        for (const Words &options : {Words{}, Words{"--memory", "1M"}}) {
            Words words = command;
            words.insert(words.end(), {path("in.png"), path("out.png"), "--device", "cpu"});
            words.insert(words.end(), options.begin(), options.end());
            succeed(words);
            PngMetadata read;
            read_array(path("out.png"), &read);
            ASSERT_TRUE(read.density);
            EXPECT_EQ(read.density->x, x) << command.back() << options.size();
            EXPECT_EQ(read.density->y, 500 - x);
        }
    }
}

TEST_F(CommandLine, EveryVariantOfAnOperatorCanBeChosenByName) {
    NEEDS_OPERATOR("transpose");
    const Array image = make_image("in.png", 2048, 2304);  // every variant serves it
    size_t chosen = 0;
    const json all = run_json({"list", "transpose", "--json"});
    for (const json &variant : all["operators"][0]["variants"]) {
        if (variant["backend"] != "cpu" || variant["type"] != "u8" || variant["needs_vnni"]) {
            continue;
        }
        const Ran ran = succeed({"transpose", path("in.png"), path("out.npy"), "--device", "cpu",
            "--schedule", variant["schedule"]});
        const Array result = read_array(path("out.npy"));
        ASSERT_EQ(result.shape(), (std::vector<int64_t>{2304, 2048}));
        for (int64_t y = 0; y < 2048; y++) {
            for (int64_t x = 0; x < 2304; x++) {
                ASSERT_EQ(result.at<uint8_t>({x, y}), image.at<uint8_t>({y, x})) << variant;
            }
        }
        chosen++;
    }
    EXPECT_GE(chosen, 2u);
}

// Grey and colour, with and without alpha, of 8 and 16 bits, on every device of this machine.
TEST_F(CommandLine, TransposesEveryKindOfPng) {
    NEEDS_OPERATOR("transpose");
    for (const Type type : {Type::u8, Type::u16}) {
        for (const int64_t channels : {1, 2, 3, 4}) {
            const int64_t h = 67, w = 130;
            Array image = channels == 1 ? Array(type, {h, w}) : Array(type, {h, w, channels});
            const int64_t bytes = image.strides()[0] * (int64_t)size_of(type),
                          pixel = channels * (int64_t)size_of(type);
            for (int64_t i = 0; i < h * bytes; i++) {
                static_cast<uint8_t *>(image.data())[i] = (uint8_t)(i * 2654435761u >> 13);
            }
            write_array(path("in.png"), image);
            for (const char *device : {"cpu", "opencl", "cuda"}) {
                if (!has_device(device)) {
                    continue;
                }
                const Ran ran = succeed({"transpose", path("in.png"), path("out.png"), "--device", device});
                const Array result = read_array(path("out.png"));
                ASSERT_EQ(result.type(), type);
                ASSERT_EQ(result.dimensions(), image.dimensions());
                const int64_t result_bytes = result.strides()[0] * (int64_t)size_of(type);
                for (int64_t y = 0; y < h; y++) {
                    for (int64_t x = 0; x < w; x++) {
                        ASSERT_EQ(memcmp(static_cast<const char *>(image.data()) + y * bytes + x * pixel,
                                      static_cast<const char *>(result.data()) + x * result_bytes + y * pixel,
                                      (size_t)pixel),
                            0)
                            << image.describe() << " at " << x << ", " << y;
                    }
                }
            }
        }
    }
}

// A white, half transparent image with arbitrary colours where nothing shows: they must not bleed into the
// visible part.
TEST_F(CommandLine, BlursWorkOnPremultipliedAlpha) {
    NEEDS_OPERATOR("gaussian_blur");
    Array image(Type::u8, {40, 40, 4});
    for (int64_t y = 0; y < 40; y++) {
        for (int64_t x = 0; x < 40; x++) {
            uint8_t *pixel = image.as<uint8_t>() + y * image.strides()[0] + x * 4;
            const bool visible = x < 20;
            pixel[0] = pixel[1] = pixel[2] = visible ? 255 : 0;
            pixel[3] = visible ? 255 : 0;
        }
    }
    write_array(path("in.png"), image);
    const Ran ran = succeed({"gaussian_blur", path("in.png"), path("out.png"), "--sigma", "2"});
    const Array result = read_array(path("out.png"));
    ASSERT_EQ(result.shape(), image.shape());
    const int alpha = result.at<uint8_t>({20, 20, 3});
    EXPECT_GT(alpha, 20);
    EXPECT_LT(alpha, 235);
    // without premultiplication it would be as dark as alpha
    EXPECT_GE(result.at<uint8_t>({20, 20, 0}), 250);
}

TEST_F(CommandLine, GreyWithAlphaStaysGreyWithAlpha) {
    NEEDS_OPERATOR("gaussian_blur");
    Array image(Type::u8, {24, 24, 2});
    memset(image.data(), 255, (size_t)(image.shape()[0] * image.strides()[0]));
    write_array(path("in.png"), image);
    const Ran ran = succeed({"gaussian_blur", path("in.png"), path("out.png"), "--sigma", "1"});
    const Array result = read_array(path("out.png"));
    ASSERT_EQ(result.shape(), image.shape());
    EXPECT_EQ(result.at<uint8_t>({12, 12, 0}), 255);
    EXPECT_EQ(result.at<uint8_t>({12, 12, 1}), 255);
}

// The sums of 70 000 numbers of 65535 are more than u32 holds.
TEST_F(CommandLine, SumsAreExactOrRefused) {
    NEEDS_OPERATOR("row_sum");
    Array image(Type::u16, {3, 70000}, 0);
    memset(image.data(), 0xff, (size_t)image.size() * sizeof(uint16_t));
    write_array(path("in.npy"), image);
    expect_refusal(3, {"row_sum", path("in.npy"), path("out.npy"), "--device", "cpu"},
        {"70000 u16 numbers", "u64 or f64", "or f32, the exact sum rounded"});
    const auto sums_as = [&](const std::string &type) {
        const Ran ran = succeed({"row_sum", path("in.npy"), path("out.npy"), "--device", "cpu",
            "--output-type", type, "--stats", "--check"});
        expect_has(ran.err, {"verified", ", 2 times"});
        return read_array(path("out.npy"));
    };
    EXPECT_EQ(sums_as("u64").at<uint64_t>({2}), 4587450000u);
    EXPECT_EQ(sums_as("f64").at<double>({2}), 4587450000.);
    EXPECT_EQ(sums_as("f32").at<float>({2}), 4587450000.f);
    expect_refusal(3, {"pipeline", "invert | row_sum", path("in.npy"), path("out.npy")}, {"u64 or f64"});
    succeed({"pipeline", "row_sum output-type=u64", path("in.npy"), path("out.csv")});
    EXPECT_EQ(read_text(path("out.csv")), "4587450000\n4587450000\n4587450000\n");
}

}  // namespace
}  // namespace tilewright
