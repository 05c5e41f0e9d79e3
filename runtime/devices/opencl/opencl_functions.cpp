#include "runtime/devices/opencl/opencl_functions.h"
#include "generators/algorithms/opencl_functions.h"

namespace tilewright::driver {

namespace {

// What OpenCL C has for halves without the extension cl_khr_fp16: loads and stores through pointers to half,
// here to a variable of two bytes, which may alias any type.
constexpr const char *half_conversions = R"(
float tilewright_float_of_half(ushort bits) {
    uchar2 bytes = as_uchar2(bits);
    return vload_half(0, (const __private half *)&bytes);
}
ushort tilewright_half_of_float(float value) {
    uchar2 bytes;
    vstore_half_rte(value, 0, (__private half *)&bytes);
    return as_ushort(bytes);
}
)";

// NVIDIA's compiler takes instructions of PTX.
constexpr const char *nvidia_words = R"(
uint tilewright_dot(uint a, uint b, uint sum) {
    uint result;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
    return result;
}
uint tilewright_pick(uint a, uint b, uint picks) {
    uint result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(picks));
    return result;
}
)";

// For compilers that take seconds for a kernel of thousands of inlined calls: an option of the compiler,
// -DTILEWRIGHT_CALLS, leaves the functions below as calls. PoCL takes a quarter of the time for kernels,
// which then take twice as long.
constexpr const char *plain_words = R"(
#ifdef TILEWRIGHT_CALLS
#define TILEWRIGHT_FUNCTION __attribute__((noinline)) uint
#else
#define TILEWRIGHT_FUNCTION uint
#endif
)";

// The compiler says whether it has the built-in: Intel's OpenCL for CPUs lists the extension of its devices,
// and has it only in programs of OpenCL C 3.0, which Halide's are not.
constexpr const char *plain_dot = R"(
#ifdef __opencl_c_integer_dot_product_input_4x8bit_packed
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
uint tilewright_dot(uint a, uint b, uint sum) {
    return dot_4x8packed_uu_uint(a, b) + sum;
}
#else
TILEWRIGHT_FUNCTION tilewright_dot(uint a, uint b, uint sum) {
    const uint4 products = convert_uint4(as_uchar4(a)) * convert_uint4(as_uchar4(b));
    return products.x + products.y + products.z + products.w + sum;
}
#endif
)";

// PRMT of PTX, for picks without its sign bits. Not by shuffle(), at which Intel's compiler for CPUs ends the
// process (2026.22).
constexpr const char *plain_pick = R"(
TILEWRIGHT_FUNCTION tilewright_pick(uint a, uint b, uint picks) {
    const ulong bytes = as_ulong((uint2)(a, b));
    const uint4 places = (uint4)(picks, picks >> 4, picks >> 8, picks >> 12) % 8 * 8;
    return as_uint(convert_uchar4((ulong4)(bytes) >> convert_ulong4(places)));
}
)";

// One instruction gives four results, of which each function returns one. Halide stores the sum of one
// function before it loads that of the next, so that the sums are added outside: then the instructions of the
// four have the same operands, and the compiler makes one of them.
constexpr const char *byte_products = R"(
int4 tilewright_byte_product(uint a0, uint a1, uint a2, uint a3, uint b0, uint b1) {
    int r0, r1, r2, r3;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
        : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(0));
    return (int4)(r0, r1, r2, r3);
}
#define TILEWRIGHT_BYTE_PRODUCT(n)                                                               \
    int tilewright_lanes_u8_##n(uint a0, uint a1, uint a2, uint a3, uint b0, uint b1, int sum) { \
        return tilewright_byte_product(a0, a1, a2, a3, b0, b1).s##n + sum;                       \
    }
TILEWRIGHT_BYTE_PRODUCT(0)
TILEWRIGHT_BYTE_PRODUCT(1)
TILEWRIGHT_BYTE_PRODUCT(2)
TILEWRIGHT_BYTE_PRODUCT(3)
)";

// The same for words of floats, two instructions along the depth, or six of the parts of f32 (LaneProduct).
constexpr const char *float_products = R"(
#define TILEWRIGHT_MMA(shape)                                                                          \
    float r0 = sums.s0, r1 = sums.s1, r2 = sums.s2, r3 = sums.s3;                                      \
    asm("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"    \
        : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3)                                                       \
        : "r"(a.s0), "r"(a.s1), "r"(a.s2), "r"(a.s3), "r"(b.s0), "r"(b.s1));                           \
    return (float4)(r0, r1, r2, r3);
float4 tilewright_add_f16(uint4 a, uint2 b, float4 sums) {
    TILEWRIGHT_MMA("m16n8k16.row.col.f32.f16.f16.f32")
}
float4 tilewright_add_bf16(uint4 a, uint2 b, float4 sums) {
    TILEWRIGHT_MMA("m16n8k16.row.col.f32.bf16.bf16.f32")
}
float4 tilewright_add_tf32(uint4 a, uint2 b, float4 sums) {
    TILEWRIGHT_MMA("m16n8k8.row.col.f32.tf32.tf32.f32")
}
float4 tilewright_add_3tf32(uint4 a, uint2 b, float4 sums) {
    const uint4 high_a = (a + 0x1000u) & 0xffffe000u, low_a = as_uint4(as_float4(a) - as_float4(high_a));
    const uint2 high_b = (b + 0x1000u) & 0xffffe000u, low_b = as_uint2(as_float2(b) - as_float2(high_b));
    return tilewright_add_tf32(
        high_a, high_b, tilewright_add_tf32(high_a, low_b, tilewright_add_tf32(low_a, high_b, sums)));
}
#define TILEWRIGHT_LANES(numbers, n)                                                                   \
    float tilewright_lanes_##numbers##_##n(float a0, float a1, float a2, float a3, float a4, float a5, \
        float a6, float a7, float b0, float b1, float b2, float b3, float sum) {                       \
        const uint4 a = as_uint4((float4)(a0, a1, a2, a3)), c = as_uint4((float4)(a4, a5, a6, a7));    \
        const uint2 b = as_uint2((float2)(b0, b1)), d = as_uint2((float2)(b2, b3));                    \
        return tilewright_add_##numbers(c, d, tilewright_add_##numbers(a, b, 0)).s##n + sum;           \
    }
#define TILEWRIGHT_LANES_OF(numbers) \
    TILEWRIGHT_LANES(numbers, 0)     \
    TILEWRIGHT_LANES(numbers, 1)     \
    TILEWRIGHT_LANES(numbers, 2)     \
    TILEWRIGHT_LANES(numbers, 3)
TILEWRIGHT_LANES_OF(3tf32)
TILEWRIGHT_LANES_OF(f16)
TILEWRIGHT_LANES_OF(bf16)
)";

}  // namespace

std::string functions_for(const std::string &source, const OpenClDevice &device) {
    const auto names = [&](const char *function) { return source.find(function) != std::string::npos; };
    constexpr int first_with_dot = 61;  // compute capability 6.1
    std::string all;
    if (names(float_of_half) || names(half_of_float)) {
        all += half_conversions;
    }
    if (names(dot_of_words) || names(pick_of_words)) {
        all += device.info.compute_capability >= first_with_dot ?
                   std::string(nvidia_words) :
                   std::string(plain_words) + plain_dot + plain_pick;
    }
    if (names(byte_product_prefix)) {
        all += byte_products;
    } else if (names(lane_product_prefix)) {
        all += float_products;
    }
    return all;
}

}  // namespace tilewright::driver
