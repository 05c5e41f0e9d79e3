#include "tilewright/array.h"
#include "runtime/arrays/copy.h"
#include "runtime/devices/hooks.h"
#include "runtime/devices/halide_calls.h"
#include "runtime/process/inside.h"
#include "runtime/errors/leaving.h"
#include "runtime/arrays/storage.h"
#include "tilewright/error.h"
#include <HalideRuntimeCuda.h>
#include <HalideRuntimeOpenCL.h>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright {

// ----------------------------------------------------------------------------------------------------------------- Storage

// A size in the unit that shows it: below a GiB, GiB would read 0.0.
static std::string size_text(size_t bytes) {
    constexpr size_t gib = size_t(1) << 30;
    return bytes < gib ? fmt::format("{:.1f} MiB", (double)bytes / (1 << 20)) : fmt::format("{:.1f} GiB", (double)bytes / gib);
}

Storage::Storage(Layout layout) : layout_(layout), bytes_((layout.rows * layout.pitch + 63) / 64 * 64), owned_(true) {
    const size_t installed = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE);
    void *memory = bytes_ > installed ? MAP_FAILED :
                                        mmap(nullptr, bytes_ + 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw Error(Fault::memory, fmt::format("{} of host memory cannot be had (installed: {}); use smaller data", size_text(bytes_),
                                               size_text(installed)));
    }
    begin_ = static_cast<std::byte *>(memory);
    describe();
}

Storage::Storage(Layout layout, void *data)
    : begin_(static_cast<std::byte *>(data)), layout_(layout), bytes_((layout.rows - 1) * layout.pitch + layout.row) {
    describe();
}

Storage::~Storage() {
    release_device();
    if (owned_) {
        munmap(begin_, bytes_ + 64);
    }
}

void Storage::describe() {
    // Halide counts elements in 31 bits: large storages are described in larger elements.
    int element = 1;
    while (element < 8 && bytes_ / element > INT32_MAX && bytes_ % (2 * element) == 0) {
        element *= 2;
    }
    dim_ = halide_dimension_t(0, (int32_t)(bytes_ / element), 1);
    flat_.host = reinterpret_cast<uint8_t *>(begin_);
    flat_.type = halide_type_t(halide_type_uint, (uint8_t)(8 * element));
    flat_.dimensions = 1;
    flat_.dim = &dim_;
}

void Storage::copy_to_host() {
    if (!flat_.device_dirty()) {
        return;
    }
    prepare_halide();
    driver::Current current(*where_);
    halide_buffer_t landing = flat_;
    // What lies between the rows of a caller's memory may have changed meanwhile: only the rows come back.
    const bool apart = !owned_ && layout_.row < layout_.pitch;
    std::unique_ptr<std::byte[]> bytes(apart ? new (std::nothrow) std::byte[bytes_] : nullptr);
    if (apart && !bytes) {
        throw Error(Fault::memory, fmt::format("{} of host memory cannot be had; use smaller data", size_text(bytes_)),
                    {.operation = "copy to the host"});
    }
    if (apart) {
        landing.host = reinterpret_cast<uint8_t *>(bytes.get());
    }
    if (int code = halide_copy_to_host(nullptr, &landing)) {
        throw_halide_error(code, "copy to the host", "", *where_);
    }
    for (size_t at = 0; apart && at < bytes_; at += layout_.pitch) {
        memcpy(begin_ + at, bytes.get() + at, layout_.row);
    }
    flat_.set_device_dirty(false);
}

void Storage::release_device() noexcept {
    if (!where_) {
        return;
    }
    const Inside inside;
    bool freed = false;
    try {
        if (!drivers_have_ended()) {
            driver::Current current(*where_);
            freed = halide_device_free(nullptr, &flat_) == 0;
        }
    } catch (const Error &) {  // they ended meanwhile
    }
    if (!freed) {
        flat_.device = 0;  // lost, but not in the way of another device
        flat_.device_interface = nullptr;
    }
    where_.reset();
    flat_.set_device_dirty(false);
    flat_.set_host_dirty(false);
}

std::byte *Storage::host(bool write) try {
    const Inside inside;
    if (write) {
        hold_host();
        release_host();
        return begin_;
    }
    std::lock_guard lock(mutex_);
    copy_to_host();
    return begin_;
} catch (...) {
    leave_with_error();
}

void Storage::hold_host() {
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return device_writers_ == 0; });
    copy_to_host();
    host_writers_++;
}

void Storage::release_host() noexcept {
    std::lock_guard lock(mutex_);
    if (where_) {
        flat_.set_host_dirty();
    }
    host_writers_--;
    released_.notify_all();
}

void Storage::to_device(Device device) try {
    const Inside inside;
    std::unique_lock lock(mutex_);
    make_current(lock, device, false, false);
} catch (...) {
    leave_with_error();
}

void Storage::hold(Device device, bool written, bool overwritten) {
    std::unique_lock lock(mutex_);
    make_current(lock, device, written, overwritten);
    held_++;
    device_writers_ += written;
}

void Storage::release(bool written, bool failed) noexcept {
    std::lock_guard lock(mutex_);
    if (written && !failed) {
        flat_.set_host_dirty(false);
        flat_.set_device_dirty();
    } else if (written && !flat_.device_dirty()) {
        flat_.set_host_dirty();  // what is on the device now is nobody's; the host has the elements as they were
    }
    held_--;
    device_writers_ -= written;
    released_.notify_all();
}

void Storage::make_current(std::unique_lock<std::mutex> &lock, Device device, bool written, bool overwritten) {
    released_.wait(lock, [&] { return (held_ == 0 || where_ == device) && !(written && host_writers_ > 0); });
    prepare_halide();
    if (bytes_ / flat_.type.bytes() > INT32_MAX) {
        throw Error(Fault::input, fmt::format("{:.1f} GiB at once are more than Halide copies to a device; clone() the part that is needed",
                                              (double)bytes_ / (1 << 30)), {.operation = "copy to the device", .device = device.str()});
    }
    if (where_ && *where_ != device) {
        copy_to_host();
        release_device();
    }
    driver::Current current(device);
    const auto *interface = device.backend == Backend::cuda ? halide_cuda_device_interface() : halide_opencl_device_interface();
    if (!where_) {
        if (int code = halide_device_malloc(nullptr, &flat_, interface)) {
            throw_halide_error(code, "device allocation", "", device);
        }
        where_ = device;
        flat_.set_host_dirty();
    }
    if (!overwritten && flat_.host_dirty()) {
        if (int code = halide_copy_to_device(nullptr, &flat_, interface)) {
            throw_halide_error(code, "copy to the device", "", device);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------------- Array

const Error &no_memory = *new Error(Fault::memory, "the host has no memory left; use smaller data");

size_t size_of(Type type) {
    switch (type) {
    case Type::u8: return 1;
    case Type::u16: return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32: return 4;
    case Type::f64:
    case Type::c64: return 8;
    }
    return 0;
}

const char *name_of(Type type) {
    static const char *const names[] = {"u8", "u16", "u32", "i32", "f32", "f64", "c64"};
    return (size_t)type < std::size(names) ? names[(size_t)type] : "of no type";
}

namespace {

std::string text(Type type, const std::vector<int64_t> &shape) {
    return fmt::format("{} ({})", name_of(type), fmt::join(shape, ", "));
}

void check_shape(Type type, const std::vector<int64_t> &shape) {
    int64_t size = (int64_t)size_of(type);
    bool good = size > 0 && !shape.empty() && shape.size() <= 3;
    for (int64_t n : shape) {
        good = good && n >= 1 && n <= INT32_MAX && !__builtin_mul_overflow(size, n, &size);
    }
    if (!good) {
        throw Error(Fault::usage, "an array has a type, and 1 to 3 dimensions of 1 to 2^31 - 1 elements", {.argument = "shape", .value = text(type, shape)});
    }
}

// How the bytes of an array lie. False when that is more than 63 bits count.
bool lay_out(Type type, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides, Storage::Layout &layout) {
    const int64_t element = (int64_t)size_of(type), rows = shape.size() > 1 ? shape[0] : 1;
    int64_t row = element, pitch = 0, all = 0;
    for (size_t d = shape.size() > 1; d < shape.size(); d++) {
        row *= shape[d];
    }
    if (__builtin_mul_overflow(shape.size() > 1 ? strides[0] : shape[0], element, &pitch) || __builtin_mul_overflow(pitch, rows, &all)) {
        return false;
    }
    layout = {(size_t)rows, (size_t)row, (size_t)pitch};
    return true;
}

// Bytes from the first element to the end of the last one.
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

Array::Array(Type type, std::vector<int64_t> shape, int64_t row_bytes) try : type_(type), shape_(std::move(shape)) {
    check_shape(type, shape_);
    strides_ = dense_strides(shape_);
    if (shape_.size() > 1) {
        const int64_t element = (int64_t)size_of(type), dense = strides_[0] * element;
        const int64_t pitch = row_bytes == padded ? (dense + 63) / 64 * 64 : row_bytes == 0 ? dense : row_bytes;
        if (pitch < dense || pitch % element != 0) {
            throw Error(Fault::usage, fmt::format("a row of {} needs at least {} bytes, in whole elements", describe(), dense),
                        {.argument = "row_bytes", .value = std::to_string(row_bytes)});
        }
        strides_[0] = pitch / element;
    }
    Storage::Layout layout;
    if (!lay_out(type, shape_, strides_, layout)) {
        throw Error(Fault::memory, fmt::format("{} with such rows is more than any memory", describe()),
                    {.argument = "row_bytes", .value = std::to_string(row_bytes)});
    }
    storage_ = std::make_shared<Storage>(layout);
} catch (...) {
    leave_with_error();
}

Array Array::view(Type type, void *data, std::vector<int64_t> shape, std::vector<int64_t> strides) try {
    check_shape(type, shape);
    Array a;
    a.type_ = type;
    a.strides_ = strides.empty() ? dense_strides(shape) : std::move(strides);
    const auto dense = dense_strides(shape);
    bool good = data && a.strides_.size() == shape.size() && (uintptr_t)data % (type == Type::c64 ? 4 : size_of(type)) == 0;
    for (size_t d = 0; good && d < shape.size(); d++) {
        good = d == 0 && shape.size() > 1 ? a.strides_[d] >= dense[d] : a.strides_[d] == dense[d];
    }
    if (!good) {
        throw Error(Fault::usage, fmt::format("a view of {} needs aligned memory and strides that are dense but for the rows' pitch (strides: {})",
                                              text(type, shape), fmt::join(a.strides_, ", ")), {.argument = "view"});
    }
    a.shape_ = std::move(shape);
    Storage::Layout layout;
    if (!lay_out(type, a.shape_, a.strides_, layout)) {
        throw Error(Fault::usage, fmt::format("strides ({}) reach beyond any memory", fmt::join(a.strides_, ", ")), {.argument = "view"});
    }
    a.storage_ = std::make_shared<Storage>(layout, data);
    return a;
} catch (...) {
    leave_with_error();
}

Array Array::crop(int64_t y0, int64_t x0, int64_t h, int64_t w) const try {
    if (shape_.size() < 2 || y0 < 0 || x0 < 0 || h < 1 || w < 1 || h > shape_[0] - y0 || w > shape_[1] - x0) {
        throw Error(Fault::usage, fmt::format("{} rows from {} and {} columns from {} are not inside {}", h, y0, w, x0, describe()), {.argument = "crop"});
    }
    Array a = *this;
    a.offset_ += (y0 * strides_[0] + x0 * strides_[1]) * (int64_t)size_of(type_);
    a.shape_[0] = h;
    a.shape_[1] = w;
    return a;
} catch (...) {
    leave_with_error();
}

Array Array::clone(int64_t row_bytes) const try {
    Array a(type_, shape_, row_bytes);
    copy(*this, a);
    return a;
} catch (...) {
    leave_with_error();
}

void copy(const Array &from, Array &to) {
    const auto *source = static_cast<const char *>(from.data());
    const HostWrite held(to);
    auto *sink = static_cast<char *>(to.data());
    const int64_t element = (int64_t)size_of(from.type()), rows = from.dimensions() > 1 ? from.shape()[0] : 1, bytes = from.size() / rows * element;
    for (int64_t y = 0; y < rows; y++) {
        memcpy(sink + y * to.strides()[0] * element, source + y * from.strides()[0] * element, (size_t)bytes);
    }
}

int64_t Array::size() const {
    int64_t n = shape_.empty() ? 0 : 1;
    for (int64_t extent : shape_) {
        n *= extent;
    }
    return n;
}

std::string Array::describe() const {
    return empty() && shape_.empty() ? "an empty array" : text(type_, shape_);
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

bool Array::overlaps(const Array &other) const {
    if (empty() || other.empty()) {
        return false;
    }
    // Rows of bytes at a pitch: two crops of one image lie side by side without sharing a byte.
    const std::byte *a = storage_->begin() + offset_, *b = other.storage_->begin() + other.offset_;
    const int64_t a_span = span_of(type_, shape_, strides_), b_span = span_of(other.type_, other.shape_, other.strides_);
    if (a + a_span <= b || b + b_span <= a) {
        return false;
    }
    const bool same_pitch = shape_.size() > 1 && other.shape_.size() > 1 &&
                            strides_[0] * (int64_t)size_of(type_) == other.strides_[0] * (int64_t)size_of(other.type_);
    if (!same_pitch) {
        return true;
    }
    const int64_t pitch = strides_[0] * (int64_t)size_of(type_), a_row = size() / shape_[0] * (int64_t)size_of(type_),
                  b_row = other.size() / other.shape_[0] * (int64_t)size_of(other.type_);
    const int64_t apart = ((b - a) % pitch + pitch) % pitch;  // where b's rows begin within a's
    return apart < a_row || apart + b_row > pitch;
}

void Array::expect(Type type) const {
    if (type != type_) {
        throw Error(Fault::usage, fmt::format("the array holds {}, not {}", describe(), name_of(type)), {.argument = "as"});
    }
}

int64_t Array::offset_of(const std::vector<int64_t> &index) const {
    bool inside = index.size() == shape_.size();
    int64_t offset = 0;
    for (size_t d = 0; inside && d < index.size(); d++) {
        inside = index[d] >= 0 && index[d] < shape_[d];
        offset += index[d] * strides_[d];
    }
    if (!inside) {
        throw Error(Fault::usage, fmt::format("({}) is not inside {}", fmt::join(index, ", "), describe()), {.argument = "index"});
    }
    return offset;
}

}  // namespace tilewright
