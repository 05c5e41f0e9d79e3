#include "python/src/exchange.h"
#include "runtime/process/immortal.h"
#include <cstdint>
#include <nanobind/ndarray.h>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;

namespace tilewright::python {

// DLPackExchangeAPI of DLPack 1.3. Functions return 0, or -1 with a Python exception set.
struct ExchangeTable {
    struct Managed {  // DLManagedTensorVersioned; version 1 of all minor versions begins so
        uint32_t major, minor;
        void *context;
        void (*deleter)(Managed *);
    };

    uint32_t major, minor;
    const ExchangeTable *older;
    void *allocate;
    int (*give)(PyObject *array, Managed **out);
    void *take;
    int (*describe)(PyObject *array, nb::dlpack::dltensor *out);  // null in libraries that cannot
    int (*current_stream)(int32_t kind, int32_t index, void **out);
};

namespace {

constexpr int cuda = 2;  // kDLCUDA

// The table of version 1 that a type has for itself. A derived type may hold its elements in another way, and
// is asked by its methods.
const ExchangeTable *table_of(nb::handle type) {
    const nb::object attributes = nb::getattr(type, "__dict__");
    constexpr const char *name = "__dlpack_c_exchange_api__";
    if (!PyMapping_HasKeyString(attributes.ptr(), name)) {
        return nullptr;
    }
    const nb::object capsule = nb::object(attributes[name]);
    const auto *table =
        static_cast<const ExchangeTable *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    if (table == nullptr) {
        PyErr_Clear();
    }
    while (table && table->major > 1) {
        table = table->older;
    }
    const bool is_whole =
        table && table->major == 1 && table->give && table->describe && table->current_stream;
    return is_whole ? table : nullptr;
}

void delete_unused(PyObject *capsule) {
    constexpr const char *unused = "dltensor_versioned";
    if (PyCapsule_IsValid(capsule, unused)) {  // nobody took it
        auto *managed = static_cast<ExchangeTable::Managed *>(PyCapsule_GetPointer(capsule, unused));
        if (managed->deleter) {
            managed->deleter(managed);
        }
    }
}

}  // namespace

// The first types that are asked are remembered, and kept, so that no other type comes to their addresses. A
// program has few types of arrays.
const ExchangeTable *exchange_of(nb::handle object) {
    struct Known {
        PyTypeObject *type;
        const ExchangeTable *table;
    };
    auto &known = immortal([] { return std::vector<Known>(); });
    constexpr size_t most = 32;
    PyTypeObject *const type = Py_TYPE(object.ptr());
    for (const Known &one : known) {
        if (one.type == type) {
            return one.table;
        }
    }
    const ExchangeTable *table = table_of((PyObject *)type);
    if (known.size() < most) {
        Py_INCREF((PyObject *)type);
        known.push_back({type, table});
    }
    return table;
}

std::optional<std::pair<int, int>> place_of(const ExchangeTable &table, nb::handle object) {
    nb::dlpack::dltensor seen;
    if (table.describe(object.ptr(), &seen) != 0) {
        PyErr_Clear();
        return {};
    }
    return std::pair<int, int>{seen.device.device_type, seen.device.device_id};
}

nb::object capsule_of(const ExchangeTable &table, nb::handle object) {
    ExchangeTable::Managed *managed = nullptr;
    if (table.give(object.ptr(), &managed) != 0 || managed == nullptr) {
        PyErr_Clear();
        return {};
    }
    return nb::steal(PyCapsule_New(managed, "dltensor_versioned", delete_unused));
}

void *stream_of(const ExchangeTable &table, int index) {
    void *stream = nullptr;
    if (table.current_stream(cuda, index, &stream) != 0) {
        if (!PyErr_Occurred()) {
            throw std::runtime_error("the array's library does not tell its current stream");
        }
        throw nb::python_error();
    }
    return stream;
}

}  // namespace tilewright::python
