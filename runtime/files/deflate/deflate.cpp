// Compression in pieces, and by zlib.
#include "runtime/files/deflate/deflate.h"
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <utility>
#include <zlib.h>

namespace tilewright {

namespace {

class ZlibDeflater final : public Deflater {
public:
    ZlibDeflater(int level, CompressedBytes to) : Deflater(std::move(to)) {
        const int code = deflateInit(&stream_, level);
        if (code == Z_MEM_ERROR) {
            throw std::bad_alloc();
        }
        check(code);
    }
    ~ZlibDeflater() override {
        deflateEnd(&stream_);
    }

private:
    uint32_t compress(const uint8_t *from, uint32_t bytes, bool ends, uint8_t *to, uint32_t room) override {
        if (bytes > 0) {
            stream_.next_in = const_cast<uint8_t *>(from);
            stream_.avail_in = bytes;
        }
        stream_.next_out = to;
        stream_.avail_out = room;
        check(deflate(&stream_, ends ? Z_FINISH : Z_NO_FLUSH));
        return stream_.avail_out;
    }

    void begin_another() override {
        deflateReset(&stream_);
    }

    // Z_BUF_ERROR says that nothing was left to do.
    static void check(int code) {
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            throw std::logic_error(fmt::format("zlib does not compress: error {}", code));
        }
    }

    z_stream stream_ = {};
};

}  // namespace

Deflater::Deflater(CompressedBytes to) : to_(std::move(to)), ready_(size_t(64) << 10) {}

void Deflater::add(const uint8_t *from, size_t bytes) {
    constexpr uint32_t most = uint32_t(1) << 30;  // both libraries count in 32 bits
    for (; bytes > most; from += most, bytes -= most) {
        run(from, most, false);
    }
    run(from, static_cast<uint32_t>(bytes), false);
}

void Deflater::finish() {
    run(nullptr, 0, true);
    begin_another();
}

void Deflater::run(const uint8_t *from, uint32_t bytes, bool ends) {
    uint32_t left = 0;
    do {
        left = compress(from, bytes, ends, ready_.data(), static_cast<uint32_t>(ready_.size()));
        bytes = 0;
        if (left < ready_.size()) {
            to_(ready_.data(), ready_.size() - left);
        }
    } while (left == 0);
}

std::unique_ptr<Deflater> create_deflater(std::optional<int> level, CompressedBytes to) {
    if (!level) {
        if (std::unique_ptr<Deflater> isal = create_isal_deflater(to)) {
            return isal;
        }
    }
    return std::make_unique<ZlibDeflater>(level.value_or(2), std::move(to));
}

}  // namespace tilewright
