#pragma once
#include "tilewright/device.h"
#include "tilewright/float16.h"
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// The type of an array's elements: unsigned and signed integers, floating point, c64, two f32 (real,
// imaginary), the floats of 16 bits, IEEE's and bfloat16, and c128, two f64.
enum class Type { u8, u16, u32, u64, i32, f32, f64, c64, f16, bf16, c128 };

// All of them, in the order of the enum.
constexpr Type all_types[] = {Type::u8, Type::u16, Type::u32, Type::u64, Type::i32, Type::f32, Type::f64,
    Type::c64, Type::f16, Type::bf16, Type::c128};

size_t size_of(Type type);       // in bytes
const char *name_of(Type type);  // "u8" ... "c128"

// Whether elements are complex numbers.
constexpr bool is_complex(Type type) {
    return type == Type::c64 || type == Type::c128;
}

// The Type of a C++ type.
template<typename T>
struct type_of_element;
template<>
struct type_of_element<uint8_t> : std::integral_constant<Type, Type::u8> {};
template<>
struct type_of_element<uint16_t> : std::integral_constant<Type, Type::u16> {};
template<>
struct type_of_element<uint32_t> : std::integral_constant<Type, Type::u32> {};
template<>
struct type_of_element<uint64_t> : std::integral_constant<Type, Type::u64> {};
template<>
struct type_of_element<int32_t> : std::integral_constant<Type, Type::i32> {};
template<>
struct type_of_element<float> : std::integral_constant<Type, Type::f32> {};
template<>
struct type_of_element<double> : std::integral_constant<Type, Type::f64> {};
template<>
struct type_of_element<std::complex<float>> : std::integral_constant<Type, Type::c64> {};
template<>
struct type_of_element<Float16> : std::integral_constant<Type, Type::f16> {};
template<>
struct type_of_element<BFloat16> : std::integral_constant<Type, Type::bf16> {};
template<>
struct type_of_element<std::complex<double>> : std::integral_constant<Type, Type::c128> {};

class Storage;

// A vector (n), an image (h, w) or (h, w, c), a matrix (rows, columns), or many of them with up to 7 axes in
// front, (n, h, w) or (n, c, h, w), in NumPy's order: the last index is contiguous. Copies share the
// elements, as NumPy's views do; clone() makes new ones. The elements are on the host and, once a device has
// used them, on that device, too; the side that is asked for is brought up to date first.
//
// Threads may work at the same time on parts of an array that have no byte in common (crop()), each on the
// host or on a device of its choice.
class Array {
public:
    Array() = default;

    // Owns zeroed memory. `shape`: 1 to 8 extents from 1 to 2^31 - 1. `row_bytes`: the pitch of rows, which
    // is that of the first axis, in bytes, a multiple of the element's size; 0: dense; by default the dense
    // pitch padded to a multiple of 64 bytes, so that fast paths apply at every width. A vector is dense.
    //
    // Errors: usage, for another shape or pitch; memory, when there is not enough.
    static constexpr int64_t padded = -1;
    Array(Type type, std::vector<int64_t> shape, int64_t row_bytes = padded);

    // The same with any values in the elements, for an array that will be written whole: memory that is used
    // again then need not be cleared.
    static Array uninitialized(Type type, std::vector<int64_t> shape, int64_t row_bytes = padded);

    // The same in page-locked host memory, from and to which CUDA devices copy at the full rate of their bus,
    // and beside their kernels (Stream). Worth it for memory that is used again: locking costs as much as one
    // copy saves, and so it is kept for the next such array (trim_host_memory() gives it back). Makes a
    // context on the first CUDA device. Without such a device, and where the driver locks no more memory, it
    // is ordinary memory, which OpenCL devices copy as well.
    static Array pinned(Type type, std::vector<int64_t> shape, int64_t row_bytes = padded);

    // Uses the caller's memory, which must outlive this array. `strides`: in elements, one per axis; all axes
    // but the first one are contiguous, and that of an axis of one element does not count; empty: dense.
    // After a device wrote to the array, data() or sync() brings its bytes back, and never writes the bytes
    // between rows. Two views of the same bytes do not know of each other: take a crop() of one instead.
    //
    // Errors: usage, for other strides, another shape (see above), or memory that is null or not aligned to
    // an element (c64 and c128: to one of its parts).
    static Array view(Type type, void *data, std::vector<int64_t> shape, std::vector<int64_t> strides = {});

    // The same of memory that is never written: calls refuse the array as an output, and so does data() of an
    // array that is not const. Its crops and copies are such arrays too; clone() makes one that may be
    // written.
    static Array view(
        Type type, const void *data, std::vector<int64_t> shape, std::vector<int64_t> strides = {});

    // The same of elements, whose type is the array's; of const elements as of const memory. `shape` empty: a
    // vector of all elements.
    //
    //     const std::vector<float> samples = ...;
    //     const Array image = Array::view(std::span(samples), {height, width});
    //
    // Errors: usage, as above, and where the span has fewer elements than the view needs.
    template<typename T, size_t N>
    static Array view(
        std::span<T, N> elements, std::vector<int64_t> shape = {}, std::vector<int64_t> strides = {}) {
        return view_of(type_of_element<std::remove_const_t<T>>::value, elements.data(), std::is_const_v<T>,
            elements.size(), std::move(shape), std::move(strides));
    }

    // Uses memory that another library owns on a GPU, and copies nothing: `memory` is a CUDA pointer to the
    // first element, in the device's primary context (CuPy, PyTorch and JAX use it), or a cl_mem of the
    // library's own OpenCL context, which begins with the first element and has whole words of 16 bytes.
    // CUDA kernels read such words around the elements, never beyond the 256 bytes to which the driver rounds
    // allocations. `strides` as above.
    //
    // Only calls on `device` take the array as an output. data() and calls on the CPU read a copy, which is
    // made again at each use, because the owner may write at any time. `owner` is held as long as any array
    // uses the memory. The owner's stream is to be in order with the calls: JoinedStream (stream.h).
    //
    // Errors: usage, for the CPU, null memory, what is no cl_mem of that context (a buffer that was released
    // cannot be told from others), and as above; device, when the device cannot be used.
    static Array wrap(Type type, Device device, uint64_t memory, std::vector<int64_t> shape,
        std::vector<int64_t> strides = {}, std::shared_ptr<const void> owner = {});

    // Rows y0 ... y0 + h - 1 and columns x0 ... x0 + w - 1 of an image or matrix; shares the elements. Of an
    // array of many images, these are the first two axes, whatever they mean: take a slice() before. Errors:
    // usage, for an array that has no rows, or a part that is not inside it.
    Array crop(int64_t y0, int64_t x0, int64_t h, int64_t w) const;

    // The part at one place of the first axes, as NumPy's a[i] and a[i, j]; shares the elements. Of many
    // images (n, c, h, w), slice({i, k}) is channel k of image i. Errors: usage, for an index outside of the
    // array, and where no axis is left.
    Array slice(const std::vector<int64_t> &first) const;

    // A copy of the elements in memory of its own; `row_bytes` as above. Errors: as above, and those of
    // data().
    Array clone(int64_t row_bytes = padded) const;

    // What the array is; an empty one has no elements, and no axes.
    bool empty() const {
        return !storage_;
    }
    Type type() const {
        return type_;
    }
    const std::vector<int64_t> &shape() const {
        return axes().shape;
    }
    const std::vector<int64_t> &strides() const {  // in elements
        return axes().strides;
    }
    int64_t size() const;  // number of elements
    int dimensions() const {
        return (int)shape().size();
    }
    std::string describe() const;  // "u8 (512, 768, 3)"

    // Host memory, up to date; null for an empty array. The non-const form says that the caller will write,
    // and makes the device copy stale. Ask again after each use of the array, or of a crop of the same one,
    // on a device: what is written through an older pointer may be lost.
    //
    // Errors: device or memory, when a device does not give its copy back; usage, of the non-const form, for
    // a view of const memory and for another library's memory on a GPU.
    const void *data() const;
    void *data();

    // The same as elements. Errors: usage, when the array has another type; those of data().
    template<typename T>
    const T *as() const {
        expect(type_of_element<T>::value);
        return static_cast<const T *>(data());
    }
    template<typename T>
    T *as() {
        expect(type_of_element<T>::value);
        return static_cast<T *>(data());
    }

    // One element, by one index per axis. Convenient, not fast: each call brings the host up to date. Errors:
    // usage, for another type or an index outside; those of data().
    template<typename T>
    T at(std::vector<int64_t> index) const {
        return as<T>()[offset_of(index)];
    }

    // Copies all elements to or from memory of the caller, where they are without gaps, in the order of the
    // axes. Errors: usage, for elements of another type, a span that has fewer of them or shares memory with
    // the array, and an empty array; those of data().
    //
    //     std::vector<float> samples(image.size());
    //     image.copy_to(std::span(samples));
    template<typename T, size_t N>
    void copy_to(std::span<T, N> elements) const {
        expect(type_of_element<T>::value);
        copy_elements(*this, view(elements, shape()));
    }
    template<typename T, size_t N>
    void copy_from(std::span<T, N> elements) {
        expect(type_of_element<std::remove_const_t<T>>::value);
        copy_elements(view(elements, shape()), *this);
    }

    // Brings the host up to date (as data() does), or a device. Errors: device or memory, when the copy
    // fails; input, when the array's memory has more bytes than Halide copies at once: 16 GiB, or less for a
    // view whose number of bytes is not a multiple of 8.
    void sync() const;
    void sync(Device device) const;

    // The device that has newer elements than the host, and the CUDA pointer to the first element there, or
    // the cl_mem (in which a crop begins offset_bytes() after the start). Nothing and 0, where the host is up
    // to date. Whoever uses the memory keeps the array, and asks again after each call with it.
    std::optional<Device> newest_on() const;
    uint64_t device_memory() const;

    // Whether the array was made by wrap(), or is a crop of such an array.
    bool is_wrapped() const;

    // Whether the two arrays share any byte.
    bool overlaps(const Array &other) const;

    // For fronts: the memory, and the offset of the first element in it.
    const std::shared_ptr<Storage> &storage() const {
        return storage_;
    }
    int64_t offset_bytes() const {
        return offset_;
    }

    // For fronts: the same axes on the memory of another array, from that byte of its storage on.
    Array moved_to(const Array &other, int64_t offset_bytes) const;

private:
    enum class Memory { zeroed, any, pinned };
    static Array view_of(Type type, const void *data, bool is_const, size_t elements,
        std::vector<int64_t> shape, std::vector<int64_t> strides);
    static void copy_elements(const Array &from, Array to);
    static Array laid_out(
        Type type, std::vector<int64_t> shape, std::vector<int64_t> strides, uint64_t memory);
    Array(Type type, std::vector<int64_t> shape, int64_t row_bytes, Memory memory);
    void expect(Type type) const;
    int64_t offset_of(const std::vector<int64_t> &index) const;

    // Copies of an array share them, so that a copy allocates no memory: each call makes several.
    struct Axes {
        std::vector<int64_t> shape, strides;
    };
    static const Axes &no_axes();
    const Axes &axes() const {
        return axes_ ? *axes_ : no_axes();
    }

    std::shared_ptr<Storage> storage_;
    Type type_ = Type::u8;
    int64_t offset_ = 0;                // bytes
    std::shared_ptr<const Axes> axes_;  // null: an empty array
};

}  // namespace tilewright
#pragma GCC visibility pop
