// `pipeline`: compared with its operators one by one, its copies, its checks, alpha and metadata,
// photographs.
#include "tests/command_line/command_line.h"
#include "tests/support/arrays.h"
#include <filesystem>
#include <regex>

namespace tilewright {
namespace {

TEST_F(CommandLine, APipelineIsItsOperatorsOneByOne) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("column_sum");
    make_image("in.png", 60, 90);
    for (const std::string device : {"cpu", "opencl"}) {
        if (!has_device(device)) {
            continue;
        }
        const Words where = {"--device", device};
        const auto on_device = [&](Words words) {
            words.insert(words.end(), where.begin(), where.end());
            const Ran ran = succeed(words);
        };
        on_device(
            {"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2", "--border", "mirror"});
        on_device({"transpose", path("blurred.png"), path("turned.png")});
        on_device({"column_sum", path("turned.png"), path("expected.npy"), "--output-type", "f32"});
        on_device({"pipeline", "gaussian_blur sigma=2 border=mirror | transpose | column_sum output-type=f32",
            path("in.png"), path("out.npy"), "--check"});
        EXPECT_EQ(read_text(path("out.npy")), read_text(path("expected.npy"))) << device;
    }
}

TEST_F(CommandLine, APipelineCopiesOnceToTheDeviceAndOnceBack) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("invert");
    NEEDS_DEVICE("opencl");
    make_image("in.png", 64, 96);
    const Ran ran = succeed({"pipeline", "transpose | invert | transpose schedule=tuned", path("in.png"),
        path("out.png"), "--device", "opencl", "--stats"});
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(std::regex_search(ran.err,
        std::regex("stage 1 +transpose/[a-z0-9_]+/u8/opencl, .*copies 1 to the device .*, 0 to the host")))
        << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err,
        std::regex("stage 2 +invert/[a-z0-9_]+/u8/opencl, .*copies 0 to the device .*, 0 to the host")))
        << ran.err;
    EXPECT_TRUE(std::regex_search(ran.err,
        std::regex("stage 3 +transpose/[a-z0-9_]+/u8/opencl, .*copies 0 to the device .*, 0 to the host")))
        << ran.err;
    EXPECT_TRUE(
        std::regex_search(ran.err, std::regex("\ncopies +1 to the device \\([^)]*\\), 1 to the host")))
        << ran.err;
}

TEST_F(CommandLine, APipelineNamesTheFileThatCannotHoldItsResult) {
    NEEDS_OPERATOR("column_sum");
    make_image("in.png");
    expect_refusal(2, {"pipeline", "column_sum", path("in.png"), path("sums.png"), "--device", "cpu"},
        {"cannot write '" + path("sums.png"), "PNG holds"});
}

TEST_F(CommandLine, APipelineIsCheckedBeforeAnythingIsComputed) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("column_sum");
    make_image("in.png");
    const std::string in = path("in.png"), out = path("out.npy");
    expect_refusal(2, {"pipeline", "transpose | colum_sum", in, out},
        {"stage 2 of 2", "'colum_sum'", "did you mean 'column_sum'"});
    expect_refusal(2, {"pipeline", "column_sum outputtype=f32", in, out},
        {"stage 1 of 1", "did you mean 'output-type'"});
    expect_refusal(
        2, {"pipeline", "column_sum output-type=f23", in, out}, {"output-type = f23", "did you mean 'f32'"});
    expect_refusal(2, {"pipeline", "transpose", in}, {"files"});
    expect_refusal(2, {"pipeline", "transpose", in, in, out}, {"inputs = 2", "takes 1 input"});
    expect_refusal(2, {"pipeline", "transpose", in, in}, {"in.png", "input"});
    expect_refusal(2, {"pipeline", "transpose", in, path("out.gif")}, {"out.gif"});
    expect_refusal(2, {"pipeline", "transpose", in, out, "--schedule", "paded"},
        {"stage 1 of 1", "no such schedule", "tuned"});
    expect_refusal(
        2, {"pipeline", "transpose | column_sum", in, path("out.png")}, {"u32 (37)", "PNG", ".npy"});
    expect_refusal(3, {"pipeline", "transpose | column_sum | transpose", in, out},
        {"stage 3 of 3", "u32 (37)", "in.png is u8 (37, 53)"});
    EXPECT_EQ(files(), Words{"in.png"});
}

TEST_F(CommandLine, PipelinesKeepAlphaAndMetadata) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("transpose");
    Array image(Type::u8, {24, 40, 4});
    for (int64_t i = 0; i < 24; i++) {
        for (int64_t j = 0; j < 40 * 4; j++) {
            image.as<uint8_t>()[i * image.strides()[0] + j] = (uint8_t)(i * 91 + j * 57 + i * j);
        }
    }
    PngMetadata metadata;
    metadata.gamma = .45455;
    write_array(path("in.png"), image, metadata);
    succeed({"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2"});
    succeed({"transpose", path("blurred.png"), path("expected.png")});
    const Ran ran = succeed(
        {"pipeline", "gaussian_blur sigma=2 | transpose", path("in.png"), path("out.png"), "--check"});
    EXPECT_EQ(read_text(path("out.png")), read_text(path("expected.png")));
}

// Pipelines of photographs with colours.
class PipelinesOfPhotographs : public CommandLine {
protected:
    void make_colours(const std::string &name, int64_t channels = 3) const {
        Array image(Type::u8, {40, 50, channels});
        fill_random<uint8_t>(image);
        write_array(path(name), image);
    }

    void expect_done(const Words &arguments) const {
        const Ran ran = succeed(arguments, {"TILEWRIGHT_DEVICE=cpu"});
    }

    static constexpr const char *sums = "gaussian_blur sigma=2 | column_sum";
};

TEST_F(PipelinesOfPhotographs, OfGreyValuesAndOfOneChannelAreTheirOperatorsOneByOne) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("column_sum");
    for (const int64_t channels : {3, 4}) {
        make_colours("in.png", channels);
        for (const Words &words : {Words{"--grey"}, Words{"--channel", "1"}}) {
            Words blur = {"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2"};
            Words both = {"pipeline", sums, path("in.png"), path("out.npy"), "--check"};
            blur.insert(blur.end(), words.begin(), words.end());
            both.insert(both.end(), words.begin(), words.end());
            expect_done(blur);
            expect_done({"column_sum", path("blurred.png"), path("expected.npy")});
            expect_done(both);
            EXPECT_EQ(read_array(path("out.npy")).shape(), std::vector<int64_t>{50});
            EXPECT_EQ(read_text(path("out.npy")), read_text(path("expected.npy"))) << words[0];
        }
    }
}

// The last stage's field becomes a picture as the command makes one of it: forward, backward, of 16 bits.
TEST_F(PipelinesOfPhotographs, HaveSpectra) {
    NEEDS_OPERATOR("fft2d");
    NEEDS_OPERATOR("transpose");
    make_colours("in.png");
    for (const std::string kind : {"png", "jpg", "tif", "npy"}) {
        const std::string out = path("out." + kind), expected = path("expected." + kind);
        expect_done({"transpose", path("in.png"), path("turned.png")});
        expect_done({"fft2d", path("turned.png"), expected, "--pad"});
        const Ran ran =
            succeed({"pipeline", "transpose | fft2d pad", path("in.png"), out, "--device", "cpu", "--stats"});
        EXPECT_EQ(read_text(out), read_text(expected)) << kind;
        expect_has(ran.err, {"stage 2: zeros behind it up to 64 x 64"});
        EXPECT_EQ(ran.err.find("written as log(1 + magnitude)") != std::string::npos, kind != "npy")
            << ran.err;
    }
    write_array(path("deep.png"), random_array(Type::u16, {32, 64}));
    expect_done(
        {"pipeline", "fft2d | fft2d direction=inverse", path("deep.png"), path("back.png"), "--check"});
    const Array deep = read_array(path("deep.png")), back = read_array(path("back.png"));
    ASSERT_EQ(back.describe(), deep.describe());
    for (int64_t y = 0; y < 32; y++) {
        for (int64_t x = 0; x < 64; x++) {
            ASSERT_NEAR(back.at<uint16_t>({y, x}), deep.at<uint16_t>({y, x}), 1);
        }
    }
}

// Without words about it, a vector is made of each channel, as column_sum alone does it.
TEST_F(PipelinesOfPhotographs, HaveAColumnPerChannel) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("column_sum");
    make_colours("in.png");
    expect_done({"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2"});
    expect_done({"column_sum", path("blurred.png"), path("expected.npy")});
    const Ran ran =
        succeed({"pipeline", sums, path("in.png"), path("out.npy"), "--device", "cpu", "--stats"});
    expect_has(ran.err, {"converted   one call per channel, 3 in all"});
    EXPECT_EQ(read_array(path("out.npy")).shape(), (std::vector<int64_t>{50, 3}));
    EXPECT_EQ(read_text(path("out.npy")), read_text(path("expected.npy")));
}

TEST_F(PipelinesOfPhotographs, AreCutWhereAskedFor) {
    NEEDS_OPERATOR("gaussian_blur");
    NEEDS_OPERATOR("fresnel");
    make_colours("in.png");
    const Words call = {"pipeline",
        "gaussian_blur sigma=2 | fresnel wavelength=532nm distance=5cm pitch=10um", path("in.png"),
        path("out.npy")};
    expect_refusal(3, call, {"stage 2 of 2", "--crop takes its middle 40 x 40", "in.png is u8 (40, 50, 3)"});
    Words cut = call;
    cut.push_back("--crop");
    expect_done(cut);
    EXPECT_EQ(read_array(path("out.npy")).shape(), (std::vector<int64_t>{40, 40}));
}

TEST_F(PipelinesOfPhotographs, AreSlidesAsSquares) {
    NEEDS_OPERATOR("fresnel");
    make_colours("in.png");
    expect_done({"fresnel", path("in.png"), path("expected.png"), "--wavelength", "532nm", "--distance",
        "5cm", "--pitch", "10um", "--pad"});
    expect_done({"pipeline", "fresnel wavelength=532nm distance=5cm pitch=10um pad", path("in.png"),
        path("out.png")});
    EXPECT_EQ(read_array(path("out.png")).shape(), (std::vector<int64_t>{50, 50}));
    EXPECT_EQ(read_text(path("out.png")), read_text(path("expected.png")));
}

// Small images tell nothing about a stage whose second array is given.
TEST_F(PipelinesOfPhotographs, AreFittedBesideAFurtherInput) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("matmul");
    make_colours("in.png");
    Array second(Type::f32, {40, 6});
    fill_random<float>(second);
    write_array(path("b.npy"), second);
    for (const Words &words : {Words{"--grey"}, Words{"--channel", "2"}}) {
        Words turn = {"transpose", path("in.png"), path("turned.png")};
        Words both = {"pipeline", "transpose | matmul", path("in.png"), path("b.npy"), path("out.npy")};
        turn.insert(turn.end(), words.begin(), words.end());
        both.insert(both.end(), words.begin(), words.end());
        expect_done(turn);
        expect_done({"matmul", path("turned.png"), path("b.npy"), path("expected.npy")});
        expect_done(both);
        EXPECT_EQ(read_text(path("out.npy")), read_text(path("expected.npy"))) << words[0];
    }
    write_array(path("b.npy"), Array(Type::f32, {41, 6}));
    expect_refusal(3,
        {"pipeline", "transpose | matmul", path("in.png"), path("b.npy"), path("o.npy"), "--grey"},
        {"stage 2 of 2", "in.png is u8 (40, 50, 3), " + path("b.npy") + " is f32 (41, 6)"});
}

TEST_F(PipelinesOfPhotographs, AreDoneOneAfterAnotherIntoAFolder) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("invert");
    std::filesystem::create_directory(path("in"));
    make_colours("in/a.png");
    make_colours("in/b.png");
    make_image("c.png");
    const json all = run_json(
        {"pipeline", "transpose | invert", path("in"), path("c.png"), "--into", path("out"), "--json"},
        {"TILEWRIGHT_DEVICE=cpu"});
    EXPECT_EQ(names_in(path("out")), (Names{"a.png", "b.png", "c.png"}));
    for (const std::string name : {"in/a.png", "in/b.png", "c.png"}) {
        expect_done({"pipeline", "transpose | invert", path(name), path("one.png")});
        EXPECT_EQ(read_text(path("one.png")),
            read_text(path("out/" + std::filesystem::path(name).filename().string())));
    }
    ASSERT_EQ(all["calls"].size(), 3u);
    const json &call = all["calls"][2];
    EXPECT_EQ(call["inputs"], json::array({path("c.png")}));
    EXPECT_EQ(call["output"], path("out/c.png"));
    EXPECT_GT(call["compute_ms"].get<double>(), 0);
    ASSERT_EQ(call["stages"].size(), 2u);
    EXPECT_EQ(call["stages"][1]["variant"].get<std::string>().substr(0, 7), "invert/");
    EXPECT_GT(call["stages"][1]["ms"].get<double>(), 0);
}

// Of several inputs the last ones are those of all calls, and files of stages are no place for a result.
TEST_F(PipelinesOfPhotographs, IntoAFolderHaveTheirFurtherInputsInCommon) {
    NEEDS_OPERATOR("invert");
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("matmul");
    for (const char *name : {"a.npy", "b.npy", "second.npy"}) {
        Array matrix(Type::f32, {4, 4});
        fill_random<float>(matrix);
        write_array(path(name), matrix);
    }
    const Words inputs = {path("a.npy"), path("b.npy"), path("second.npy")};
    Words call = {"pipeline", "transpose | matmul", "--into", path("out")};
    call.insert(call.end(), inputs.begin(), inputs.end());
    expect_done(call);
    EXPECT_EQ(names_in(path("out")), (Names{"a.npy", "b.npy"}));
    expect_done({"pipeline", "transpose | matmul", path("b.npy"), path("second.npy"), path("one.npy")});
    EXPECT_EQ(read_text(path("out/b.npy")), read_text(path("one.npy")));
    expect_refusal(2,
        {"pipeline", "transpose | matmul " + path("out/a.npy"), path("a.npy"), "--into", path("out")},
        {"out/a.npy", "input as well"});
    expect_refusal(2, {"pipeline", "transpose | matmul", path("a.npy"), "--into", path("out")},
        {"takes 2 inputs", "1 file is named"});
    expect_refusal(
        2, {"pipeline", "transpose | matmul", path("a.npy"), "-", "--into", path("out")}, {"read once"});
}

TEST_F(PipelinesOfPhotographs, RefuseWordsThatDoNotFit) {
    NEEDS_OPERATOR("transpose");
    NEEDS_OPERATOR("invert");
    make_colours("in.png");
    const std::string in = path("in.png"), out = path("out.png");
    expect_refusal(
        2, {"pipeline", "transpose", in, out, "--grey", "--channel", "1"}, {"--channel", "leave one"});
    expect_refusal(2, {"pipeline", "transpose", in, out, "--channel", "3"}, {"--channel", "0 to 2"});
    expect_refusal(2, {"pipeline", "transpose", in, "-", "--json"}, {"--json", "standard output"});
    expect_refusal(3, {"pipeline", "transpose", path("."), out}, {"is a directory", "--into"});
    write_array(path("floats.tif"), Array(Type::f32, {8, 8}));
    expect_refusal(3, {"pipeline", "transpose | invert", path("floats.tif"), path("out.tif")},
        {"stage 2 of 2", "floats.tif is f32 (8, 8)"});
    EXPECT_EQ(files(), (Names{"floats.tif", "in.png"}));
}

}  // namespace
}  // namespace tilewright
