// Reads and writes .npy files: their elements, in the order of C or of Fortran.
#include "tilewright/npy.h"
#include "runtime/files/npy/npy_header.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/readers.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

namespace tilewright {

namespace {

// Elements are copied between file and memory as they are.
static_assert(std::endian::native == std::endian::little, ".npy files hold little-endian elements");

// An array as rows of bytes, whatever its dimensions: a vector is one row.
struct Rows {
    int64_t count, bytes, pitch;
};

Rows rows_of_bytes(const Array &array) {
    const auto element = static_cast<int64_t>(size_of(array.type()));
    if (array.dimensions() == 1) {
        return {1, array.size() * element, 0};
    }
    const int64_t count = array.shape()[0];
    return {count, array.size() / count * element, array.strides()[0] * element};
}

// In Fortran order the file holds columns: for each channel, for each x, the elements of all y. A block of
// columns is read at a time, and its elements are spread over the rows, so that neighbours fill a cache line
// of a row together. A block has at most 64 columns and 16 MiB: fewer columns where they are long, and a part
// of a column that alone is longer. So no second array is needed.
template<size_t element>
void read_fortran_order(InputFile &file, Array &array) {
    struct Element {
        uint8_t bytes[element];
    };
    const int64_t h = array.shape()[0], w = array.shape()[1];
    const int64_t channels = array.dimensions() == 3 ? array.shape()[2] : 1;
    const int64_t pitch = array.strides()[0];
    auto *data = static_cast<Element *>(array.data());

    constexpr int64_t most_columns = 64, most_elements = (int64_t(16) << 20) / element;
    const int64_t block_columns = std::clamp<int64_t>(most_elements / h, 1, std::min(most_columns, w));
    const int64_t block_rows = std::min(h, most_elements);
    Array block(Type::u8, {block_columns * block_rows * static_cast<int64_t>(element)});
    auto *columns = static_cast<Element *>(block.data());
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t x0 = 0; x0 < w; x0 += block_columns) {
            const int64_t width = std::min(block_columns, w - x0);
            for (int64_t y0 = 0; y0 < h; y0 += block_rows) {  // once, unless a block is a part of one column
                const int64_t height = std::min(block_rows, h - y0);
                file.read_whole(columns, static_cast<size_t>(width * height) * element);
                for (int64_t y = 0; y < height; y++) {
                    for (int64_t x = 0; x < width; x++) {
                        data[(y0 + y) * pitch + (x0 + x) * channels + c] = columns[x * height + y];
                    }
                }
            }
        }
    }
}

void read_fortran_order(InputFile &file, Array &array) {
    switch (size_of(array.type())) {
    case 1: return read_fortran_order<1>(file, array);
    case 2: return read_fortran_order<2>(file, array);
    case 4: return read_fortran_order<4>(file, array);
    case 8: return read_fortran_order<8>(file, array);
    default: return read_fortran_order<16>(file, array);
    }
}

template<size_t bytes>
void reverse_each(std::span<std::byte> row) {
    for (size_t i = 0; i < row.size(); i += bytes) {
        std::reverse(row.data() + i, row.data() + i + bytes);
    }
}

// Numbers of a row that are big-endian, `bytes` each.
void reverse_numbers(std::span<std::byte> row, size_t bytes) {
    switch (bytes) {
    case 1: return;
    case 2: return reverse_each<2>(row);
    case 4: return reverse_each<4>(row);
    default: return reverse_each<8>(row);
    }
}

class NpyRows final : public RowReader {
public:
    NpyRows(InputFile &file, const NpyLimits &limits) : file_(file) {
        NpyHeader header = read_npy_header(file, limits);
        type = header.type;
        shape = std::move(header.shape);
        number_bytes_ = !header.is_big_endian ? 1 : size_of(type) / (is_complex(type) ? 2 : 1);
        is_by_rows = !header.is_fortran || shape.size() == 1;
    }

    void read(Array &array) override {
        if (!is_by_rows) {
            read_fortran_order(file_, array);
        }
        const Rows rows = rows_of_bytes(array);
        auto *data = static_cast<std::byte *>(array.data());
        for (int64_t y = 0; y < rows.count; y++) {
            const std::span row(data + y * rows.pitch, static_cast<size_t>(rows.bytes));
            if (is_by_rows) {
                file_.read_whole(row.data(), row.size());
            }
            reverse_numbers(row, number_bytes_);
        }
    }

private:
    InputFile &file_;
    size_t number_bytes_ = 1;  // of the numbers that are reversed
};

}  // namespace

std::unique_ptr<RowReader> open_npy(InputFile &file, const NpyLimits &limits) {
    return std::make_unique<NpyRows>(file, limits);
}

Array read_npy(const std::string &path, const NpyLimits &limits) {
    InputFile file(path);
    const std::unique_ptr<RowReader> reader = open_npy(file, limits);
    Array array = Array::uninitialized(reader->type, reader->shape, Array::padded);
    reader->read(array);
    return array;
}

namespace {

class NpyWriter final : public RowWriter {
public:
    NpyWriter(const std::string &path, Type type, const std::vector<int64_t> &shape)
        : header_(npy_header_of(type, shape)), file_(path) {
        file_.put(header_);
    }

    void write(const Array &array) override {
        const Rows rows = rows_of_bytes(array);
        const auto *data = static_cast<const char *>(array.data());
        for (int64_t y = 0; y < rows.count; y++) {
            file_.put({data + y * rows.pitch, static_cast<size_t>(rows.bytes)});
        }
    }

    void finish() override {
        file_.commit();
    }

private:
    const std::string header_;
    OutputFile file_;
};

}  // namespace

std::unique_ptr<RowWriter> create_npy(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &) {
    if (shape.empty() || std::ranges::count(shape, 0) > 0) {
        throw Error(Fault::usage, "the array is empty; give one with elements", {.operation = "write_npy"});
    }
    return std::make_unique<NpyWriter>(path, type, shape);
}

void write_npy(const std::string &path, const Array &array) {
    write_whole(create_npy, path, array, {});
}

}  // namespace tilewright
