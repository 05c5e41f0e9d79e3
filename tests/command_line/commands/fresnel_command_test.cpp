// `fresnel` on files: fields and pictures, lengths with units, warnings and refusals.
#include "tests/command_line/command_line.h"

namespace tilewright {
namespace {

// Green light on 10 um pixels.
Words fresnel(
    const std::string &in, const std::string &out, const std::string &distance, const Words &more = {}) {
    Words words = {"fresnel", in, out, "--wavelength", "532nm", "--pitch", "10um", "--distance", distance};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST_F(CommandLine, LightGoesThereAndBack) {
    NEEDS_OPERATOR("fresnel");
    const Array image = make_image("in.png", 64, 64);
    const Ran there = succeed(fresnel(path("in.png"), path("field.npy"), "5mm", {"--check"}));
    EXPECT_EQ(there.err, "verified    against the plain definition\n");
    ASSERT_EQ(read_array(path("field.npy")).type(), Type::c64);
    succeed(fresnel(path("field.npy"), path("back.npy"), "-5mm", {"--output-type", "f32"}));
    succeed(fresnel(path("field.npy"), path("back.png"), "-5mm", {"--scale", "1"}));
    const Array intensity = read_array(path("back.npy")), picture = read_array(path("back.png"));
    ASSERT_EQ(intensity.type(), Type::f32);
    ASSERT_EQ(picture.type(), Type::u8);
    for (int64_t y = 0; y < 64; y++) {
        for (int64_t x = 0; x < 64; x++) {
            const double amplitude = image.at<uint8_t>({y, x}) / 255.0;
            ASSERT_NEAR(intensity.at<float>({y, x}), amplitude * amplitude, 1e-4) << x << ", " << y;
            ASSERT_NEAR(picture.at<uint8_t>({y, x}), 255 * amplitude * amplitude, .6) << x << ", " << y;
        }
    }
}

TEST_F(CommandLine, LengthsTakeSuffixes) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 32, 32);
    const auto result = [&](const std::string &wavelength, const std::string &distance,
                            const std::string &pitch) {
        const Ran ran = succeed({"fresnel", path("in.png"), path("out.npy"), "--wavelength", wavelength,
            "--distance", distance, "--pitch", pitch});
        return read_text(path("out.npy"));
    };
    const std::string expected = result("532nm", "2.5mm", "10um");
    EXPECT_EQ(result("532000pm", "0.25cm", "0.01mm"), expected);
    EXPECT_EQ(result("532e-9", "0.0025", "1e-5m"), expected);
    EXPECT_EQ(result("532nm", "2500\u00b5m", "10\u03bcm"), expected);
    EXPECT_NE(result("532nm", "2.6mm", "10um"), expected);
    EXPECT_NE(result("532nm", "-2.5mm", "10um"), expected);
}

TEST_F(CommandLine, PicturesOfLightKeepTheirDepth) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 32, 32);
    Array deep(Type::u16, {32, 32});
    for (int64_t i = 0; i < 32; i++) {
        deep.as<uint16_t>()[i * deep.strides()[0] + i] = (uint16_t)(2000 * i);
    }
    write_array(path("deep.png"), deep);
    const auto type = [&](const std::string &in, const std::string &out, const Words &more = {}) {
        const Ran ran = succeed(fresnel(path(in), path(out), "2mm", more));
        return read_array(path(out)).type();
    };
    EXPECT_EQ(type("in.png", "out.png"), Type::u8);
    EXPECT_EQ(type("deep.png", "out.png"), Type::u16);
    EXPECT_EQ(type("in.png", "out.png", {"--output-type", "u16"}), Type::u16);
    EXPECT_EQ(type("in.png", "out.npy", {"--phase", path("deep.png")}), Type::c64);
    EXPECT_EQ(type("in.png", "out.npy", {"--output-type", "u8"}), Type::u8);
    expect_refusal(2, fresnel(path("in.png"), path("out.png"), "2mm", {"--output-type", "c64"}),
        {"c64 (32, 32)", "write .npy"});
}

TEST_F(CommandLine, LightThatAliasesIsWarnedOf) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 64, 64);
    const Ran warned =
        succeed(fresnel(path("in.png"), path("out.png"), "5cm", {"--method", "convolution", "--stats"}));
    EXPECT_EQ(warned.out, "");
    expect_has(warned.err, {"tilewright: warning: fresnel: convolution aliases: ",
                               "the critical distance N p^2 / wavelength is 1.203 cm",
                               "take --method transform\n", "\nmethod      convolution\n",
                               "\nsampling    the critical", "\npitch       10 um in, 10 um out\n"});
    const Ran fitting = succeed(fresnel(path("in.png"), path("out.png"), "5cm"));
    EXPECT_EQ(fitting.err, "");
}

TEST_F(CommandLine, LightThatCannotGoIsRefused) {
    NEEDS_OPERATOR("fresnel");
    make_image("in.png", 64, 64);
    make_image("wide.png", 64, 128);
    make_image("odd.png", 99, 99);
    Array colours(Type::u8, {64, 64, 3});
    write_array(path("colours.png"), colours);
    const std::string in = path("in.png"), out = path("out.png");
    expect_refusal(2, {"fresnel", in, out, "--wavelength", "532nm", "--pitch", "10um"},
        {"distance", "is needed", "25cm"});
    expect_refusal(
        2, fresnel(in, out, "5 parsec"), {"--distance", "5 parsec", "km, m, cm, mm, um, nm or pm"});
    for (const char *wrong : {"far", "+-5cm", "-+5cm", "++5cm", "5cm+-", "--5cm"}) {
        expect_refusal(2, fresnel(in, out, wrong), {"--distance", wrong, "takes a length"});
    }
    expect_refusal(2, {"fresnel", in, out, "--wavelength", "532", "--pitch", "10um", "--distance", "5mm"},
        {"wavelength = 532 m", "from 1pm to 1m"});
    expect_refusal(2, fresnel(in, out, "5mm", {"--method", "convolve"}), {"--method", "convolution"});
    expect_refusal(2, fresnel(in, out, "5mm", {"--scale", "bright"}), {"scale", "auto"});
    expect_refusal(3, fresnel(path("wide.png"), out, "5mm"), {"square", "(64, 128)", "wide.png"});
    EXPECT_EQ(run(fresnel(path("colours.png"), out, "5mm")).code, 0);  // its grey values
    for (const Words &more : {Words{}, {"--pad"}}) {
        succeed(fresnel(path("odd.png"), out, "5mm", more));
        EXPECT_EQ(read_array(out).shape(), (std::vector<int64_t>{99, 99}));
    }
    make_image("prime.png", 67, 67);
    const Ran padded = succeed(fresnel(path("prime.png"), out, "5mm", {"--pad", "--stats"}));
    expect_has(padded.err, {"67 x 67, transformed as 135 x 135"});
}

}  // namespace
}  // namespace tilewright
