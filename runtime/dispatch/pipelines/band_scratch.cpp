#include "runtime/dispatch/pipelines/band_scratch.h"
#include "runtime/process/descriptor.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace tilewright {

namespace {

Descriptor open_unnamed_in(const std::string &folder) {
    Descriptor file(open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
    if (!file) {  // a file system without such files
        std::string name = folder + "/.tilewright-XXXXXX";
        file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
        if (file) {
            unlink(name.c_str());
        }
    }
    return file;
}

}  // namespace

BandScratch::BandScratch(const std::string &folder)
    : folder_(folder.empty() ? std::filesystem::temp_directory_path().string() : folder),
      file_(stream_of(open_unnamed_in(folder_), "w+b")) {
    if (!file_) {
        fail();
    }
}

void BandScratch::fail() const {
    const int number = errno;
    throw Error(Fault::failed,
        fmt::format("cannot keep the transposed image in a file without a name in '{}': {}; free some space, "
                    "or name another folder",
            folder_, std::strerror(number != 0 ? number : EIO)));
}

void BandScratch::begin(Type type, const std::vector<int64_t> &shape) {
    type_ = type;
    shape_ = shape;
    pixel_ = (shape.size() == 3 ? shape[2] : 1) * (int64_t)size_of(type);
}

void BandScratch::write(const Array &columns) {
    const auto *data = static_cast<const std::byte *>(columns.data());
    const int64_t pitch = columns.strides()[0] * (int64_t)size_of(type_), n = columns.shape()[1];
    for (int64_t y = 0; y < shape_[0]; y++) {
        const auto bytes = (size_t)(n * pixel_);
        if (std::fwrite(data + y * pitch, 1, bytes, file_.get()) != bytes) {
            fail();
        }
    }
    columns_.push_back(n);
}

void BandScratch::finish() {
    if (std::fflush(file_.get()) != 0) {
        fail();
    }
}

void BandScratch::read(Array &rows) {
    const int64_t count = rows.shape()[0], pitch = rows.strides()[0] * (int64_t)size_of(type_);
    auto *data = static_cast<std::byte *>(rows.data());
    std::vector<std::byte> part;
    int64_t x = 0;
    for (const int64_t n : columns_) {
        part.resize((size_t)(count * n * pixel_));
        const int64_t place = (x * shape_[0] + row_ * n) * pixel_;
        if (fseeko(file_.get(), place, SEEK_SET) != 0 ||
            std::fread(part.data(), 1, part.size(), file_.get()) != part.size()) {
            fail();
        }
        for (int64_t y = 0; y < count; y++) {
            std::memcpy(data + y * pitch + x * pixel_, part.data() + y * n * pixel_, (size_t)(n * pixel_));
        }
        x += n;
    }
    row_ += count;
}

void BandScratch::copy_to(RowSink &sink, int64_t memory) {
    sink.begin(type_, shape_);
    const int64_t row = shape_[1] * pixel_,
                  rows = std::clamp<int64_t>(std::min<int64_t>(memory / 4, 16 << 20) / row, 1, shape_[0]);
    for (int64_t y = 0; y < shape_[0]; y += rows) {
        std::vector<int64_t> shape = shape_;
        shape[0] = std::min(rows, shape_[0] - y);
        Array part = Array::uninitialized(type_, shape);
        read(part);
        sink.write(part);
    }
    sink.finish();
}

}  // namespace tilewright
