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

// A product of 64 rows of A, `depth` deep and in registers, and `columns` columns of B in shared memory, by
// the 128 threads of four warps. Each operand is the sum of a high part and a low part, in TF32, and three of
// the four products of the parts are summed: 3 instructions (wgmma) per 8 of the depth.
struct TensorProduct {
    int columns, depth;

    static constexpr int rows = 64, threads = 128;
    // Compute capability 9.0 alone has the instructions (target sm_90a).
    static constexpr int capability = 90;

    int results() const {  // of a thread
        return rows * columns / threads;
    }
    int steps() const {
        return depth / 8;
    }
    // The operands of a thread: per step four words of the high part of A and four of the low part, and after
    // all steps, the first word of the high part of B and that of the low part.
    int words_of_a() const {
        return 8 * steps();
    }
    std::string function(int result) const {
        return "tw_wgmma_3tf32_n" + std::to_string(columns) + "_k" + std::to_string(depth) + "_" +
               std::to_string(result);
    }
    bool operator==(const TensorProduct &) const = default;
};

constexpr std::string_view tensor_prefix = "tw_wgmma_";  // of the functions

// The product and the number of the result that a function is for.
inline std::optional<std::pair<TensorProduct, int>> tensor_result(const std::string &function) {
    TensorProduct product{};
    int result = 0;
    const char *at = function.data();
    const char *const end = at + function.size();
    for (const auto &[words, number] :
        {std::pair<std::string_view, int *>{"tw_wgmma_3tf32_n", &product.columns}, {"_k", &product.depth},
            {"_", &result}}) {
        at = std::from_chars(at + std::min(words.size(), (size_t)(end - at)), end, *number).ptr;
    }
    const bool is_one = product.columns >= 8 && product.columns <= 256 && product.columns % 8 == 0 &&
                        product.depth >= 8 && product.depth % 8 == 0 && result >= 0 &&
                        result < product.results() && product.function(result) == function;
    return is_one ? std::optional(std::pair(product, result)) : std::nullopt;
}

// A product of 16 x 32 bytes of A and 32 x 8 bytes of B that is added to 16 x 8 sums of 32 bits, by the 32
// lanes of a warp, all in registers: one instruction (mma) from compute capability 8.0 on, for which all
// libraries of CUDA are. Lane 4 g + q has
//     word n of A, 0 ... 3    row g + 8 (n % 2), columns 4 q ... 4 q + 3, from column 16 on where n > 1
//     word n of B, 0 and 1    rows 4 q ... 4 q + 3 of column g, from row 16 on where n is 1
//     result n, 0 ... 3       row g + 8 (n / 2), column 2 q + n % 2
// A function per result takes the words, and the sum that this result is added to.
struct ByteProductCall {
    static constexpr int words_of_a = 4, words_of_b = 2, words = words_of_a + words_of_b, results = 4;
    static constexpr std::string_view prefix = "tw_mma_u8_";

    static std::string function(int result) {
        return std::string(prefix) + std::to_string(result);
    }
};

}  // namespace tilewright
