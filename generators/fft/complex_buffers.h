#pragma once
// Complex numbers of either precision in the buffers of generators, by the type of a variant: c64, words of
// 64 bits, or c128, pairs of f64 along a dimension before the others.
#include "generators/algorithms/fft2d/complex_values.h"
#include "generators/algorithms/word_pairs.h"
#include "generators/instructions.h"
#include <string>
#include <vector>

namespace tilewright {

inline bool has_words(const std::string &type) {
    return type == "c64";
}

inline Halide::Type type_of_parts(const std::string &type) {
    return Halide::Float(has_words(type) ? 32 : 64);
}

// Says what the buffer of an input or output is, in configure().
template<typename Buffer>
void configure_numbers(Buffer &buffer, const std::string &type, int dimensions) {
    buffer.set_type(has_words(type) ? Halide::UInt(64) : Halide::Float(64));
    buffer.set_dimensions(dimensions + (has_words(type) ? 0 : 1));
}

template<typename Buffer>
void begin_at_zero(Buffer &buffer, const std::string &type) {
    for (int d = 0; d < buffer.dimensions(); d++) {
        buffer.dim(d).set_min(0);
    }
    if (!has_words(type)) {
        buffer.dim(0).set_extent(2);
        buffer.dim(1).set_stride(2);
    }
}

// The number at a place of such a buffer: one value, or two.
template<typename Buffer>
Halide::Tuple values_in(Buffer &buffer, const std::string &type, std::vector<Halide::Expr> at) {
    if (has_words(type)) {
        return Halide::Tuple(std::vector<Halide::Expr>{buffer(at)});
    }
    at.insert(at.begin(), 0);
    const Halide::Expr re = buffer(at);
    at[0] = 1;
    return Halide::Tuple(re, buffer(at));
}

// The same of a buffer of which a GPU of NVIDIA loads both words of a number at once, as all numbers of the
// library (generators/algorithms/word_pairs.h).
template<typename Buffer>
Halide::Tuple whole_values_in(Buffer &buffer, const std::string &type, const Halide::Target &target,
    const std::vector<Halide::Expr> &at) {
    std::vector<Halide::Expr> values = values_in(buffer, type, at).as_vector();
    if (!has_words(type) && target.has_feature(Halide::Target::CUDA)) {
        const Halide::Type word = Halide::UInt(64);
        values[0] = reinterpret(values[0].type(),
            instruction(word, std::string(word_pairs_function), {reinterpret(word, values[0])}));
    }
    return Halide::Tuple(values);
}

// As multiply_add(), for numbers of f64 as well.
inline MultiplyAdd multiply_add_of(const std::string &type, const std::string &backend) {
    if (has_words(type) || backend == "cpu") {
        return multiply_add(backend);
    }
    const std::string name = backend == "opencl" ? "fma" : "llvm.fma.f64";
    return [name](const Halide::Expr &a, const Halide::Expr &b, const Halide::Expr &c) {
        return instruction(Halide::Float(64), name, {a, b, c});
    };
}

}  // namespace tilewright
