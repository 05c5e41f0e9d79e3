#pragma once
// What the tests of column_sum and row_sum share: what every variant must serve.
#include "generators/algorithms/sums/most_terms.h"
#include "plain/sums.h"
#include "tests/operators/variants.h"
#include "tilewright/workload.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

namespace tilewright {

inline bool is_real(Type type) {
    return type != Type::u8 && type != Type::u16;
}

// The sums of an image by the definition, in the type that sums of it are given in; and of f32 the documented
// bound, of which what is not finite has no part.
struct ExpectedSums {
    Array sums, bound;
};

inline ExpectedSums expected_sums(const Array &image, Type type, int axis) {
    ExpectedSums expected;
    Settings settings;
    if (is_real(image.type())) {
        std::vector<double> numbers = plain::elements_of<double>(image);
        for (double &number : numbers) {
            number = std::isfinite(number) ? std::abs(number) : 0;
        }
        expected.bound = plain::sums(plain::array_of<double>(image.shape(), numbers), {}, axis);
        // The sums of f64 that are expected are added in f64 too: both may be off by their bound, 2^-53.
        for (int64_t i = 0; i < expected.bound.size(); i++) {
            expected.bound.as<double>()[i] *=
                std::ldexp((double)image.shape()[axis], image.type() == Type::f64 ? -52 : -24);
        }
    } else if (type != Type::u32) {
        settings.set("output-type", std::string(name_of(type)));
    }
    expected.sums = plain::sums(image, settings, axis);
    return expected;
}

// Holds the sums of one image against the definition: the same bytes for integers, the bound for f32.
inline void expect_sums(const Array &image, const Array &sums, int axis, const std::string &what) {
    const ExpectedSums expected = expected_sums(image, sums.type(), axis);
    EXPECT_EQ(difference(sums, expected.sums, expected.bound), "") << what;
}

class SumVariantTest : public VariantTest {
protected:
    // `axis`: the one that the sums run over, 0 for columns' sums. Where u32 may not hold them, other types
    // are asked for, which variants that convert themselves do not serve.
    std::vector<Settings> settings_for(const Array &image, int axis) const {
        const std::string &type = variant().type;
        if (type == "u8f32" || type == "u16f32") {
            return {{{"output-type", "f32"}}};
        }
        if (is_real(element()) || image.shape()[axis] <= most_terms((int64_t)size_of(element()))) {
            return {{}};
        }
        return {{{"output-type", "u64"}}, {{"output-type", "f32"}}};
    }
    Type element() const {
        const std::string &type = variant().type;
        const auto named =
            std::ranges::find_if(all_types, [&](Type known) { return type == name_of(known); });
        return named != std::end(all_types) ? *named : type.starts_with("u16") ? Type::u16 : Type::u8;
    }
    // The random image of a size, which nobody writes: variants share it, because making it takes longer than
    // most variants take.
    Array random(int64_t h, int64_t w, int64_t row_bytes = Array::padded) const {
        static std::map<std::tuple<Type, int64_t, int64_t, int64_t>, Array> made;
        Array &image = made[{element(), h, w, row_bytes}];
        if (image.empty()) {
            image = random_array(element(), {h, w}, (unsigned)(h * 7919 + w), row_bytes);
        }
        return image;
    }
    void check(const Array &image, int axis, const std::string &what) {
        for (const Settings &settings : settings_for(image, axis)) {
            Array sums;
            if (run({image}, sums, settings)) {
                expect_sums(image, sums, axis, variant().name() + " " + what + " " + image.describe());
            }
        }
    }

    // The same for an image that random() or check_largest() made, or a part of one: variants share what is
    // expected.
    void check_shared(const Array &image, int axis, const std::string &what) {
        static std::map<std::tuple<const void *, int64_t, int64_t, int64_t, Type>, ExpectedSums> made;
        for (const Settings &settings : settings_for(image, axis)) {
            Array sums;
            if (!run({image}, sums, settings)) {
                continue;
            }
            ExpectedSums &expected =
                made[{image.data(), image.shape()[0], image.shape()[1], image.strides()[0], sums.type()}];
            if (expected.sums.empty()) {
                expected = expected_sums(image, sums.type(), axis);
            }
            EXPECT_EQ(difference(sums, expected.sums, expected.bound), "")
                << variant().name() << " " << what << " " << image.describe();
        }
    }

    void check_sizes(int axis) {
        const int64_t sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {7, 7}, {8, 8}, {9, 9}, {31, 63},
            {32, 64}, {33, 65}, {63, 127}, {64, 128}, {65, 129}, {127, 511}, {128, 512}, {129, 513},
            {255, 2047}, {256, 2048}, {257, 2049}, {1031, 523}, {2049, 4097}, {1, 100003}, {3, 70001},
            {130, 32753}, {129, 33001}, {70001, 3}, {100003, 1}, {40, 11}, {301, 21}, {57, 47}, {9001, 16}};
        for (const auto &[h, w] : sizes) {
            if (runs_threads_in_turn() && h * w > 4000000) {
                continue;
            }
            check_shared(random(h, w), axis, "padded");
            check_shared(random(h, w, 0), axis, "dense");
        }
        EXPECT_GT(served(), 0) << variant().name() << " served none of the sizes";
    }

    // Every phase of rows against words of memory: crops that begin anywhere, of rows of odd and even
    // pitches.
    void check_crops(int axis) {
        for (int64_t pitch : {700, 703, 704, 708, 712}) {
            const Array whole = random(333, pitch, 0);
            for (int64_t at = 0; at < 17; at++) {
                check_shared(
                    whole.crop(at % 3, at, 300, 650), axis, "crop at x = " + std::to_string(at) + " of");
                check_shared(whole.crop(at % 5, at, 50, 1 + 9 * at), axis,
                    "small crop at x = " + std::to_string(at) + " of");
                check_shared(whole.crop(3, at, 327, 40 + at), axis,
                    "narrow crop at x = " + std::to_string(at) + " of");
            }
        }
        const Array wide = random(7, 70013, 0);
        for (int64_t at : {0, 1, 8}) {
            check_shared(wide.crop(at % 3, at, 5, 70001), axis, "wide crop of");
        }
        EXPECT_GT(served(), 0) << variant().name() << " served none of the crops";
    }

    // The caller's memory, with other things all around it.
    void check_views(int axis) {
        const int64_t size = (int64_t)size_of(element());
        const Array numbers = random_array(element(), {1, 150000 * 4 / std::min<int64_t>(size, 4)}, 5);
        std::vector<std::byte> memory((size_t)(numbers.size() * size));
        memcpy(memory.data(), numbers.data(), memory.size());
        for (int64_t offset : {0, 1, 5, 11}) {
            auto *data = reinterpret_cast<char *>(memory.data()) + offset * size;
            check(Array::view(element(), data, {97, 601}, {613, 1}), axis, "view");
            check(Array::view(element(), data, {60, 601}, {624, 1}), axis, "view");
            check(Array::view(element(), data, {60, 600}, {624, 1}), axis, "view");
            check(Array::view(element(), data, {601, 67}), axis, "view");
            for (int64_t w : {1, 5, 8, 11, 20, 32, 41}) {
                check(Array::view(element(), data, {97, w}, {613, 1}), axis, "narrow view");
            }
            check(Array::view(element(), data, {2, 70001}), axis, "view");
        }
        EXPECT_GT(served(), 0) << variant().name() << " served none of the views";
    }

    void check_extremes(int axis) {
        if (is_real(element())) {
            check_not_finite(axis);
        } else {
            check_largest(axis);
        }
        EXPECT_GT(served(), 0) << variant().name() << " served none of the extremes";
    }

    void check_repeats_of_sizes(int axis) {
        for (const auto &[h, w] : {std::pair<int64_t, int64_t>{1031, 2053}, {257, 509}, {509, 257}, {61, 301},
                 {301, 61}, {7, 100000}, {301, 1}, {301, 5}, {5, 301}, {301, 11}, {301, 21}, {301, 41}}) {
            const Array image = random(h, w);
            check_repeats({image}, settings_for(image, axis).front());
        }
        EXPECT_GT(served(), 0) << variant().name() << " served none of the sizes";
    }

private:
    // Sums that do not fit the narrow types that some forms hold them in, and sums beyond 2^32.
    void check_largest(int axis) {
        std::vector<std::pair<int64_t, int64_t>> sizes = {{2100, 150}, {150, 2100}, {130, 32753}, {300, 500},
            {70001, 1}, {70001, 2}, {2, 70001}, {1, 200000}, {300, 12}, {300, 25}, {300, 47}};
        if (variant().schedule != "reference" && !runs_threads_in_turn()) {
            sizes.push_back({8192, 8192});
        }
        for (const auto &[h, w] : sizes) {
            static std::map<std::tuple<Type, int64_t, int64_t>, Array> made;
            Array &image = made[{element(), h, w}];
            if (image.empty()) {
                image = Array(element(), {h, w});
                memset(image.data(), 0xff, (size_t)(image.strides()[0] * h) * size_of(element()));
            }
            check_shared(image, axis, "all at their largest");
        }
    }

    static constexpr double infinity = std::numeric_limits<double>::infinity();

    // Sets an element of a real type.
    static void put(Array &image, int64_t y, int64_t x, double number) {
        const int64_t at = y * image.strides()[0] + x;
        switch (image.type()) {
        case Type::f64: image.as<double>()[at] = number; break;
        case Type::f16: image.as<Float16>()[at] = Float16((float)number); break;
        case Type::bf16: image.as<BFloat16>()[at] = BFloat16((float)number); break;
        default: image.as<float>()[at] = (float)number;
        }
    }

    // Not-a-number and infinities stay in the sums that they belong to.
    void check_not_finite(int axis) {
        for (const auto &[h, w] : {std::pair<int64_t, int64_t>{5, 700}, {90, 700}, {300, 700}, {5, 70001}}) {
            Array whole = random(h, w, 0).clone(0);
            put(whole, 2, 3, std::nan(""));
            put(whole, 3, 130, infinity);
            put(whole, h - 1, 501, -infinity);
            check(whole, axis, "not finite");
            check(whole.crop(0, 4, h, 496), axis, "beside what is not finite");
            check(whole.crop(0, 100, h, 20), axis, "beside what is not finite");
        }
        for (int64_t w : {3, 9, 18, 40}) {
            Array narrow = random(90, w, 0);
            put(narrow, 2, w / 2, std::nan(""));
            put(narrow, 3, 0, infinity);
            put(narrow, 4, w - 1, -infinity);
            check(narrow, axis, "not finite");
        }
    }
};

// An image of `terms` numbers along the axis of the sums, which makes `lines` of them.
inline std::vector<int64_t> shape_of(int axis, int64_t terms, int64_t lines) {
    return axis == 0 ? std::vector<int64_t>{terms, lines} : std::vector<int64_t>{lines, terms};
}

// The sums of an image by all variants of its type on all devices, in each type that holds them.
inline void expect_exact_sums(const Operator &op, const Array &image, int axis) {
    for (const DeviceInfo &info : devices()) {
        for (const Variant &variant : op.variants()) {
            if (!info.usable || variant.backend != info.device.backend ||
                variant.type != name_of(image.type()) || !why_not_on(variant, info.device).empty()) {
                continue;
            }
            for (const Type output : {Type::u64, Type::f64, Type::f32}) {
                const Settings settings{{"output-type", std::string(name_of(output))}};
                Array sums(output, {image.shape()[1 - axis]});
                if (op.serves(variant, {&image, 1}, sums, settings)) {
                    op({&image, 1}, sums, settings, {.device = info.device, .schedule = variant.schedule});
                    expect_sums(image, sums, axis, variant.name() + " " + sums.describe());
                }
            }
        }
    }
}

// Sums that u32 does not hold are exact in other types, and refused in u32, whatever the pixels are.
inline void expect_long_sums(const Operator &op, int axis) {
    for (const auto &[type, terms, lines] : {std::tuple<Type, int64_t, int64_t>{Type::u16, 70000, 3},
             {Type::u16, 65538, 1}, {Type::u8, 16843010, 1}}) {
        Array image(type, shape_of(axis, terms, lines), 0);
        memset(image.data(), 0xff, (size_t)image.size() * size_of(type));
        expect_exact_sums(op, image, axis);
        for (const Settings &settings : {Settings{}, Settings{{"output-type", "u32"}}}) {
            const Error error = error_of([&, refused = &image] {
                Array sums;
                op({refused, 1}, sums, settings, {.device = Device{}});
            });
            EXPECT_EQ(error.fault(), Fault::input);
            EXPECT_EQ(error.context().argument, "output-type");
            EXPECT_NE(
                std::string(error.what()).find("take u64 or f64, which hold them, or f32"), std::string::npos)
                << error.what();
        }
    }
    const auto sizes = shape_of(axis, 70013, 37), part = shape_of(axis, 70001, 23);
    const Array whole = random_array(Type::u16, sizes, 5, 0);
    expect_exact_sums(op, whole, axis);
    expect_exact_sums(op, whole.crop(3, 5, part[0], part[1]), axis);
}

// What u32 holds is given in it and in all other types, up to the largest image of which that is certain.
inline void expect_sums_of_every_type(const Operator &op, int axis) {
    Array image(Type::u16, shape_of(axis, 65537, 2));
    memset(image.data(), 0xff, (size_t)(image.shape()[0] * image.strides()[0]) * sizeof(uint16_t));
    Array sums;
    op({&image, 1}, sums, {}, {.device = Device{}});
    EXPECT_EQ(sums.type(), Type::u32);
    EXPECT_EQ(sums.at<uint32_t>({1}), UINT32_MAX);
    expect_exact_sums(op, image, axis);
    expect_exact_sums(op, random_array(Type::u8, {67, 93}), axis);
}

// A plain sum is no u32 that wrapped, so that a comparison shows one that did.
inline void expect_plain_sums_to_be_exact(int axis) {
    Array image(Type::u16, shape_of(axis, 70000, 1), 0);
    memset(image.data(), 0xff, (size_t)image.size() * sizeof(uint16_t));
    Array wrapped(Type::u32, {1}), exact(Type::u64, {1});
    wrapped.as<uint32_t>()[0] = (uint32_t)4587450000;
    exact.as<uint64_t>()[0] = 4587450000;
    EXPECT_NE(difference(wrapped, plain::sums(image, {}, axis), {}), "");
    EXPECT_EQ(difference(exact, plain::sums(image, {{"output-type", "u64"}}, axis), {}), "");
}

// The host adds the sums of parts; another library's memory on a device gets them from there.
inline void expect_long_sums_in_wrapped_memory(const Operator &op, int axis) {
    std::string why_not;
    const auto found = usable_device(Backend::opencl, why_not);
    if (!found) {
        GTEST_SKIP() << "not run here: " << why_not;
    }
    const Array image = random_array(Type::u16, shape_of(axis, 70000, 40), 9);
    const Array other = random_array(Type::u8, shape_of(axis, 3, 80), 9);
    Array owner;  // 80 u32, which a call makes on the device: memory of 40 u64
    op({&other, 1}, owner, {}, {.device = found->device});
    Array sums = Array::wrap(Type::u64, found->device, owner.device_memory(), {40});
    op({&image, 1}, sums, {{"output-type", "u64"}}, {.device = found->device});
    expect_sums(image, sums, axis, "in wrapped memory");
}

// Colours: the sums of each channel, side by side, on every device and in every type; of crops, in arrays
// that exist, and where sums of u32 are added from parts.
inline void expect_sums_of_channels(const Operator &op, int axis) {
    for (const DeviceInfo &info : devices()) {
        if (!info.usable) {
            continue;
        }
        for (const Type type : {Type::u8, Type::u16, Type::f32}) {
            for (const int64_t c : {1, 2, 3, 5}) {
                const Array image = random_array(type, {47, 61, c}, 3).crop(3, 2, 41, 53);
                for (const char *output : {"u32", "u64", "f32", "f64"}) {
                    if (type == Type::f32 && output != std::string("f32")) {
                        continue;
                    }
                    const Settings settings = {{"output-type", std::string(output)}};
                    Array sums;
                    op({&image, 1}, sums, settings, {.device = info.device});
                    const Array right = plain::sums(image, settings, axis);
                    const Array bound = workload_of(op).bound({&image, 1}, settings);
                    EXPECT_EQ(sums.shape(), (std::vector<int64_t>{axis == 0 ? 53 : 41, c}));
                    EXPECT_EQ(difference(sums, right, bound), "") << image.describe() << " " << output;
                }
            }
        }
    }
}

// What the fronts refuse; `call` is the public function.
template<typename Function>
void expect_refusals(const Operator &op, Function call) {
    using Refusal = std::pair<Fault, std::string>;
    auto fault = [](auto f) {
        const Error error = error_of(f);
        return Refusal(error.fault(), error.context().argument);
    };
    const Array bytes = random_array<uint8_t>({4, 6}), floats = random_array<float>({4, 6});
    EXPECT_EQ(fault([&] { call(random_array<uint8_t>({24}), Type::u32); }), Refusal(Fault::input, "image"));
    EXPECT_EQ(fault([&] { call(random_array<int32_t>({4, 6}), Type::u32); }), Refusal(Fault::input, "image"));
    EXPECT_EQ(fault([&] { call(Array(), Type::u32); }), Refusal(Fault::input, "input"));
    EXPECT_EQ(fault([&] { call(floats, Type::u32); }), Refusal(Fault::usage, "output-type"));
    EXPECT_EQ(fault([&] { call(bytes, Type::i32); }), Refusal(Fault::usage, "output-type"));
    EXPECT_EQ(fault([&] { call(floats, Type::u64); }), Refusal(Fault::usage, "output-type"));
    EXPECT_EQ(fault([&] { call(floats, Type::f64); }), Refusal(Fault::usage, "output-type"));
    auto with = [&](const Array &image, Array output, Settings settings, Call how) {
        return fault([&] { op(std::span(&image, 1), output, settings, how); });
    };
    EXPECT_EQ(with(bytes, Array(Type::u32, {5}), {}, {}), Refusal(Fault::input, "output"));
    EXPECT_EQ(with(bytes, Array(Type::f32, {6}), {}, {}), Refusal(Fault::input, "output"));
    EXPECT_EQ(with(bytes, {}, {{"output-type", "u16"}}, {}), Refusal(Fault::usage, "output-type"));
    EXPECT_EQ(with(bytes, {}, {{"output_type", "u32"}}, {}), Refusal(Fault::usage, "output_type"));
    EXPECT_EQ(
        with(bytes, {}, {}, {.device = Device{}, .schedule = "fastest"}), Refusal(Fault::usage, "schedule"));
    EXPECT_EQ(with(bytes, {}, {}, {.device = Device{Backend::cpu, 7}}).first, Fault::device);
}

}  // namespace tilewright
