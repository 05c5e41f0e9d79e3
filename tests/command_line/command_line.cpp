// The command line as a user meets it: what its tests share.
#include "tests/command_line/command_line.h"
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace tilewright {

Words failing_driver(const std::string &how) {
    const char *path = getenv("LD_LIBRARY_PATH");
    return {std::string("LD_LIBRARY_PATH=" TILEWRIGHT_FAILING_OPENCL) + (path ? std::string(":") + path : ""),
        "FAILING_DRIVER=" + how};
}

Ran CommandLine::run(const Words &arguments, const Words &environment) const {
    return run_program(TILEWRIGHT_APP, arguments, {.environment = environment});
}

Ran CommandLine::succeed(const Words &arguments, const Words &environment) const {
    Ran ran = run(arguments, environment);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran;
}

json CommandLine::run_json(const Words &arguments, const Words &environment) const {
    const Ran ran = succeed(arguments, environment);
    const json parsed = json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << ran.out;
    const Words with_variants = {"list", "verify", "bench", "explain"};  // docs/JSON.md
    const bool has_variants =
        std::find(with_variants.begin(), with_variants.end(), arguments.front()) != with_variants.end();
    EXPECT_EQ(parsed.value("version", 0), has_variants ? 2 : 1);
    return parsed;
}

void CommandLine::expect_refusal(
    int code, const Words &arguments, const Words &words, const Words &environment) const {
    const Ran ran = run(arguments, environment);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    expect_error_line(ran.err, words);
}

Array CommandLine::make_image(
    const std::string &name, int64_t h, int64_t w, const PngMetadata &metadata) const {
    Array image(Type::u8, {h, w});
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++) {
            image.as<uint8_t>()[y * image.strides()[0] + x] = (uint8_t)(y * 7 + x * 3 + x * y);
        }
    }
    write_array(path(name), image, metadata);
    return image;
}

Words CommandLine::operators() {
    std::istringstream built(TILEWRIGHT_BUILT_OPERATORS);
    return {std::istream_iterator<std::string>(built), std::istream_iterator<std::string>()};
}

bool CommandLine::has_operator(const std::string &name) {
    const Words names = operators();
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool CommandLine::has_device(const std::string &backend) const {
    static const json all = run_json({"devices", "--json"});  // once per process: it loads every driver
    for (const json &device : all["devices"]) {
        if (device["usable"] && device["device"].get<std::string>().starts_with(backend)) {
            return true;
        }
    }
    return false;
}

}  // namespace tilewright
