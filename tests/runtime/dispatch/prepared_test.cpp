// Prepared calls on the devices of this machine: arrays of all kinds, errors, threads, pipelines and streams.
#include "tilewright/prepared.h"
#include "tests/support/arrays.h"
#include "tests/support/errors.h"
#include "tests/support/operators.h"
#include "tilewright/pipeline.h"
#include "tilewright/stream.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

class PreparedCall : public testing::Test {
protected:
    void SetUp() override {
        if (!transpose || !sums) {
            GTEST_SKIP() << "not run here: transpose and column_sum were not built";
        }
    }
    const Operator *const transpose = built_operator("transpose"), *const sums = built_operator("column_sum");
};

}  // namespace

TEST_F(PreparedCall, ReadsWhatTheProgramWritesBetweenCalls) {
    for (const Device device : usable_devices()) {
        Array image = random_array<uint8_t>({100, 200}), output;
        Prepared prepared = transpose->prepare({&image, 1}, output, {}, {.device = device});
        for (unsigned i = 2; i < 5; i++) {
            fill_random<uint8_t>(image, i);
            prepared();
            EXPECT_TRUE(same_bytes(output, result_of(*transpose, {&image, 1}, {}, {}))) << device.str();
        }
    }
}

TEST_F(PreparedCall, OthersAreRefusedInTheWordsOfTheCall) {
    for (const Device device : usable_devices()) {
        const Array image(Type::u8, {100, 200});
        Array output, other;
        Prepared prepared = transpose->prepare({&image, 1}, output, {}, {.device = device});
        const auto refused = [&](Fault fault, const std::string &words, std::vector<Array> inputs,
                                 Array result) {
            EXPECT_FALSE(prepared.takes(inputs) && result.empty());
            expect_error(fault, words, [&] { prepared(inputs, result); });
        };
        const Array smaller(Type::u8, {100, 199}), vector(Type::u8, {100}), same(Type::u8, {100, 200});
        refused(Fault::input, "must be u8 (100, 200)", {smaller}, {});
        refused(Fault::input, "must be u8 (100, 200)", {Array(Type::u16, {100, 200})}, {});
        refused(Fault::input, "must be u8 (200, 100)", {same}, Array(Type::u8, {100, 200}));
        for (const std::vector<Array> &inputs : {std::vector<Array>{}, {same, same}, {vector}, {Array()}}) {
            const Error of_call = error_of([&] { (*transpose)(inputs, other, {}, {.device = device}); });
            const Error of_prepared = error_of([&] { prepared(inputs, other); });
            EXPECT_STREQ(of_prepared.what(), of_call.what());
            EXPECT_EQ(of_prepared.fault(), of_call.fault());
        }
        Array square(Type::u8, {64, 64});
        Prepared of_square = transpose->prepare({&square, 1}, other, {}, {.device = device});
        const std::string words =
            expect_error(Fault::usage, "shares memory", [&] { of_square({&square, 1}, square); });
        EXPECT_EQ(
            words, error_of([&] { (*transpose)({&square, 1}, square, {}, {.device = device}); }).what());
        EXPECT_NO_THROW(prepared()) << "a call that was refused changes nothing";
    }
    Array output;
    const Array image(Type::u8, {8, 8});
    expect_error(Fault::usage, "no",
        [&] { transpose->prepare({&image, 1}, output, {}, {.device = Device{}, .schedule = "no"}); });
    EXPECT_TRUE(output.empty()) << "a call that fails leaves an empty output empty";
}

TEST_F(PreparedCall, ConstMemoryIsNeverWritten) {
    const std::vector<uint8_t> pixels(64 * 64, 7);
    const Array image(Type::u8, {64, 64});
    Array read_only = Array::view(std::span(pixels), {64, 64});
    for (const Device device : usable_devices()) {
        Array output;
        Prepared prepared = transpose->prepare({&image, 1}, output, {}, {.device = device});
        expect_error(Fault::usage, "const memory", [&] { prepared({&image, 1}, read_only); });
        prepared({&read_only, 1}, output);
        EXPECT_EQ(output.at<uint8_t>({63, 0}), 7);
    }
}

// Views of the caller's memory, dense and padded, and parts of images: laid out as the first one or not.
TEST_F(PreparedCall, TakesArraysThatAreLaidOutOtherwise) {
    for (const Device device : usable_devices()) {
        const Array image = random_array<uint8_t>({128, 256}), dense = random_array<uint8_t>({96, 100}, 2, 0),
                    padded = random_array<uint8_t>({96, 100}, 3, 300),
                    large = random_array<uint8_t>({500, 700}, 4);
        Array output;
        const Array first = image.crop(0, 0, 96, 100);
        Prepared prepared = transpose->prepare({&first, 1}, output, {}, {.device = device});
        std::vector<uint8_t> pixels(97 * 256 + 1);
        fill_bytes(pixels.data(), pixels.size(), 5);
        for (const Array &other : {image.crop(32, 64, 96, 100), image.crop(7, 13, 96, 100), dense, padded,
                 large.crop(100, 128, 96, 100), large.crop(404, 599, 96, 100),
                 Array::view(Type::u8, pixels.data() + 1, {96, 100}, {256, 1}), first}) {
            Array whole(Type::u8, {300, 400}), part = whole.crop(64, 128, 100, 96), made;
            prepared({&other, 1}, made);
            prepared({&other, 1}, part);
            const Array expected = result_of(*transpose, {&other, 1}, {}, {});
            EXPECT_TRUE(same_bytes(made, expected)) << device.str() << ", " << other.strides()[0];
            EXPECT_TRUE(same_bytes(part, expected)) << device.str() << ", " << other.strides()[0];
            EXPECT_EQ(whole.at<uint8_t>({63, 128}), 0);
            EXPECT_EQ(whole.at<uint8_t>({64, 128 + 96}), 0);
        }
    }
}

TEST_F(PreparedCall, TilesOfOneImage) {
    for (const Device device : usable_devices()) {
        const Array image = random_array<uint8_t>({512, 512});
        Array turned(Type::u8, {512, 512});
        std::optional<Prepared> prepared;
        for (int64_t y = 0; y < 512; y += 128) {
            for (int64_t x = 0; x < 512; x += 128) {
                const Array tile = image.crop(y, x, 128, 128);
                Array result = turned.crop(x, y, 128, 128);
                if (prepared) {
                    (*prepared)({&tile, 1}, result);
                } else {
                    prepared.emplace(transpose->prepare({&tile, 1}, result, {}, {.device = device}));
                }
            }
        }
        EXPECT_TRUE(same_bytes(turned, result_of(*transpose, {&image, 1}, {}, {}))) << device.str();
    }
}

// An iteration: each call reads what the one before has written, and writes over what that one has read.
TEST_F(PreparedCall, ArraysMayBeExchanged) {
    for (const Device device : usable_devices()) {
        const Array image = random_array<float>({192, 192});
        Array a = image.clone(), b;
        Prepared prepared = transpose->prepare({&a, 1}, b, {}, {.device = device});
        for (int i = 0; i < 5; i++) {
            prepared({&b, 1}, a);
            EXPECT_TRUE(same_bytes(a, image)) << device.str();
            prepared({&a, 1}, b);
        }
        EXPECT_TRUE(same_bytes(b, result_of(*transpose, {&image, 1}, {}, {}))) << device.str();
    }
}

// One array in the place of two, and two in the place of one.
TEST_F(PreparedCall, OneArrayMayBeBothInputs) {
    const Operator *matmul = built_operator("matmul");
    if (!matmul) {
        GTEST_SKIP() << "not run here: matmul was not built";
    }
    for (const Device device : usable_devices()) {
        if (device.backend == Backend::opencl && !device_info(device).is_gpu) {
            continue;
        }
        const Array a = random_array<float>({128, 128}, 1), b = random_array<float>({128, 128}, 2);
        const std::vector<std::vector<Array>> all = {{a, b}, {a, a}, {b, a}, {b, b}, {a, b}};
        for (const auto &first : {all[0], all[1]}) {
            Array output;
            Prepared prepared = matmul->prepare(first, output, {}, {.device = device});
            for (const std::vector<Array> &inputs : all) {
                prepared(inputs, output);
                EXPECT_TRUE(same_bytes(output, result_of(*matmul, inputs, {}, device))) << device.str();
            }
        }
    }
}

TEST_F(PreparedCall, TwoOfThemInterleaved) {
    for (const Device device : usable_devices()) {
        const Array a = random_array<uint8_t>({300, 400}, 1), b = random_array<uint8_t>({300, 400}, 2);
        Array of_a, of_b;
        Prepared first = sums->prepare({&a, 1}, of_a, {}, {.device = device}),
                 second = sums->prepare({&b, 1}, of_b, {}, {.device = device});
        for (int i = 0; i < 4; i++) {
            Array others_of_a, others_of_b;
            first({&b, 1}, others_of_b);
            second({&a, 1}, others_of_a);
            EXPECT_TRUE(same_bytes(others_of_a, of_a)) << device.str();
            EXPECT_TRUE(same_bytes(others_of_b, of_b)) << device.str();
        }
        EXPECT_TRUE(same_bytes(of_a, result_of(*sums, {&a, 1}, {}, {}))) << device.str();
        EXPECT_TRUE(same_bytes(of_b, result_of(*sums, {&b, 1}, {}, {}))) << device.str();
    }
}

TEST_F(PreparedCall, ArraysMayOutliveItAndItMayOutliveThem) {
    for (const Device device : usable_devices()) {
        Array output, expected;
        std::optional<Prepared> prepared;
        {
            const Array image = random_array<uint8_t>({300, 400}, 1);
            expected = result_of(*transpose, {&image, 1}, {}, {});
            prepared.emplace(transpose->prepare({&image, 1}, output, {}, {.device = device}));
        }
        memset(output.data(), 0, 1);
        (*prepared)();
        prepared.reset();  // its work may be under way
        EXPECT_TRUE(same_bytes(output, expected)) << device.str();
        Array other;
        transpose->prepare({&output, 1}, other, {}, {.device = device})();
        EXPECT_EQ(other.at<uint8_t>({5, 7}), output.at<uint8_t>({7, 5})) << device.str();
    }
}

TEST_F(PreparedCall, OneThatWasMovedFromSaysSo) {
    const Array image = random_array<uint8_t>({30, 40});
    Array output;
    Prepared first = transpose->prepare({&image, 1}, output, {}, {.device = Device{}});
    Prepared second = std::move(first);
    // NOLINTBEGIN(bugprone-use-after-move): what this is about
    expect_error(Fault::usage, "moved", [&] { first(); });
    expect_error(Fault::usage, "moved", [&] { first(image, output); });
    expect_error(Fault::usage, "moved", [&] { first.takes({&image, 1}); });
    expect_error(Fault::usage, "moved", [&] { first.device(); });
    expect_error(Fault::usage, "moved", [&] { first.output(); });
    expect_error(Fault::usage, "moved", [&] { first.is_one_launch(); });
    // NOLINTEND(bugprone-use-after-move)
    second();
    first = std::move(second);
    first();
    EXPECT_TRUE(same_bytes(output, result_of(*transpose, {&image, 1}, {}, {})));
}

// Arrays may be used elsewhere between two calls: their memory on the device is another one then.
TEST_F(PreparedCall, ArraysMayBeOnOtherDevicesBetweenCalls) {
    const std::vector<Device> devices = usable_devices();
    for (const Device device : devices) {
        const Array image = random_array<uint8_t>({300, 400}, 1), padding(Type::u8, {1 << 20});
        const Array expected = result_of(*transpose, {&image, 1}, {}, {});
        Array output;
        Prepared prepared = transpose->prepare({&image, 1}, output, {}, {.device = device});
        for (const Device other : devices) {
            image.sync(other);
            output.sync(other);
            padding.sync(device);
            prepared();
            EXPECT_TRUE(same_bytes(output, expected)) << device.str() << " after " << other.str();
        }
    }
}

TEST_F(PreparedCall, ThreadsHaveTheirOwnOrShareOne) {
    for (const Device device : usable_devices()) {
        const Array image = random_array<uint8_t>({200, 300});
        const Array expected = result_of(*sums, {&image, 1}, {}, {});
        Array output;
        Prepared shared = sums->prepare({&image, 1}, output, {}, {.device = device});
        std::vector<std::thread> threads;
        std::array<bool, 4> agree{};
        for (bool &agrees : agree) {
            threads.emplace_back([&] {
                try {
                    Array own_output, result;
                    Prepared own = sums->prepare({&image, 1}, own_output, {}, {.device = device});
                    agrees = true;
                    for (int i = 0; i < 20; i++) {
                        own();
                        shared({&image, 1}, result);
                        agrees = agrees && same_bytes(own_output, expected) && same_bytes(result, expected);
                    }
                } catch (const Error &error) {
                    agrees = false;
                    ADD_FAILURE() << error.what();
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        EXPECT_EQ(std::ranges::count(agree, true), 4) << device.str();
    }
}

TEST_F(PreparedCall, ValuesAreCheckedAtEachCall) {
    const Operator *op = built_operator("min_plus_convolution");
    if (!op) {
        GTEST_SKIP() << "not run here: min_plus_convolution was not built";
    }
    for (const Device device : usable_devices()) {
        std::vector<Array> inputs = {random_array<float>({300}, 1), random_array<float>({200}, 2)};
        Array output;
        Prepared prepared = op->prepare(inputs, output, {}, {.device = device});
        inputs[1].as<float>()[17] = std::numeric_limits<float>::quiet_NaN();
        for (int i = 0; i < 2; i++) {
            const std::string words = expect_error(Fault::input, "b[17]", [&] { prepared(); });
            EXPECT_EQ(words, error_of([&] { (*op)(inputs, output, {}, {.device = device}); }).what());
        }
        inputs[1].as<float>()[17] = 0;
        prepared();
        EXPECT_TRUE(same_bytes(output, result_of(*op, inputs, {}, device))) << device.str();
        std::vector<Array> accumulated = inputs;
        accumulated.push_back(random_array<float>({499}, 3));
        expect_error(Fault::input, "accumulate = f32 (499): the call was prepared without it",
            [&] { prepared(accumulated, output); });
    }
}

TEST_F(PreparedCall, Pipelines) {
    const Operator *invert = built_operator("invert"), *matmul = built_operator("matmul");
    if (!invert || !matmul) {
        GTEST_SKIP() << "not run here: invert and matmul were not built";
    }
    for (const Device device : usable_devices()) {
        const Array a = random_array<uint8_t>({200, 300}, 1), b = random_array<uint8_t>({200, 300}, 2);
        Array of_a, of_b, expected_of_a, expected_of_b;
        std::optional<Prepared> prepared;
        {
            const Pipeline pipeline("transpose | invert | transpose | invert | column_sum");
            pipeline(a, expected_of_a, {.device = device});
            pipeline(b, expected_of_b, {.device = device});
            std::vector<Statistics> statistics;
            prepared.emplace(pipeline.prepare(a, of_a, {.device = device, .statistics = &statistics}));
            EXPECT_EQ(statistics.size(), 5u);
            EXPECT_TRUE(same_bytes(of_a, expected_of_a)) << device.str();
            for (int i = 0; i < 2; i++) {
                Array between;
                pipeline(b, between, {.device = device});  // which uses arrays of its own between stages
                (*prepared)(b, of_b);
                EXPECT_TRUE(same_bytes(of_b, expected_of_b)) << device.str();
                EXPECT_TRUE(same_bytes(of_a, expected_of_a)) << device.str();
            }
        }
        (*prepared)(a, of_b);
        EXPECT_TRUE(same_bytes(of_b, expected_of_a)) << device.str();
        EXPECT_EQ(prepared->is_one_launch(), device.backend == Backend::cuda);
        expect_error(
            Fault::input, "must be u8 (200, 300)", [&] { (*prepared)(Array(Type::u8, {200, 301}), of_b); });
        expect_error(Fault::usage, "takes 1 input", [&] { (*prepared)(std::span<const Array>(), of_b); });
    }
}

// What is done to alpha is work of the host.
TEST_F(PreparedCall, PipelinesOfImagesWithAlpha) {
    if (!built_operator("invert")) {
        GTEST_SKIP() << "not run here: invert was not built";
    }
    const Pipeline pipeline("invert | transpose");
    const Array a = random_array<uint8_t>({40, 50, 4}, 1), b = random_array<uint8_t>({40, 50, 4}, 2);
    for (const Device device : usable_devices()) {
        Array of_a, of_b, expected_of_b;
        const PipelineCall call = {.device = device, .alpha = true};
        try {
            pipeline(b, expected_of_b, call);
        } catch (const Error &) {
            continue;  // an operator that takes no such image there
        }
        Prepared prepared = pipeline.prepare(a, of_a, call);
        prepared(b, of_b);
        EXPECT_TRUE(same_bytes(of_b, expected_of_b)) << device.str();
        EXPECT_FALSE(prepared.is_one_launch());
    }
}

// A stream prepares what is called again and again, and gives each call its own result.
TEST_F(PreparedCall, StreamsOfTheSameCall) {
    for (const Device device : usable_devices()) {
        Stream stream(device);
        std::vector<Array> images;
        std::vector<std::future<Array>> results;
        for (int i = 0; i < 24; i++) {
            images.push_back(random_array<uint8_t>({200, i % 8 == 7 ? 310 : 300}, (unsigned)i));
            results.push_back(stream.start(i % 12 < 6 ? *transpose : *sums, {images.back()}));
        }
        for (size_t i = 0; i < results.size(); i++) {
            const Operator &op = i % 12 < 6 ? *transpose : *sums;
            EXPECT_TRUE(same_bytes(results[i].get(), result_of(op, {&images[i], 1}, {}, {})))
                << device.str() << ", " << i;
        }
    }
}

}  // namespace tilewright
