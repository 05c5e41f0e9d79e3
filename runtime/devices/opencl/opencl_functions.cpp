#include "runtime/devices/opencl/opencl_functions.h"
#include "generators/algorithms/opencl_functions.h"
#include "generators/algorithms/tensor_product.h"
#include <fmt/format.h>
#include <set>

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

// The same for 16-bit floats.
constexpr const char *half_products = R"(
uint tilewright_pair_f16(float a, float b) {
    uint word;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(b), "f"(a));
    return word;
}
float4 tilewright_half_product(uint a0, uint a1, uint a2, uint a3, uint b0, uint b1) {
    float r0, r1, r2, r3;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
        : "=f"(r0), "=f"(r1), "=f"(r2), "=f"(r3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(0.0f));
    return (float4)(r0, r1, r2, r3);
}
#define TILEWRIGHT_HALF_PRODUCT(n)                                                                    \
    float tilewright_lanes_f16_##n(uint a0, uint a1, uint a2, uint a3, uint b0, uint b1, float sum) { \
        return tilewright_half_product(a0, a1, a2, a3, b0, b1).s##n + sum;                            \
    }
TILEWRIGHT_HALF_PRODUCT(0)
TILEWRIGHT_HALF_PRODUCT(1)
TILEWRIGHT_HALF_PRODUCT(2)
TILEWRIGHT_HALF_PRODUCT(3)
)";

// Functions that stay calls until tensor_text.h makes instructions of them. The compiler keeps what it
// believes to be used.
std::string tensor_functions(const std::string &source) {
    std::set<std::string> names;
    for (size_t at = source.find(tensor_prefix); at != std::string::npos;
        at = source.find(tensor_prefix, at + 1)) {
        names.insert(source.substr(at, source.find('(', at) - at));
    }
    std::string all;
    for (const std::string &name : names) {
        const auto [product, result] = tensor_result(name).value();
        std::string takes, uses;
        const int floats = product.words_of_a() + product.parts() + product.adds();
        for (int i = product.adds() ? -1 : 0; i < floats; i++) {
            const bool is_number = i < 0;  // of the result
            takes += fmt::format("{}{} w{}", takes.empty() ? "" : ", ", is_number ? "int" : "float", i + 1);
            uses +=
                fmt::format("asm(\"// %0 %1\" : \"+f\"(all) : \"{}\"(w{}));\n", is_number ? 'r' : 'f', i + 1);
        }
        all += fmt::format("__attribute__((noinline)) float {}({}) {{\nfloat all = {};\n{}return all;\n}}\n",
            name, takes, result, uses);
    }
    return all;
}

bool has_products_of_rows(std::string_view kernel) {
    const size_t at = kernel.find(tensor_prefix);
    if (at == std::string::npos) {
        return false;
    }
    const auto found = tensor_result(std::string(kernel.substr(at, kernel.find('(', at) - at)));
    return found && found->first.ahead > 0;
}

}  // namespace

bool align_local_memory(std::string &source) {
    const std::string_view begin = "__kernel void ", local = "__local int16* ";
    bool any = false;
    for (size_t at = source.find(begin); at != std::string::npos;) {
        const size_t next = source.find(begin, at + 1), name = source.find(local, at) + local.size();
        if (has_products_of_rows(std::string_view(source).substr(at, next - at))) {
            const std::string memory = source.substr(name, source.find(')', name) - name);
            source.insert(source.find('{', name) + 1,
                fmt::format("\n {0} = (__local int16 *)(((ulong){0} + {1}) / {2} * {2});", memory,
                    local_alignment - 1, local_alignment));
            any = true;
        }
        at = source.find(begin, at + 1);
    }
    return any;
}

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
    }
    if (names(half_product_prefix)) {
        all += half_products;
    }
    return all + tensor_functions(source);
}

}  // namespace tilewright::driver
