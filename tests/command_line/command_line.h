#pragma once
// The command line as a user meets it: the built program is run, and its exit code, its streams and its files
// are looked at.
#include "tests/command_line/error_line.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tilewright/files.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewright {

using nlohmann::json;

// The environment in which OpenCL's library is one that fails
// (tests/runtime/drivers/fakes/failing_driver.cpp).
Words failing_driver(const std::string &how);

class CommandLine : public testing::Test {
protected:
    std::string path(const std::string &name) const {
        return folder_.file(name);
    }

    Ran run(const Words &arguments, const Words &environment = {}) const;
    // Runs what must end with exit code 0.
    Ran succeed(const Words &arguments, const Words &environment = {}) const;
    json run_json(const Words &arguments, const Words &environment = {}) const;

    // Runs what must fail: with this exit code, nothing on standard output, and one line on standard error
    // that has all of the words in it.
    void expect_refusal(
        int code, const Words &arguments, const Words &words, const Words &environment = {}) const;

    // The files of the test's folder.
    Names files() const {
        return folder_.names();
    }

    // A grey image with different pixels, as a PNG.
    Array make_image(
        const std::string &name, int64_t h = 37, int64_t w = 53, const PngMetadata &metadata = {}) const;

    // The operators that this build has.
    static Words operators();
    static bool has_operator(const std::string &name);
    // Whether the program finds a device of this backend that it can use.
    bool has_device(const std::string &backend) const;

    const TestFolder folder_{TestFolder::Of::programs};
};

}  // namespace tilewright

#define NEEDS_OPERATOR(name)                                                                                 \
    if (!has_operator(name)) {                                                                               \
        GTEST_SKIP() << "this build has no operator " << (name);                                             \
    }

#define NEEDS_DEVICE(backend)                                                                                \
    if (!has_device(backend)) {                                                                              \
        GTEST_SKIP() << "not run here: no usable " << (backend) << " device";                                \
    }
