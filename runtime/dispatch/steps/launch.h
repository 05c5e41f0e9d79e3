#pragma once
// One call of one library: its arguments, bound by name, and the call itself. Not installed.
#include "runtime/dispatch/steps/views.h"
#include "tilewright/array.h"
#include "tilewright/launches.h"
#include "tilewright/variant.h"
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// The arguments have the names that the generator gives its inputs and outputs; they may be added in any
// order. A name that the library does not have, one that is missing or bound twice, and a number of another
// type are std::logic_errors that name variant and argument.
class Launch {
public:
    Launch(const Variant &variant, Device device);

    const Variant &variant() const {
        return *variant_;
    }
    Device device() const {
        return device_;
    }

    Launch &in(std::string_view name, const Array &array, View view);
    Launch &in(std::string_view name, const Array &array) {
        return in(name, array, image(array));
    }
    Launch &out(std::string_view name, Array &array, View view);
    Launch &out(std::string_view name, Array &array) {
        return out(name, array, image(array));
    }

    // A number: int32_t, uint32_t, float or double, as the generator declares it.
    template<typename T>
    Launch &value(std::string_view name, T number) {
        return scalar(find(name), halide_type_of<T>(), &number);
    }

    // A number of any type, whose bytes are the first ones of `bytes`.
    Launch &value_of_type(std::string_view name, halide_type_t type, uint64_t bytes);

    // The elements of an array input, at least one: `name` is the array's, whose elements are name_0, name_1
    // ..., one behind the other in the library's order.
    template<typename T>
    Launch &values(const std::string &name, std::span<const T> numbers) {
        const size_t first = find_array(name, numbers.size());
        for (size_t i = 0; i < numbers.size(); i++) {
            scalar(first + i, halide_type_of<T>(), &numbers[i]);
        }
        return *this;
    }

    // An argument of the library and what is bound to it.
    struct Bound {
        const halide_filter_argument_t &declared;
        uint64_t number = 0;           // of a number: its bytes
        const Array *array = nullptr;  // of a buffer
        const View *view = nullptr;    // and how the library sees it
    };

    // All arguments, in the library's order. One that is missing is an std::logic_error.
    std::vector<Bound> bound() const;

    // Binds the arrays `to` in the place of `from`, each of which has the shape, the strides and a storage of
    // the layout of the other, and parts of them in the place of their parts.
    void replace(std::span<const Array> from, std::span<const Array> to);

    // On CUDA: has the library work on so many images, of which the arrays that are bound have the first one.
    // The next one is so many bytes further in memory that an argument shares with one of `arrays`; other
    // arguments are the same for all images. run() then refuses a library that cannot do so: Fault::device.
    void set_images(int64_t count, std::span<const Array> arrays, std::span<const int64_t> steps);

    // The library and its arguments, as a recording has them of a run.
    LibraryRun described() const;

    // Whether the library takes buffers of these shapes. It is asked without any data (Halide's bounds
    // query).
    bool fits() const;

    // Runs the library; work of a device may still be under way afterwards. Errors: input, for an array that
    // spans more than a library addresses; memory, device or failed, with Halide's message.
    void run();

private:
    enum class Role { unbound, input, output, scalar };
    struct Argument {
        Role role = Role::unbound;
        uint64_t number = 0;  // a scalar's bytes; of a buffer, which one of windows_ it is
    };
    struct Window {
        Array array;
        View view;
        int64_t step = 0;  // of set_images()
    };
    struct Buffer;

    size_t find(std::string_view name);
    Argument &bind(size_t at, Role role);
    Launch &buffer(size_t at, Role role, const Array &array, View view);
    Launch &scalar(size_t at, halide_type_t type, const void *value);
    size_t find_array(const std::string &name, size_t size);
    const char *name_of_argument(size_t at) const;
    void check_complete() const;
    void check_device() const;
    Buffer made_buffer(const Argument &argument, std::pmr::memory_resource &memory);
    void call(std::pmr::vector<Buffer> &buffers);

    const Variant *variant_;
    Device device_;
    const halide_filter_metadata_t *metadata_;
    std::vector<Argument> arguments_;  // in the library's order: hundreds, of which few are buffers
    std::vector<Window> windows_;      // what the buffers are bound to, in the order in which they were
    int64_t images_ = 1;
    size_t next_ = 0;  // behind the argument that was bound last: fronts bind most of them in order
};

}  // namespace tilewright
