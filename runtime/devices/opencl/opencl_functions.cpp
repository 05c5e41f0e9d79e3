#include "runtime/devices/opencl/opencl_functions.h"
#include "generators/algorithms/opencl_functions.h"
#include <string_view>

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
    return all;
}

void put_fences(std::string &source) {
    constexpr std::string_view without = "barrier(0);",
                               with = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
    for (size_t at = source.find(without); at != std::string::npos; at = source.find(without, at)) {
        source.replace(at, without.size(), with);
    }
}

}  // namespace tilewright::driver
