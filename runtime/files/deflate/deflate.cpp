// Compression by zlib.
#include "runtime/files/deflate/deflate.h"
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>
#include <zlib.h>

namespace tilewright {

namespace {

class ZlibDeflater final : public Deflater {
public:
    ZlibDeflater(int level, CompressedBytes to) : to_(std::move(to)), ready_(size_t(64) << 10) {
        const int code = deflateInit(&stream_, level);
        if (code == Z_MEM_ERROR) {
            throw std::bad_alloc();
        }
        check(code);
    }
    ~ZlibDeflater() override {
        deflateEnd(&stream_);
    }

    void add(const uint8_t *from, size_t bytes) override {
        constexpr size_t most = size_t(1) << 30;  // zlib counts in 32 bits
        for (; bytes > most; from += most, bytes -= most) {
            run(from, most, Z_NO_FLUSH);
        }
        run(from, bytes, Z_NO_FLUSH);
    }

    void finish() override {
        run(nullptr, 0, Z_FINISH);
        deflateReset(&stream_);
    }

private:
    void run(const uint8_t *from, size_t bytes, int flush) {
        stream_.next_in = const_cast<uint8_t *>(from);
        stream_.avail_in = static_cast<uInt>(bytes);
        do {
            stream_.next_out = ready_.data();
            stream_.avail_out = static_cast<uInt>(ready_.size());
            check(deflate(&stream_, flush));
            if (const size_t count = ready_.size() - stream_.avail_out) {
                to_(ready_.data(), count);
            }
        } while (stream_.avail_out == 0);
    }

    // Z_BUF_ERROR says that nothing was left to do.
    static void check(int code) {
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            throw std::logic_error(fmt::format("zlib does not compress: error {}", code));
        }
    }

    const CompressedBytes to_;
    std::vector<uint8_t> ready_;
    z_stream stream_ = {};
};

}  // namespace

std::unique_ptr<Deflater> create_deflater(std::optional<int> level, CompressedBytes to) {
    if (!level) {
        if (std::unique_ptr<Deflater> isal = create_isal_deflater(to)) {
            return isal;
        }
    }
    return std::make_unique<ZlibDeflater>(level.value_or(2), std::move(to));
}

}  // namespace tilewright
