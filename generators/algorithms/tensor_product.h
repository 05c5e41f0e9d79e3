#pragma once
// A product on the tensor cores of NVIDIA's GPUs, and the names of the functions that stand for its results
// until the text of the module gets the instructions (generators/algorithms/tensor_text.h).
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {

// The numbers of a product. `three_tf32`: each number is the sum of a high part and a low part, in TF32, and
// three of the four products of the parts are summed. The floats of 16 bits are two per word, and have one
// part. `three_f16`: as f16, and a factor says what the sums before a block of the depth count (1, or less).
enum class TensorNumbers { three_tf32, f16, bf16, three_f16 };

constexpr TensorNumbers all_tensor_numbers[] = {
    TensorNumbers::three_tf32, TensorNumbers::f16, TensorNumbers::bf16, TensorNumbers::three_f16};

// Of arrays of a type.
inline TensorNumbers tensor_numbers(std::string_view type) {
    return type == "f16"  ? TensorNumbers::f16 :
           type == "bf16" ? TensorNumbers::bf16 :
                            TensorNumbers::three_tf32;
}

// A product of 64 rows of A, `depth` words deep and in registers, and `columns` columns of B in shared
// memory, by the 128 threads of four warps: an instruction (wgmma) per product of parts and 8 words of the
// depth.
struct TensorProduct {
    int columns, depth;
    TensorNumbers numbers = TensorNumbers::three_tf32;
    // Of 16-bit floats that are in shared memory in the order of the rows of A and B, with the swizzle of the
    // tensor cores: so many blocks of the depth are copied ahead. 0: A is in registers, and B in the order of
    // fragments.
    int ahead = 0;
    // Of these: whether the tensor memory accelerator copies them, and not threads.
    bool boxes = false;
    // Whether the ring has one block less: a block is copied into the place of the one before it, once the
    // products of that are at their end.
    bool tight = false;
    // Of boxes: so many thread blocks, which are a cluster, share the depth; each multiplies its part of it.
    int shares = 1;

    static constexpr int rows = 64, threads = 128;
    // Compute capability 9.0 alone has the instructions (target sm_90a).
    static constexpr int capability = 90;

    int results() const {  // of a thread
        return rows * columns / threads;
    }
    int steps() const {
        return depth / 8;
    }
    int parts() const {  // of each number: high, low
        return numbers == TensorNumbers::three_tf32 ? 2 : 1;
    }
    int numbers_per_word() const {
        return 2 / parts();
    }
    // The operands of a thread: per step four words of each part of A (of rows: its first word), and after
    // all steps, the first word of each part of B.
    int words_of_a() const {
        return ahead > 0 ? 1 : 4 * parts() * steps();
    }
    std::string names() const {  // of the numbers
        const char *const names[] = {"3tf32", "f16", "bf16", "3f16"};
        return names[(int)numbers];
    }
    std::string functions() const {  // how the names of the functions of these numbers begin
        return "tw_wgmma_" + names() + "_n";
    }
    std::string function(int result) const {
        return functions() + std::to_string(columns) + "_k" + std::to_string(depth) +
               (ahead > 0 ? (boxes    ? "_b" :
                                tight ? "_c" :
                                        "_a") +
                                std::to_string(ahead) :
                            "") +
               (shares > 1 ? "_s" + std::to_string(shares) : "") + "_" + std::to_string(result);
    }
    // Whether a function takes the sum that its result is added to, as its last operand. So the tensor cores
    // keep the sums of numbers that have one part. Its first operand is then the number of the result, and
    // the function is that of result 0.
    bool adds() const {
        return parts() == 1;
    }
    // Whether the operand before that sum is the factor of the sums.
    bool has_factor() const {
        return numbers == TensorNumbers::three_f16;
    }
    bool operator==(const TensorProduct &) const = default;
};

constexpr std::string_view tensor_prefix = "tw_wgmma_";  // of the functions

// The product and the number of the result that a function is for.
inline std::optional<std::pair<TensorProduct, int>> tensor_result(const std::string &function) {
    for (const TensorNumbers numbers : all_tensor_numbers) {
        TensorProduct product{0, 0, numbers};
        int result = 0;
        const std::string begin = product.functions();
        const char *at = function.data();
        const char *const end = at + function.size();
        for (const auto &[words, number] : {std::pair<std::string_view, int *>{begin, &product.columns},
                 {"_k", &product.depth}, {"_a", &product.ahead}, {"_s", &product.shares}, {"_", &result}}) {
            if (words == "_s" && !std::string_view(at, end).starts_with(words)) {
                continue;
            }
            if (words == "_a") {
                product.boxes = std::string_view(at, end).starts_with("_b");
                product.tight = std::string_view(at, end).starts_with("_c");
                if (!product.boxes && !product.tight && !std::string_view(at, end).starts_with(words)) {
                    continue;
                }
            }
            at = std::from_chars(at + std::min(words.size(), (size_t)(end - at)), end, *number).ptr;
        }
        const bool is_one = product.columns >= 8 && product.columns <= 256 && product.columns % 8 == 0 &&
                            product.depth >= 8 && product.depth % 8 == 0 && result >= 0 &&
                            result < product.results() && product.function(result) == function;
        if (is_one) {
            return std::pair(product, result);
        }
    }
    return std::nullopt;
}

// A product of 16 rows of A and 8 columns of B that is added to 16 x 8 sums of 32 bits, by the 32 lanes of a
// warp, all in registers: one instruction (mma) from compute capability 8.0 on. Rows of A and columns of B
// are 8 words deep: 32 bytes, whose sums are integers, or 16 floats of 16 bits, whose sums are f32. Lane
// 4 g + q has
//     word n of A, 0 ... 3    row g + 8 (n % 2), word q, from word 4 on where n > 1
//     word n of B, 0 and 1    word q of column g, from word 4 on where n is 1
//     result n, 0 ... 3       row g + 8 (n / 2), column 2 q + n % 2
// A function per result takes the words, and the sum that this result is added to.
struct LaneProduct {
    static constexpr int words_of_a = 4, words_of_b = 2, words = words_of_a + words_of_b, results = 4;
    static constexpr int capability = 80;  // 8.0, the oldest that has the instruction
    std::string_view prefix, instruction;
    // Of kernels that copy to shared memory what they multiply later, the number of copies that are under way
    // meanwhile; 0: of others.
    int ahead = 0;

    std::string function(int result) const {
        return std::string(prefix) + (ahead > 0 ? "a" + std::to_string(ahead) + "_" : "") +
               std::to_string(result);
    }
};

constexpr LaneProduct byte_product_call{"tw_mma_u8_", "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32"},
    half_product_call{"tw_mma_f16_", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
    tf32_product_call{"tw_mma_tf32_", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"};
constexpr LaneProduct lane_products[] = {byte_product_call, half_product_call, tf32_product_call};

// The product and the number of the result that a function is for.
inline std::optional<std::pair<LaneProduct, int>> lane_result(const std::string &function) {
    for (LaneProduct product : lane_products) {
        if (!function.starts_with(product.prefix)) {
            continue;
        }
        int result = LaneProduct::results;
        const char *at = function.data() + product.prefix.size(), *const end =
                                                                      function.data() + function.size();
        if (at != end && *at == 'a') {
            at = std::from_chars(at + 1, end, product.ahead).ptr;
            at += at != end;
        }
        std::from_chars(at, end, result);
        if (result >= 0 && result < LaneProduct::results && product.function(result) == function) {
            return std::pair(product, result);
        }
    }
    return std::nullopt;
}

// The function that stands for the instruction which makes a word of two numbers, as 16-bit floats.
constexpr std::string_view pair_of_halves = "tw_pair_f16";

}  // namespace tilewright
