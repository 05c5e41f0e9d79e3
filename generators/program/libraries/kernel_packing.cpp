// Packs the text of kernels.
#include "generators/program/libraries/kernel_packing.h"
#include "generators/algorithms/far_copies.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/value_numbers.h"
#include <stdexcept>
#include <zlib.h>
#if __has_include(<libdeflate.h>)
#include <libdeflate.h>
// Programs that are linked without the library use zlib.
#pragma weak libdeflate_alloc_compressor
#pragma weak libdeflate_free_compressor
#pragma weak libdeflate_zlib_compress
#endif

namespace tilewright {

// A first call unpacks its group up to its text. Groups of twice the size would save 4 % of the bytes.
constexpr size_t most_bytes_of_group = 4 << 20;

namespace {

// In zlib's format, 8 % smaller than zlib's best. Empty where libdeflate is missing or fails.
std::string by_libdeflate([[maybe_unused]] const std::string &text) {
    std::string stream;
#if __has_include(<libdeflate.h>)
    if (auto *const compressor = libdeflate_alloc_compressor ? libdeflate_alloc_compressor(12) : nullptr) {
        stream.resize(compressBound(text.size()));
        stream.resize(
            libdeflate_zlib_compress(compressor, text.data(), text.size(), stream.data(), stream.size()));
        libdeflate_free_compressor(compressor);
    }
#endif
    return stream;
}

std::string by_zlib(const std::string &text) {
    uLongf bytes = compressBound(text.size());
    std::string stream(bytes, '\0');
    if (compress2(reinterpret_cast<Bytef *>(stream.data()), &bytes,
            reinterpret_cast<const Bytef *>(text.data()), text.size(), Z_BEST_COMPRESSION) != Z_OK) {
        throw std::runtime_error("zlib could not deflate the text of the kernels");
    }
    stream.resize(bytes);
    return stream;
}

std::string deflated(const std::string &text) {
    const std::string smallest = by_libdeflate(text);
    return smallest.empty() ? by_zlib(text) : smallest;
}

}  // namespace

void KernelPacking::add(const std::string &text) {
    const std::string distances = with_distances(text);
    if (with_numbers(distances, text.size()) != text) {
        throw std::runtime_error(
            "the numbers of values in the text of the kernels cannot be written as distances");
    }
    if (!group_.empty() && group_.size() + distances.size() > most_bytes_of_group) {
        end_group();
    }
    texts_.push_back({key_of_module(text), group_.size(), distances.size(), text.size()});
    group_ += distances;
}

void KernelPacking::end_group() {
    const FarCopies copies = with_far_copies(group_);
    if (without_far_copies(copies.steps, copies.letters, group_.size()) != group_) {
        throw std::runtime_error("the texts of the kernels do not come back as they were packed");
    }
    const std::string stream = deflated(copies.steps + copies.letters);
    for (const Text &text : texts_) {
        const size_t letters = letters_up_to(copies.steps, text.begin + text.bytes);
        entries_ << "    {0x" << std::hex << text.key << std::dec << "u, " << symbol_ << " + "
                 << bytes_.size() << ", " << copies.steps.size() + letters << ", " << text.begin << ", "
                 << text.bytes << ", " << text.text_bytes << "},\n";
    }
    const KernelTextGroup sizes = {(uint32_t)stream.size(), (uint32_t)copies.steps.size()};
    bytes_.append(reinterpret_cast<const char *>(&sizes), sizeof sizes);
    bytes_ += stream;
    group_.clear();
    texts_.clear();
}

}  // namespace tilewright
