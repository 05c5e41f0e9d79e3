// The registry against what the generators and the tests list: nothing vanishes silently.
#include "runtime/dispatch/choice/kernel_needs.h"
#include "tests/support/errors.h"
#include "tests/support/process.h"
#include "tilewright/operator.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
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

std::string place_of(const Variant &variant) {
    const char *const places[] = {"cpu", "cuda", "opencl"};
    return variant.needs_vnni ? "vnni" : places[(int)variant.backend];
}

// As the libraries are named: transpose_padded_u8_cuda.
// The transforms have these libraries in common (ScheduleVariant::one_for).
std::string library_of(const Variant &variant) {
    const bool common = variant.form == "fft_mixed" &&
                        (variant.backend != Backend::cpu || variant.schedule.starts_with("fused_mixed"));
    const std::string begin = common ? "fft" : variant.op;
    return begin + "_" + variant.schedule + "_" + variant.type + "_" + place_of(variant);
}

// The library that runs: sums of integers in f32 are made by those in u32 (sharing() of schedules).
std::string running_library_of(const Variant &variant) {
    const Variant *runs = &variant;
    for (const Variant &other : find_operator(variant.op).variants()) {
        const bool same = other.schedule == variant.schedule && place_of(other) == place_of(variant);
        if (same && other.type + "f32" == variant.type && other.form == variant.form &&
            other.entry == variant.entry) {
            runs = &other;
        }
    }
    return library_of(*runs);
}

std::set<std::string> types_of(const Operator &op) {
    std::set<std::string> types;
    for (const Variant &variant : op.variants()) {
        types.insert(variant.type);
    }
    return types;
}

}  // namespace

TEST(Registry, HoldsWhatWasBuilt) {
    std::set<std::string> found;
    for (const Operator *op : operators()) {
        found.insert(op->name());
        EXPECT_EQ(&find_operator(op->name()), op);
        EXPECT_FALSE(op->variants().empty()) << op->name();
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
        for (const Variant &variant : op->variants()) {
            EXPECT_EQ(variant.op, op->name());
            EXPECT_TRUE(tabled.insert(library_of(variant)).second) << variant.name() << " is there twice";
        }
        EXPECT_FALSE(listed.empty()) << op->name();
        EXPECT_EQ(tabled, listed) << op->name();
    }
}

// Libraries share lists of arguments, so that their entries alone tell them apart.
TEST(Registry, EveryVariantHasItsOwnLibrary) {
    std::map<std::string, decltype(Variant::entry)> entries;
    std::set<decltype(Variant::entry)> all;
    for (const Operator *op : operators()) {
        for (const Variant &variant : op->variants()) {
            ASSERT_NE(variant.entry, nullptr) << variant.name();
            ASSERT_NE(variant.metadata, nullptr) << variant.name();
            const auto known = entries.emplace(running_library_of(variant), variant.entry).first;
            EXPECT_EQ(known->second, variant.entry) << variant.name();
            all.insert(variant.entry);
            EXPECT_GE(variant.metadata()->num_arguments, 2) << variant.name();
        }
    }
    EXPECT_EQ(all.size(), entries.size()) << "libraries with the same entry";
}

// `list` prints the sentence. A variant that the autoscheduler makes says so by itself.
TEST(Registry, EveryVariantSaysInOneSentenceWhatItDoes) {
    for (const Operator *op : operators()) {
        for (const Variant &variant : op->variants()) {
            EXPECT_FALSE(variant.summary.empty()) << variant.name() << " has no says(...) in schedules/";
            EXPECT_LE(variant.summary.size(), 100u) << variant.name() << ": " << variant.summary;
            EXPECT_TRUE(variant.summary.empty() || variant.summary.back() == '.')
                << variant.name() << ": " << variant.summary;
        }
    }
}

TEST(Registry, EveryVariantHasATest) {
    for (const Operator *op : operators()) {
        std::set<std::string> tested;
        for (const std::string &line : lines_of("tests/" + op->name() + "_test", "--gtest_list_tests")) {
            const std::string name = line.substr(0, line.find("  #"));
            if (const size_t slash = name.rfind('/'); slash != std::string::npos) {
                tested.insert(name.substr(slash + 1));
            }
        }
        for (const Variant &variant : op->variants()) {
            EXPECT_TRUE(tested.count(variant.schedule + "_" + variant.type + "_" + place_of(variant)))
                << variant.name() << " has no test";
        }
    }
}

TEST(Registry, EveryTargetOccursInEveryOperator) {
    for (const Operator *op : operators()) {
        std::set<std::string> places;
        for (const Variant &variant : op->variants()) {
            places.insert(variant.needs_vnni ? "cpu" : place_of(variant));
        }
        EXPECT_EQ(places, built_targets) << op->name();
    }
}

// Every type can be verified, and has a best variant wherever it may run. The last variant of `tuned` serves
// what the others leave, and that needs no special machine.
TEST(Registry, ReferenceAndTunedServeEveryType) {
    for (const Operator *op : operators()) {
        for (const std::string &type : types_of(*op)) {
            auto serves = [&](const std::string &schedule, const std::string &target) {
                for (const Variant &variant : op->variants()) {
                    if (variant.belongs_to(schedule) && variant.type == type && place_of(variant) == target) {
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

// The table says what kernels need, so that a device with less takes another variant.
TEST(Registry, EveryGpuVariantSaysWhatItsKernelsNeed) {
    for (const Operator *op : operators()) {
        for (const Variant &variant : op->variants()) {
            const bool gpu = variant.backend != Backend::cpu;
            EXPECT_EQ(variant.needs.threads > 0, gpu) << variant.name();
            EXPECT_LE(variant.needs.threads, 1024) << variant.name();
            // A block runs only if the registers of its threads are at most those of a multiprocessor. ptxas
            // takes as many per thread as the variant allows, in eights, for whole warps.
            for (const Variant::RegisterCap &cap : variant.register_caps) {
                const int registers = (cap.most + 7) / 8 * 8,
                          threads = (variant.needs.threads + 31) / 32 * 32;
                EXPECT_LE(registers * threads, 65536) << variant.name() << ": limit its registers further";
            }
            // By OpenCL, those whose kernels have instructions of NVIDIA's GPUs.
            const bool by_instructions = variant.backend == Backend::opencl && variant.needs.capability > 0;
            const bool on_tensor_cores =
                variant.backend == Backend::opencl &&
                ((variant.form.starts_with("gaussian_blur_") && variant.form.ends_with("_products")) ||
                    variant.schedule.find("tensor") != std::string::npos);
            EXPECT_EQ(by_instructions, on_tensor_cores) << variant.name();
            EXPECT_EQ(
                variant.needs.capability > 0, gpu && (variant.backend == Backend::cuda || by_instructions))
                << variant.name();
            // More shared memory than NVIDIA's driver gives to OpenCL C needs PTX.
            const bool has_ptx = variant.backend == Backend::opencl && !variant.needs.images &&
                                 variant.opencl_options.empty() && variant.schedule != "native";
            EXPECT_EQ(variant.needs.ptx > 0, has_ptx) << variant.name();
            EXPECT_LE(variant.needs.shared_bytes, (variant.backend == Backend::cuda || has_ptx ? 227 :
                                                      gpu                                      ? 48 :
                                                                                                 0) *
                                                      1024)
                << variant.name();
            if (variant.needs.fp64) {
                EXPECT_EQ(variant.backend, Backend::opencl)
                    << variant.name() << ": every CUDA device has doubles";
                EXPECT_TRUE(variant.type == "f64" || variant.type == "c128" || variant.op == "fresnel")
                    << variant.name();
            }
            EXPECT_EQ(variant.needs.images, gpu && variant.schedule.find("texture") != std::string::npos)
                << variant.name();
        }
    }
}

// `verify` compares each variant with what the plain definition gives for the operator's samples.
TEST(Registry, EveryOperatorHasAPlainDefinition) {
    for (const Operator *op : operators()) {
        const Sample sample = workload_of(*op).samples(op->variants().front().type).front();
        EXPECT_TRUE(plain_result(*op, sample.inputs, sample.settings))
            << op->name() << " has no plain/" << op->name() << ".cpp";
    }
}

// What an autoscheduled library of a GPU takes is asked of the library, which needs the device. A pass of a
// transform takes part in no call where all devices lack what its kernels need.
bool can_be_asked(const Variant &variant) {
    bool has_device = false, runs = false;
    for (const DeviceInfo &d : devices(variant.backend)) {
        has_device = has_device || d.usable;
        runs = runs || (d.usable && why_not_on(variant, d).empty());
    }
    return variant.autoscheduler.empty() ? runs || !has_device || variant.form != "fft_pass" : has_device;
}

// A variant that none of the samples fits would never be verified.
TEST(Registry, EveryVariantServesASample) {
    for (const Operator *op : operators()) {
        for (const std::string &type : types_of(*op)) {
            const std::vector<Sample> samples = workload_of(*op).samples(type);
            for (const Variant &variant : op->variants()) {
                if (variant.type != type || !can_be_asked(variant)) {
                    continue;
                }
                EXPECT_TRUE(std::any_of(samples.begin(), samples.end(),
                    [&](const Sample &s) {
                        const auto [element, shape] = op->output_of(s.inputs, s.settings);
                        return op->type_of(s.inputs, s.settings) == type &&
                               op->serves(variant, s.inputs, Array(element, shape), s.settings);
                    }))
                    << variant.name() << " serves no sample";
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
            EXPECT_FALSE(op.variants(schedule, Backend::cuda).empty() &&
                         op.variants(schedule, Backend::opencl).empty())
                << name << " has no " << schedule;
        }
    }
}

}  // namespace tilewright
