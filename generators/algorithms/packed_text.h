#pragma once
// Packed texts, by liblzma. The kernels of variants that are alike are packed one text behind another: most
// of a text is copies of what was there before it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <lzma.h>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilewright {

// Texts are packed together up to this size, because a first call unpacks all that is before its text.
constexpr uint32_t most_bytes_packed_together = 4 << 20;

// How texts are packed: LZMA as in .lzma files, but without their header, so that the packed text does not
// say it, and without a check sum. Where they need not be small, packing takes a ninth of the time, and texts
// have 1.4 times as many bytes. Both are unpacked in the same way.
inline lzma_options_lzma text_options(bool small) {
    lzma_options_lzma options;
    lzma_lzma_preset(&options, small ? 6 : 2);
    options.dict_size = most_bytes_packed_together;
    // No letter is likelier at some places than at others.
    options.pb = 0;
    // The longest copy, and how many places are looked at for one. By level 6 with its 64 letters, texts have
    // up to a sixth more bytes; by the 152 places that go with 273 letters, a hundredth less, and packing
    // takes half as long again.
    options.nice_len = 273;
    if (small) {
        options.depth = 32;
    }
    return options;
}

// As liblzma takes it, while `options` lives.
inline std::array<lzma_filter, 2> text_filters(lzma_options_lzma &options) {
    return {{{LZMA_FILTER_LZMA1, &options}, {LZMA_VLI_UNKNOWN, nullptr}}};
}

// What unpacked() makes the text of. Errors: std::runtime_error where liblzma cannot pack it.
inline std::string packed(std::string_view text, bool small) {
    std::string bytes(2 * text.size() + 64, '\0');
    size_t size = 0;
    lzma_options_lzma options = text_options(small);
    const auto filters = text_filters(options);
    const lzma_ret answer =
        lzma_raw_buffer_encode(filters.data(), nullptr, reinterpret_cast<const uint8_t *>(text.data()),
            text.size(), reinterpret_cast<uint8_t *>(bytes.data()), &size, bytes.size());
    if (answer != LZMA_OK) {
        throw std::runtime_error("liblzma cannot pack the texts of kernels: error " + std::to_string(answer));
    }
    bytes.resize(size);
    return bytes;
}

// The `size` bytes from `begin` on of a text that packed() took. There is no check sum: damage may give
// another text. Errors: std::runtime_error where `bytes` are no LZMA, or that of a shorter text;
// std::bad_alloc.
inline std::string unpacked(std::string_view bytes, size_t begin, size_t size) {
    std::string text(size, '\0');
    lzma_options_lzma options = text_options(true);
    const auto filters = text_filters(options);
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret answer = lzma_raw_decoder(&stream, filters.data());
    stream.next_in = reinterpret_cast<const uint8_t *>(bytes.data());
    stream.avail_in = bytes.size();
    const auto write = [&](size_t count) {
        stream.next_out = reinterpret_cast<uint8_t *>(text.data());
        stream.avail_out = count;
        while (answer == LZMA_OK && stream.avail_out > 0) {
            answer = lzma_code(&stream, LZMA_RUN);
        }
    };
    // What is before `begin` lies for a moment where the text will be.
    for (size_t left = begin; left > 0 && size > 0 && answer == LZMA_OK;) {
        const size_t count = std::min(left, size);
        write(count);
        left -= count;
    }
    write(size);
    const bool is_whole = stream.avail_out == 0;
    lzma_end(&stream);
    if (answer == LZMA_MEM_ERROR) {
        throw std::bad_alloc();
    }
    if (!is_whole) {
        throw std::runtime_error("the text of a library's kernels cannot be unpacked: it is damaged, or of "
                                 "another version of Tilewright; link the program with libraries of one "
                                 "version");
    }
    return text;
}

}  // namespace tilewright
