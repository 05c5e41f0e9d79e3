// `pipeline`: held against its operators one by one, its copies, its checks, alpha and metadata.
#include "tests/command_line/command_line.h"
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
            const Ran ran = run(words);
            EXPECT_EQ(ran.code, 0) << ran.err;
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
    const Ran ran = run({"pipeline", "transpose | invert | transpose schedule=tuned", path("in.png"),
        path("out.png"), "--device", "opencl", "--stats"});
    ASSERT_EQ(ran.code, 0) << ran.err;
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
    ASSERT_EQ(run({"gaussian_blur", path("in.png"), path("blurred.png"), "--sigma", "2"}).code, 0);
    ASSERT_EQ(run({"transpose", path("blurred.png"), path("expected.png")}).code, 0);
    const Ran ran =
        run({"pipeline", "gaussian_blur sigma=2 | transpose", path("in.png"), path("out.png"), "--check"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(read_text(path("out.png")), read_text(path("expected.png")));
}

}  // namespace
}  // namespace tilewright
