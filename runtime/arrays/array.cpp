// Arrays: shapes, strides, views of a storage.
#include "tilewright/array.h"
#include "runtime/arrays/copy.h"
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/memory/pinned_memory.h"
#include "runtime/errors/leaving.h"
#include "runtime/process/immortal.h"
#include "tilewright/error.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

size_t size_of(Type type) {
    switch (type) {
    case Type::u8: return 1;
    case Type::u16:
    case Type::f16:
    case Type::bf16: return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32: return 4;
    case Type::u64:
    case Type::f64:
    case Type::c64: return 8;
    case Type::c128: return 16;
    }
    return 0;
}

const char *name_of(Type type) {
    static const char *const names[] = {
        "u8", "u16", "u32", "u64", "i32", "f32", "f64", "c64", "f16", "bf16", "c128"};
    return (size_t)type < std::size(names) ? names[(size_t)type] : "of no type";
}

namespace {

std::string text(Type type, const std::vector<int64_t> &shape) {
    return fmt::format("{} ({})", name_of(type), fmt::join(shape, ", "));
}

void check_shape(Type type, const std::vector<int64_t> &shape) {
    int64_t size = (int64_t)size_of(type);
    bool good = size > 0 && !shape.empty() && shape.size() <= 8, is_countable = true;
    for (int64_t n : shape) {
        good = good && n >= 1 && n <= INT32_MAX;
        is_countable = is_countable && !__builtin_mul_overflow(size, n, &size);
    }
    if (!good) {
        throw Error(Fault::usage, "an array has a type, and 1 to 8 dimensions of 1 to 2^31 - 1 elements",
            {.argument = "shape", .value = text(type, shape)});
    }
    if (!is_countable) {
        throw Error(Fault::memory, "no memory has so many bytes; use smaller data",
            {.argument = "shape", .value = text(type, shape)});
    }
}

// The rows of an array's bytes; nothing when 63 bits cannot count them.
std::optional<MemoryLayout> layout_of(
    Type type, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
    const bool has_rows = shape.size() > 1;
    const int64_t element = (int64_t)size_of(type), rows = has_rows ? shape[0] : 1;
    int64_t row = element, pitch = 0, all = 0;
    for (size_t d = has_rows; d < shape.size(); d++) {
        row *= shape[d];
    }
    if (__builtin_mul_overflow(has_rows ? strides[0] : shape[0], element, &pitch) ||
        __builtin_mul_overflow(pitch, rows, &all)) {
        return std::nullopt;
    }
    return MemoryLayout{(size_t)rows, (size_t)row, (size_t)pitch};
}

// The number of bytes from the first element to the end of the last one.
int64_t span_of(Type type, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
    int64_t last = 0;
    for (size_t d = 0; d < shape.size(); d++) {
        last += (shape[d] - 1) * strides[d];
    }
    return (last + 1) * (int64_t)size_of(type);
}

std::vector<int64_t> dense_strides(const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (int d = (int)shape.size() - 2; d >= 0; d--) {
        strides[d] = strides[d + 1] * shape[d + 1];
    }
    return strides;
}

}  // namespace

Array::Array(Type type, std::vector<int64_t> shape, int64_t row_bytes)
    : Array(type, std::move(shape), row_bytes, Memory::zeroed) {}

Array Array::uninitialized(Type type, std::vector<int64_t> shape, int64_t row_bytes) {
    return Array(type, std::move(shape), row_bytes, Memory::any);
}

Array Array::pinned(Type type, std::vector<int64_t> shape, int64_t row_bytes) {
    return Array(type, std::move(shape), row_bytes, Memory::pinned);
}

Array::Array(Type type, std::vector<int64_t> shape, int64_t row_bytes, Memory memory) try : type_(type) {
    check_shape(type, shape);
    std::vector<int64_t> strides = dense_strides(shape);
    if (shape.size() > 1) {
        const int64_t element = (int64_t)size_of(type), dense = strides[0] * element;
        const int64_t pitch = row_bytes == padded ? (int64_t)padded_bytes((size_t)dense) :
                              row_bytes == 0      ? dense :
                                                    row_bytes;
        if (pitch < dense || pitch % element != 0) {
            throw Error(Fault::usage,
                fmt::format(
                    "a row of {} needs at least {} bytes, in whole elements", text(type, shape), dense),
                {.argument = "row_bytes", .value = std::to_string(row_bytes)});
        }
        strides[0] = pitch / element;
    }
    const auto layout = layout_of(type, shape, strides);
    if (!layout) {
        throw Error(Fault::memory,
            fmt::format("{} with such rows is more than any memory", text(type, shape)),
            {.argument = "row_bytes", .value = std::to_string(row_bytes)});
    }
    axes_ = std::make_shared<const Axes>(Axes{std::move(shape), std::move(strides)});
    storage_ = memory == Memory::pinned ? std::make_shared<Storage>(*layout, false, driver::pinned_memory()) :
                                          std::make_shared<Storage>(*layout, memory == Memory::zeroed);
} catch (...) {
    leave_with_error();
}

// An array without a storage, for memory that somebody else owns.
Array Array::laid_out(Type type, std::vector<int64_t> shape, std::vector<int64_t> strides, uint64_t memory) {
    check_shape(type, shape);
    const auto dense = dense_strides(shape);
    if (strides.empty()) {
        strides = dense;
    }
    bool good = memory != 0 && strides.size() == shape.size() &&
                memory % (is_complex(type) ? size_of(type) / 2 : size_of(type)) == 0;
    for (size_t d = 0; good && d < shape.size(); d++) {
        strides[d] = shape[d] == 1 ? dense[d] : strides[d];  // along one element no step is taken
        good = d == 0 && shape.size() > 1 ? strides[d] >= dense[d] : strides[d] == dense[d];
    }
    if (!good) {
        throw Error(Fault::usage,
            fmt::format("a view of {} needs aligned memory and strides that are dense but for the "
                        "rows' pitch (strides: {})",
                text(type, shape), fmt::join(strides, ", ")),
            {.argument = "view"});
    }
    if (!layout_of(type, shape, strides)) {
        throw Error(Fault::usage,
            fmt::format("strides ({}) reach beyond any memory", fmt::join(strides, ", ")),
            {.argument = "view"});
    }
    Array a;
    a.type_ = type;
    a.axes_ = std::make_shared<const Axes>(Axes{std::move(shape), std::move(strides)});
    return a;
}

Array Array::view(Type type, void *data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
    return view_of(type, data, false, SIZE_MAX, std::move(shape), std::move(strides));
}

Array Array::view(Type type, const void *data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
    return view_of(type, data, true, SIZE_MAX, std::move(shape), std::move(strides));
}

Array Array::view_of(Type type, const void *data, bool is_const, size_t elements, std::vector<int64_t> shape,
    std::vector<int64_t> strides) try {
    if (shape.empty() && elements != SIZE_MAX) {
        shape = {(int64_t)elements};
    }
    Array a = laid_out(type, std::move(shape), std::move(strides), (uint64_t)data);
    const auto needed = (size_t)span_of(type, a.shape(), a.strides()) / size_of(type);
    if (needed > elements) {
        throw Error(Fault::usage,
            fmt::format(
                "a view of {} needs {} elements, and the span has {}", a.describe(), needed, elements),
            {.argument = "view"});
    }
    a.storage_ = std::make_shared<Storage>(
        *layout_of(type, a.shape(), a.strides()), const_cast<void *>(data), is_const);
    return a;
} catch (...) {
    leave_with_error();
}

Array Array::wrap(Type type, Device device, uint64_t memory, std::vector<int64_t> shape,
    std::vector<int64_t> strides, std::shared_ptr<const void> owner) try {
    if (device.backend == Backend::cpu) {
        throw Error(Fault::usage, "it wraps memory of a GPU; take view() for memory of the host",
            {.argument = "device", .value = device.str()});
    }
    Array a = laid_out(type, std::move(shape), std::move(strides), memory);
    // A CUDA pointer may be anywhere in an allocation. The storage begins where its words of 16 bytes do.
    a.offset_ = device.backend == Backend::cuda ? (int64_t)(memory % 256) : 0;
    a.storage_ = std::make_shared<Storage>(*layout_of(type, a.shape(), a.strides()),
        (size_t)(a.offset_ + span_of(type, a.shape(), a.strides())), device, memory - (uint64_t)a.offset_,
        std::move(owner));
    return a;
} catch (...) {
    leave_with_error();
}

Array Array::crop(int64_t y0, int64_t x0, int64_t h, int64_t w) const try {
    const std::vector<int64_t> &all = shape();
    if (all.size() < 2 || y0 < 0 || x0 < 0 || h < 1 || w < 1 || h > all[0] - y0 || w > all[1] - x0) {
        throw Error(Fault::usage,
            fmt::format("{} rows from {} and {} columns from {} are not inside {}", h, y0, w, x0, describe()),
            {.argument = "crop"});
    }
    Array a = *this;
    a.offset_ += (y0 * strides()[0] + x0 * strides()[1]) * (int64_t)size_of(type_);
    Axes part = axes();
    part.shape[0] = h;
    part.shape[1] = w;
    a.axes_ = std::make_shared<const Axes>(std::move(part));
    return a;
} catch (...) {
    leave_with_error();
}

Array Array::slice(const std::vector<int64_t> &first) const try {
    const std::vector<int64_t> &all = shape();
    bool good = first.size() < all.size();
    int64_t offset = 0;
    for (size_t d = 0; good && d < first.size(); d++) {
        good = first[d] >= 0 && first[d] < all[d];
        offset += good ? first[d] * strides()[d] : 0;
    }
    if (!good) {
        throw Error(Fault::usage, fmt::format("({}) is no part of {}", fmt::join(first, ", "), describe()),
            {.argument = "slice"});
    }
    const auto kept = (ptrdiff_t)first.size();
    Array a = *this;
    a.offset_ += offset * (int64_t)size_of(type_);
    a.axes_ = std::make_shared<const Axes>(
        Axes{{all.begin() + kept, all.end()}, {strides().begin() + kept, strides().end()}});
    return a;
} catch (...) {
    leave_with_error();
}

Array Array::moved_to(const Array &other, int64_t offset_bytes) const {
    Array a = other;
    a.type_ = type_;
    a.offset_ = offset_bytes;
    a.axes_ = axes_;
    return a;
}

Array Array::clone(int64_t row_bytes) const try {
    Array a = uninitialized(type_, shape(), row_bytes);
    copy(*this, a);
    return a;
} catch (...) {
    leave_with_error();
}

void Array::copy_elements(const Array &from, Array to) try {
    if (from.empty() || to.empty() || from.overlaps(to)) {
        throw Error(Fault::usage,
            from.overlaps(to) ? "the elements share memory with the array" : "an empty array has no elements",
            {.argument = "copy"});
    }
    copy(from, to);
} catch (...) {
    leave_with_error();
}

const Array::Axes &Array::no_axes() {
    return immortal([] { return Axes(); });
}

int64_t Array::size() const {
    int64_t n = shape().empty() ? 0 : 1;
    for (int64_t extent : shape()) {
        n *= extent;
    }
    return n;
}

std::string Array::describe() const {
    return empty() && shape().empty() ? "an empty array" : text(type_, shape());
}

const void *Array::data() const {
    return storage_ ? storage_->host(false) + offset_ : nullptr;
}

void *Array::data() {
    return storage_ ? storage_->host(true) + offset_ : nullptr;
}

void Array::sync() const {
    if (storage_) {
        storage_->host(false);
    }
}

void Array::sync(Device device) const {
    if (storage_ && device.backend == Backend::cpu) {
        storage_->host(false);
    } else if (storage_) {
        driver::open(device);
        storage_->to_device(device);
    }
}

std::optional<Device> Array::newest_on() const {
    return storage_ ? storage_->newest_on() : std::nullopt;
}

uint64_t Array::device_memory() const {
    const std::optional<Device> device = newest_on();
    return !device ? 0 :
                     storage_->device_memory() + (device->backend == Backend::cuda ? (uint64_t)offset_ : 0);
}

bool Array::is_wrapped() const {
    return storage_ && storage_->is_wrapped();
}

bool Array::overlaps(const Array &other) const {
    if (empty() || other.empty()) {
        return false;
    }
    // A cl_mem has no address; its arrays begin where it does.
    const auto cl_mem = [](const Array &array) {
        const bool has = array.is_wrapped() && array.newest_on()->backend == Backend::opencl;
        return has ? array.device_memory() : 0;
    };
    if (cl_mem(*this) != cl_mem(other)) {
        return false;
    }
    // Two crops of one image may be side by side, so that their spans overlap and no byte is shared.
    // Numbers: memory of a device alone has no address on the host, and a null pointer takes no offset.
    const int64_t a = reinterpret_cast<intptr_t>(storage_->address()) + offset_,
                  b = reinterpret_cast<intptr_t>(other.storage_->address()) + other.offset_;
    const int64_t a_span = span_of(type_, shape(), strides()),
                  b_span = span_of(other.type_, other.shape(), other.strides());
    if (a + a_span <= b || b + b_span <= a) {
        return false;
    }
    const bool same_pitch =
        dimensions() > 1 && other.dimensions() > 1 &&
        strides()[0] * (int64_t)size_of(type_) == other.strides()[0] * (int64_t)size_of(other.type_);
    if (!same_pitch) {
        return true;
    }
    const int64_t pitch = strides()[0] * (int64_t)size_of(type_);
    const int64_t a_row = size() / shape()[0] * (int64_t)size_of(type_);
    const int64_t b_row = other.size() / other.shape()[0] * (int64_t)size_of(other.type_);
    // Bytes from the begin of a row of a to that of the next row of b.
    const int64_t apart = ((b - a) % pitch + pitch) % pitch;
    return apart < a_row || apart + b_row > pitch;
}

void Array::expect(Type type) const {
    if (type != type_) {
        throw Error(Fault::usage, fmt::format("the array holds {}, not {}", describe(), name_of(type)),
            {.argument = "as"});
    }
}

int64_t Array::offset_of(const std::vector<int64_t> &index) const {
    bool inside = index.size() == shape().size();
    int64_t offset = 0;
    for (size_t d = 0; inside && d < index.size(); d++) {
        inside = index[d] >= 0 && index[d] < shape()[d];
        offset += index[d] * strides()[d];
    }
    if (!inside) {
        throw Error(Fault::usage, fmt::format("({}) is not inside {}", fmt::join(index, ", "), describe()),
            {.argument = "index"});
    }
    return offset;
}

}  // namespace tilewright
