#pragma once
// Text of modules with tensor products, as Halide 21.0.0 writes it.
#include "generators/algorithms/tensor_product.h"
#include <string>

namespace tilewright {

inline constexpr TensorProduct smallest{8, 8};

inline std::string module(const std::string &body, const std::string &function = smallest.function(0)) {
    return "//\n.version 7.0\n.target sm_80\n.address_size 64\n\n.extern .func  (.param .b32 func_retval0) " +
           function +
           "\n(\n\t.param .b32 p\n)\n;\n.visible .entry _kernel_out()\n{\n\t.reg .b32 \t%f<99>;\n" + body +
           "\tret;\n}\n";
}

inline int count(const std::string &text, const std::string &word) {
    int found = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        found++;
    }
    return found;
}

// Products of rows of both matrices, whose operands are their first words in shared memory.
inline std::string products_of(const TensorProduct &rows, const std::string &words) {
    std::string products = words;
    for (int result = 0; result < rows.results(); result++) {
        const std::string number = std::to_string(result);
        products += "\t{ // callseq 0, 0\n\tst.param.b32 \t[param0], " + number +
                    ";\n\tst.param.b32 \t[param1], %f90;\n\tst.param.b32 \t[param2], %f91;\n" +
                    (rows.has_factor() ? "\tst.param.b32 \t[param4], %f92;\n" : "") +
                    "\tst.param.b32 \t[param3], %f5" + number + ";\n\tcall.uni (retval0), " +
                    rows.function(0) + ", (param0);\n\tld.param.b32 \t%f5" + number +
                    ", [retval0];\n\t} // callseq 0\n";
    }
    return products;
}

}  // namespace tilewright
