// The registry against what the generators and the tests list: nothing vanishes silently.
#include "tests/support/errors.h"
#include "tests/support/process.h"
#include "tilewright/operator.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace tilewright {

namespace {

std::set<std::string> words(const std::string &text) {
    std::istringstream stream(text);
    std::set<std::string> all;
    for (std::string word; stream >> word;) {
        all.insert(word);
    }
    return all;
}

// What CMake was asked to build.
const std::set<std::string> built_operators = words(TILEWRIGHT_BUILT_OPERATORS),
                            built_targets = words(TILEWRIGHT_BUILT_TARGETS);

bool is_built(const std::string &backend) {
    return built_targets.contains(backend == "vnni" ? "cpu" : backend);
}

// The lines that a program of the build folder prints; a program that fails is a failure of the test.
std::vector<std::string> lines_of(const std::string &program, const std::string &argument) {
    const Ran ran = run_program(TILEWRIGHT_BUILD_FOLDER "/" + program, {argument});
    EXPECT_EQ(ran.code, 0) << program << " " << argument << ": " << ran.err;
    std::vector<std::string> lines;
    std::istringstream stream(ran.out);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string place_of(const Row &row) {
    const char *const places[] = {"cpu", "cuda", "opencl"};
    return row.needs_vnni ? "vnni" : places[(int)row.backend];
}

// As the libraries are named: transpose_padded_u8_cuda.
std::string library_of(const Row &row) {
    return row.op + "_" + row.schedule + "_" + row.type + "_" + place_of(row);
}

std::set<std::string> types_of(const Operator &op) {
    std::set<std::string> types;
    for (const Row &row : op.rows()) {
        types.insert(row.type);
    }
    return types;
}

}  // namespace

TEST(Registry, HoldsWhatWasBuilt) {
    std::set<std::string> found;
    for (const Operator *op : operators()) {
        found.insert(op->name());
        EXPECT_EQ(&find_operator(op->name()), op);
        EXPECT_FALSE(op->rows().empty()) << op->name();
        EXPECT_FALSE(op->summary().empty()) << op->name();
    }
    EXPECT_FALSE(found.empty());
    EXPECT_EQ(found, built_operators);
}

TEST(Registry, AnUnknownOperatorIsRefusedWithTheKnownNames) {
    const Error error = error_of([] { find_operator("no_such_operator"); });
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_NE(std::string(error.what()).find(*built_operators.begin()), std::string::npos) << error.what();
}

// Both ways: what a generator lists is in the table, and the table holds nothing else.
TEST(Registry, TablesAreWhatTheGeneratorsList) {
    for (const Operator *op : operators()) {
        std::set<std::string> listed, tabled;
        for (const std::string &line : lines_of(op->name() + ".generator", "list")) {
            if (is_built(line.substr(line.rfind('_') + 1))) {
                EXPECT_TRUE(listed.insert(line).second) << line << " is listed twice";
            }
        }
        for (const Row &row : op->rows()) {
            EXPECT_EQ(row.op, op->name());
            EXPECT_TRUE(
                tabled.insert(row.declined.empty() ? library_of(row) : "declined " + library_of(row)).second)
                << row.name() << " is there twice";
        }
        EXPECT_FALSE(listed.empty()) << op->name();
        EXPECT_EQ(tabled, listed) << op->name();
    }
}

TEST(Registry, EveryRowHasItsOwnLibrary) {
    for (const Operator *op : operators()) {
        for (const Row &row : op->rows()) {
            if (!row.declined.empty()) {
                EXPECT_FALSE(row.autoscheduler.empty()) << row.name();
                EXPECT_EQ(row.entry, nullptr) << row.name();
                continue;
            }
            ASSERT_NE(row.entry, nullptr) << row.name();
            ASSERT_NE(row.metadata, nullptr) << row.name();
            EXPECT_EQ(row.metadata()->name, library_of(row));
            EXPECT_GE(row.metadata()->num_arguments, 2) << row.name();
            const std::string target = row.metadata()->target;
            EXPECT_EQ(target.find("no_asserts"), std::string::npos)
                << row.name() << " would pass over launches that fail";
            EXPECT_EQ(target.find("-cuda") != std::string::npos, row.backend == Backend::cuda)
                << row.name() << ": " << target;
            EXPECT_EQ(target.find("-opencl") != std::string::npos, row.backend == Backend::opencl)
                << row.name() << ": " << target;
        }
    }
}

// `list` prints the sentence. A row that the autoscheduler makes says so by itself.
TEST(Registry, EveryRowSaysInOneSentenceWhatItDoes) {
    for (const Operator *op : operators()) {
        for (const Row &row : op->rows()) {
            EXPECT_FALSE(row.summary.empty()) << row.name() << " has no says(...) in schedules/";
            EXPECT_LE(row.summary.size(), 100u) << row.name() << ": " << row.summary;
            EXPECT_TRUE(row.summary.empty() || row.summary.back() == '.')
                << row.name() << ": " << row.summary;
        }
    }
}

TEST(Registry, EveryRowHasATest) {
    for (const Operator *op : operators()) {
        std::set<std::string> tested;
        for (const std::string &line : lines_of("tests/" + op->name() + "_test", "--gtest_list_tests")) {
            const std::string name = line.substr(0, line.find("  #"));
            if (const size_t slash = name.rfind('/'); slash != std::string::npos) {
                tested.insert(name.substr(slash + 1));
            }
        }
        for (const Row &row : op->rows()) {
            if (row.declined.empty()) {
                EXPECT_TRUE(tested.count(row.schedule + "_" + row.type + "_" + place_of(row)))
                    << row.name() << " has no test";
            }
        }
    }
}

TEST(Registry, EveryTargetOccursInEveryOperator) {
    for (const Operator *op : operators()) {
        std::set<std::string> places;
        for (const Row &row : op->rows()) {
            if (row.declined.empty()) {
                places.insert(row.needs_vnni ? "cpu" : place_of(row));
            }
        }
        EXPECT_EQ(places, built_targets) << op->name();
    }
}

// Every type can be verified, and has a best row wherever it may run. The last row of `tuned` serves what the
// others leave, and that needs no special machine.
TEST(Registry, ReferenceAndTunedServeEveryType) {
    for (const Operator *op : operators()) {
        for (const std::string &type : types_of(*op)) {
            auto serves = [&](const std::string &schedule, const std::string &target) {
                for (const Row &row : op->rows()) {
                    if (row.belongs_to(schedule) && row.type == type && place_of(row) == target &&
                        row.declined.empty()) {
                        return true;
                    }
                }
                return false;
            };
            if (is_built("cpu")) {
                EXPECT_TRUE(serves("reference", "cpu")) << op->name() << " " << type;
            }
            for (const std::string &target : built_targets) {
                EXPECT_TRUE(serves("tuned", target)) << op->name() << " " << type << " on " << target;
            }
        }
    }
}

// The table says what kernels need, so that a device with less takes another row.
TEST(Registry, EveryGpuRowSaysWhatItsKernelsNeed) {
    for (const Operator *op : operators()) {
        for (const Row &row : op->rows()) {
            const bool gpu = row.backend != Backend::cpu && row.declined.empty();
            EXPECT_EQ(row.needs.threads > 0, gpu) << row.name();
            EXPECT_LE(row.needs.threads, 1024) << row.name();
            EXPECT_EQ(row.needs.capability > 0, gpu && row.backend == Backend::cuda) << row.name();
            if (row.needs.fp64) {
                EXPECT_EQ(row.backend, Backend::opencl) << row.name() << ": every CUDA device has doubles";
                EXPECT_TRUE(row.type == "f64" || row.op == "fresnel") << row.name();
            }
            EXPECT_EQ(row.needs.images, gpu && row.schedule.find("texture") != std::string::npos)
                << row.name();
        }
    }
}

// `verify` holds each row against what the plain definition gives for the operator's samples.
TEST(Registry, EveryOperatorHasAPlainDefinition) {
    for (const Operator *op : operators()) {
        const Sample sample = workload_of(*op).samples(op->rows().front().type).front();
        EXPECT_TRUE(plain_result(*op, sample.inputs, sample.settings))
            << op->name() << " has no plain/" << op->name() << ".cpp";
    }
}

// What an autoscheduled library of a GPU takes is asked of the library, which needs the device.
bool can_be_asked(const Row &row) {
    const auto known = devices();
    return row.autoscheduler.empty() || std::any_of(known.begin(), known.end(), [&](const DeviceInfo &d) {
        return d.usable && d.device.backend == row.backend;
    });
}

// A row that none of the samples fits would never be verified.
TEST(Registry, EveryRowServesASample) {
    for (const Operator *op : operators()) {
        for (const std::string &type : types_of(*op)) {
            const std::vector<Sample> samples = workload_of(*op).samples(type);
            for (const Row &row : op->rows()) {
                if (row.type != type || !row.declined.empty() || !can_be_asked(row)) {
                    continue;
                }
                EXPECT_TRUE(std::any_of(samples.begin(), samples.end(),
                    [&](const Sample &s) {
                        const auto [element, shape] = op->output_of(s.inputs, s.settings);
                        return op->type_of(s.inputs, s.settings) == type &&
                               op->serves(row, s.inputs, Array(element, shape), s.settings);
                    }))
                    << row.name() << " serves no sample";
            }
        }
    }
}

// The steps that the documentation walks through, by name.
TEST(Registry, TheDocumentedStepsAreThere) {
    const std::pair<const char *, const char *> steps[] = {
        {"column_sum", "bytes1 bytes4 bytes16 split"},
        {"row_sum", "serial atomic tree lanes"},
        {"transpose", "direct direct_mirrored shared padded diagonal diagonal_unpadded vector4"},
        {"gaussian_blur",
            "direct separable shared registers branch exp native relaxed texture half texture_half"},
        {"matmul", "direct shared registers"},
        {"recursive_gaussian", "columns transposed diagonal blocks half texture texture_half"},
        {"fft2d", "passes fused"},
        {"fresnel", "passes fused"},
        {"min_plus_convolution", "direct shared registers pruned"},
    };
    for (const auto &[name, schedules] : steps) {
        if (!built_operators.contains(name) || !is_built("cuda") || !is_built("opencl")) {
            continue;
        }
        for (const std::string &schedule : words(schedules)) {
            const Operator &op = find_operator(name);
            EXPECT_FALSE(
                op.rows(schedule, Backend::cuda).empty() && op.rows(schedule, Backend::opencl).empty())
                << name << " has no " << schedule;
        }
    }
}

}  // namespace tilewright
