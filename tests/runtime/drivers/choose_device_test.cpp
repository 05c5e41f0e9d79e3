// The device of a call that names none, with the fake libcuda.so.1 as a GPU.
#include "tests/runtime/drivers/any_operator.h"

namespace tilewright {
namespace {

const Device first{Backend::cuda, 0};

// Copies count: of small data the CPU is faster, of large products the GPU, and what is on the GPU stays
// there.
TEST(ChooseDevice, CountsTheCopies) {
    const AnyOperator any(Backend::cuda);
    const Operator *op = any.op, *product = built_operator("matmul");
    const auto small = op->parse(any.sample.inputs, any.sample.settings);
    if (op->predicted_times(*small, first).empty() || op->predicted_times(*small, Device{}).empty()) {
        GTEST_SKIP() << "no times were measured of " << op->name();
    }
    EXPECT_EQ(op->choose_device(*small), Device{});
    EXPECT_EQ(op->choose_device(*small, "reference"), first) << "as before for other schedules";
    if (product && !product->rows("tuned", Backend::cuda).empty()) {
        const Array side(Type::f32, {2048, 2048});
        const Array sides[] = {side, side};
        EXPECT_EQ(product->choose_device(*product->parse(sides, {})), first);
    }
    if (const Operator *invert = built_operator("invert")) {
        const Array image(Type::u8, {640, 480});
        Array on_gpu;
        (*invert)({&image, 1}, on_gpu, {}, {.device = first});
        EXPECT_EQ(invert->choose_device(*invert->parse({&on_gpu, 1}, {})), first);
        on_gpu.data();
        EXPECT_EQ(invert->choose_device(*invert->parse({&on_gpu, 1}, {})), Device{});
    }
}

}  // namespace
}  // namespace tilewright
