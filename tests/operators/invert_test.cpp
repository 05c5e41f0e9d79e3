// invert: every row against the plain loop, and what the front chooses and refuses.
#include "tilewright/invert.h"
#include "tests/operators/rows.h"
#include "tilewright/plain.h"
#include "tilewright/workload.h"

using namespace tilewright;

namespace {

void expect_negative(const Array &image, const Array &output) {
    ASSERT_EQ(difference(output, *plain_result(invert_operator(), {&image, 1}, {}), {}), "")
        << image.describe();
}

class InvertRow : public RowTest {};

TEST_P(InvertRow, AgreesWithThePlainLoop) {
    const std::vector<std::vector<int64_t>> shapes = {{1, 1}, {1, 5}, {5, 1}, {8, 32}, {7, 31}, {9, 33},
        {64, 64}, {63, 65}, {127, 1}, {211, 97}, {2049, 4097}, {3, 100003}, {1000003, 3}, {33, 21, 3},
        {17, 19, 4}};
    for (const auto &shape : shapes) {
        const Array image = random_array<uint8_t>(shape);
        Array output;
        if (run({image}, output)) {
            expect_negative(image, output);
        }
    }
    EXPECT_GT(served(), 0);
}

TEST_P(InvertRow, TakesAndLeavesRowsOfAnyPitch) {
    const Array image = random_array<uint8_t>({140, 561}, 2, 567).crop(3, 2, 135, 557);
    std::vector<uint8_t> memory(135 * 559, 0xa5);
    Array output = Array::view(Type::u8, memory.data(), {135, 557}, {559, 1});
    ASSERT_TRUE(run({image}, output));
    output.sync();
    expect_negative(image, output);
    for (int64_t y = 0; y + 1 < 135; y++) {
        EXPECT_EQ(memory[y * 559 + 557], 0xa5) << "between rows " << y << " and " << y + 1;
        EXPECT_EQ(memory[y * 559 + 558], 0xa5) << "between rows " << y << " and " << y + 1;
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, InvertRow, testing::ValuesIn(row_cases(invert_operator())), row_case_name);

TEST(Invert, ChoosesARowByItself) {
    const Array image = random_array<uint8_t>({123, 45});
    Array output;
    invert(image, output, {.device = Device{}});
    expect_negative(image, output);
}

// Padded rows of one element would take up to 64 times the memory, and most of the time of a call.
TEST(Invert, MakesOneColumnDense) {
    const Array image = random_array<uint8_t>({300, 1});
    Array output;
    invert(image, output, {.device = Device{}});
    EXPECT_EQ(output.strides()[0], 1);
    expect_negative(image, output);
}

TEST(Invert, RefusesOtherTypes) {
    Array output;
    const Error error = error_of([&] { invert(Array(Type::f32, {4, 4}), output); });
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_EQ(error.context().operation, "invert");
    EXPECT_EQ(error.context().value, "f32 (4, 4)");
}

}  // namespace
