// matmul: which variants a call takes in the order of the table, by size, type and alignment.
#include "runtime/dispatch/padding.h"
#include "tests/operators/variants.h"
#include "tilewright/matmul.h"
#include <map>
#include <string>

namespace tilewright {
namespace {

// The variant that is taken in the order of the table, which is what counts where no times were measured.
std::string chosen(Backend backend, const Array &a, const Array &b) {
    const Operator &op = matmul_operator();
    const Array inputs[] = {a, b};
    return op
        .choose(inputs, Array(Type::f32, {a.shape()[0], b.shape()[1]}), {}, "tuned", Device{backend, 0},
            &op.variants())
        .schedule;
}

std::string chosen(Backend backend, int64_t m, int64_t k, int64_t n, Type type = Type::f32) {
    return chosen(backend, Array(type, {m, k}), Array(type, {k, n}));
}

// Each variant of `tuned` is taken where it is the fast one.
TEST(Matmul, ChoosesARowBySizeOnCuda) {
    if (matmul_operator().variants("tuned", Backend::cuda).empty()) {
        GTEST_SKIP() << "no CUDA variants in this build";
    }
    EXPECT_EQ(chosen(Backend::cuda, 512, 512, 512), "tuned_small_whole");
    EXPECT_EQ(chosen(Backend::cuda, 511, 513, 509), "tuned_small");
    EXPECT_EQ(chosen(Backend::cuda, 1024, 1024, 1024), "tuned_small");
    EXPECT_EQ(chosen(Backend::cuda, 1023, 1025, 1021), "tuned_small");
    EXPECT_EQ(chosen(Backend::cuda, 2048, 2048, 2048), "tuned_large");
    EXPECT_EQ(chosen(Backend::cuda, 2048, 4096, 2048), "tuned_large");
    EXPECT_EQ(chosen(Backend::cuda, 64, 8192, 64), "tuned_any");
    EXPECT_EQ(chosen(Backend::cuda, 1, 300, 1), "tuned_any");
    // The variant for whole tiles reads 16 bytes at a time: data that begins elsewhere is not for it.
    const Array b(Type::f32, {512, 512}), wide(Type::f32, {512, 520});
    EXPECT_EQ(chosen(Backend::cuda, wide.crop(0, 4, 512, 512), b), "tuned_small_whole");
    EXPECT_EQ(chosen(Backend::cuda, wide.crop(0, 1, 512, 512), b), "tuned_small");
    EXPECT_EQ(chosen(Backend::cuda, Array(Type::f32, {512, 513}, 0).crop(0, 0, 512, 512), b), "tuned_small");
}

// 16-bit floats have their tensor cores in `tuned`, whatever the depth.
TEST(Matmul, ChoosesTensorCoresForSixteenBitFloats) {
    if (matmul_operator().variants("tuned", Backend::cuda).empty()) {
        GTEST_SKIP() << "no CUDA variants in this build";
    }
    for (const Type type : {Type::f16, Type::bf16}) {
        EXPECT_EQ(chosen(Backend::cuda, 2048, 1, 2048, type), "tuned_tensor");
        EXPECT_EQ(chosen(Backend::cuda, 511, 513, 509, type), "tuned_tensor_small");
        EXPECT_EQ(chosen(Backend::cuda, 64, 8200, 64, type), "tuned_tensor_shares");
        EXPECT_EQ(chosen(Backend::cuda, 1, 4096, 4096, type), "tuned_tensor_shares");
        EXPECT_EQ(chosen(Backend::cuda, 128, 4096, 4096, type), "tuned_tensor_shares_tall");
        EXPECT_EQ(chosen(Backend::cuda, 256, 4096, 4096, type), "tuned_tensor_shares_128");
        EXPECT_EQ(chosen(Backend::cuda, 64, 1000, 64, type), "tuned_tensor_small_boxes");
        EXPECT_EQ(chosen(Backend::cuda, 4097, 1, 4097, type), "tuned_tensor");
        // Rows of both are copied 16 bytes at a time.
        EXPECT_EQ(chosen(Backend::cuda, 1000, 1024, 1000, type), "tuned_tensor_small_whole");
        EXPECT_EQ(chosen(Backend::cuda, 4095, 4096, 4088, type), "tuned_tensor_whole");
        EXPECT_EQ(chosen(Backend::cuda, 4095, 4096, 4090, type), "tuned_tensor");
        EXPECT_EQ(chosen(Backend::cuda, 4095, 4104, 4088, type), "tuned_tensor_whole");
        EXPECT_EQ(chosen(Backend::cuda, 4095, 4100, 4088, type), "tuned_tensor");
        const Array a(type, {512, 512}), wide(type, {512, 528});
        EXPECT_EQ(chosen(Backend::cuda, a, wide.crop(0, 8, 512, 512)), "tuned_tensor_small_whole");
        EXPECT_EQ(chosen(Backend::cuda, a, wide.crop(0, 4, 512, 512)), "tuned_tensor_small");
        // Boxes are stored where rows of the output begin at multiples of 16 bytes.
        const Array factors[] = {Array(type, {1000, 1000}), Array(type, {1000, 1000})};
        const Array output(Type::f32, {1000, 1008});
        for (const auto &[column, schedule] :
            {std::pair(4, "tuned_tensor_small_boxes"), std::pair(2, "tuned_tensor_small")}) {
            const Operator &op = matmul_operator();
            EXPECT_EQ(op.choose(factors, output.crop(0, column, 1000, 1000), {}, "tuned",
                            Device{Backend::cuda, 0}, &op.variants())
                          .schedule,
                schedule);
        }
    }
}

// Products of the tensor cores are another word of `--schedule`. They are for depths that their bound holds
// for.
TEST(Matmul, TensorCoresTakeDepthsForTheirBound) {
    if (matmul_operator().variants("tensor", Backend::cuda).empty()) {
        GTEST_SKIP() << "no CUDA variants in this build";
    }
    const auto schedule = [](int64_t m, int64_t k, int64_t n) {
        const Operator &op = matmul_operator();
        const Array inputs[] = {Array(Type::f32, {m, k}), Array(Type::f32, {k, n})};
        return op
            .choose(inputs, Array(Type::f32, {m, n}), {}, "tensor", Device{Backend::cuda, 9}, &op.variants())
            .schedule;
    };
    EXPECT_EQ(schedule(64, 2048, 512), "tensor_lanes");
    EXPECT_EQ(schedule(512, 64, 512), "tensor_lanes");
    EXPECT_EQ(schedule(512, 512, 510), "tensor_shares") << "rows of 16 bytes alone are copied as they are";
    EXPECT_EQ(schedule(511, 513, 509), "tensor_shares");
    EXPECT_EQ(schedule(1024, 256, 1024), "tensor_small_whole");
    EXPECT_EQ(schedule(1024, 257, 1024), "tensor_small");
    EXPECT_EQ(schedule(1500, 1500, 1500), "tensor_tall");
    EXPECT_EQ(schedule(1024, 128, 1024), "tensor_tall");
    EXPECT_EQ(schedule(2048, 2048, 2048), "tensor_halves");
    EXPECT_EQ(schedule(2048, 2044, 2052), "tensor_halves");
    EXPECT_EQ(schedule(2048, 2048, 2046), "tensor_halves");
    EXPECT_EQ(schedule(2048, 2046, 2048), "tensor_halves");
    EXPECT_EQ(schedule(128, 4096, 4096), "tensor_few_rows");
    EXPECT_EQ(schedule(130, 4095, 4096), "tensor_few_rows") << "rows of B alone are copied as they are";
    EXPECT_EQ(schedule(4096, 4096, 128), "tensor_few_columns");
    EXPECT_EQ(schedule(1600, 256, 1), "tensor_shares") << "the first one, where none is meant";
    EXPECT_EQ(error_of([&] { schedule(1024, 127, 1024); }).fault(), Fault::input);
    for (const Variant *variant : matmul_operator().variants("tensor", Backend::cuda)) {
        const bool by_warps = variant->schedule == "tensor_lanes";  // compute capability 8.0 has these, too
        EXPECT_EQ(variant->needs.only_capability, by_warps ? 0 : 90) << variant->name();
        EXPECT_FALSE(variant->belongs_to("tuned")) << variant->name();
    }
}

// What a variant of a GPU computes for one row is a row of its tiles, which takes as long as a full one.
TEST(Matmul, PaddingIsKnownOfEveryVariantOfAGpu) {
    if (matmul_operator().variants("tuned", Backend::cuda).empty()) {
        GTEST_SKIP() << "no CUDA variants in this build";
    }
    Measures measures;
    for (const double number : {1., 4096., 4096., 132.}) {  // the last one is the number of units
        measures.add(number);
    }
    const auto padding = [&](const Variant &variant) {
        return matmul_operator().measure(measure_of_padding, variant, measures);
    };
    const std::map<std::string, double> of_schedules = {
        {"tensor_few_rows", 64}, {"tensor_shares", 64}, {"tuned_any", 16}, {"shared", 16 * 264. / 256}};
    int found = 0;
    for (const Variant &variant : matmul_operator().variants()) {
        if (variant.backend != Backend::cuda || variant.type != "f32" || !variant.autoscheduler.empty()) {
            continue;
        }
        EXPECT_GT(padding(variant), 15) << variant.name();
        if (const auto of = of_schedules.find(variant.schedule); of != of_schedules.end()) {
            EXPECT_DOUBLE_EQ(padding(variant), of->second) << variant.name();
            found++;
        }
    }
    EXPECT_EQ(found, (int)of_schedules.size());
}

// A panel of 128 rows of 5 million numbers f32 takes 2.4 GiB, and no part of the product has a smaller one.
// Nobody reads the matrices.
TEST(Matmul, PanelsThatNoLibraryAddressesAreLeftToOtherVariants) {
    if (matmul_operator().variants("tuned", Backend::cuda).empty()) {
        GTEST_SKIP() << "no CUDA variants in this build";
    }
    const float *const nothing = (const float *)64;
    const auto schedule = [&](int64_t k, const char *named) {
        const Operator &op = matmul_operator();
        const Array inputs[] = {
            Array::view(Type::f32, nothing, {64, k}), Array::view(Type::f32, nothing, {k, 64})};
        return op
            .choose(inputs, Array(Type::f32, {64, 64}), {}, named, Device{Backend::cuda, 9}, &op.variants())
            .schedule;
    };
    for (const char *named : {"tuned_large", "tensor_any"}) {
        EXPECT_EQ(schedule(4 << 20 >> 2, named), named);
        EXPECT_EQ(error_of([&] { schedule(5000000, named); }).fault(), Fault::input) << named;
    }
    EXPECT_EQ(schedule(5000000, "tuned"), "tuned_any");
}

TEST(Matmul, ChoosesARowBySizeOnTheCpu) {
    EXPECT_EQ(chosen(Backend::cpu, 1, 300, 400), "tuned_few_rows");
    EXPECT_EQ(chosen(Backend::cpu, 300, 400, 1), "tuned_few_columns");
    EXPECT_EQ(chosen(Backend::cpu, 9, 1, 9), "tuned_any");
    EXPECT_EQ(chosen(Backend::cpu, 64, 64, 64), "tuned_small");
    EXPECT_EQ(chosen(Backend::cpu, 64, 64, 31), "tuned_any");
    EXPECT_EQ(chosen(Backend::cpu, 512, 512, 512), "tuned_any");
}

}  // namespace
}  // namespace tilewright
