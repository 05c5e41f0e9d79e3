#include "python/src/dlpack.h"
#include "python/src/lock.h"
#include "tilewright/stream.h"
#include <cstring>
#include <type_traits>

namespace nb = nanobind;

namespace tilewright::python {

namespace {

constexpr int on_host = 1, on_cuda_device = 2;  // kDLCPU, kDLCUDA

// DLManagedTensor and DLManagedTensorVersioned of DLPack 1.1.
struct Managed {
    nb::dlpack::dltensor tensor;
    void *context;
    void (*deleter)(Managed *);
};
struct ManagedVersioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(ManagedVersioned *);
    uint64_t flags;
    nb::dlpack::dltensor tensor;
};
constexpr uint64_t read_only_flag = 1, copied_flag = 2;

struct Exported {
    OwnArray array;
    std::vector<int64_t> shape, strides;
};

template<typename M>
nb::object capsule_of(const OwnArray &own, void *data, nb::dlpack::device device, uint64_t flags) {
    const Array &array = own.array;
    auto *exported = new Exported{own, array.shape(), array.strides()};
    auto *made = new M{};
    made->context = exported;
    made->deleter = [](M *m) {
        if (nb::is_alive()) {  // consumers may call it from any thread
            const Locked locked;
            delete static_cast<Exported *>(m->context);
        }
        delete m;
    };
    made->tensor = {data, device, (int32_t)exported->shape.size(), dlpack_type(array.type()),
        exported->shape.data(), exported->strides.data(), 0};
    const char *name = "dltensor";
    if constexpr (std::is_same_v<M, ManagedVersioned>) {
        made->major = 1;
        made->minor = 1;
        made->flags = flags;
        name = "dltensor_versioned";
    }
    return nb::steal(PyCapsule_New(made, name, [](PyObject *capsule) {
        const char *now = PyCapsule_GetName(capsule);
        if (strncmp(now, "used_", 5) != 0) {  // nobody took it
            auto *m = static_cast<M *>(PyCapsule_GetPointer(capsule, now));
            m->deleter(m);
        }
    }));
}

// The argument `name` as a T. Errors: TypeError.
template<typename T>
T as(nb::handle object, const std::string &name, const std::string &takes) {
    T value = {};
    if (!nb::try_cast(object, value)) {
        refuse_argument(name, takes, object);
    }
    return value;
}

constexpr const char *two_numbers = "two whole numbers";

// Whether the consumer wants the elements on the host. Errors: BufferError; TypeError.
bool wants_host(std::pair<int, int> place, nb::handle dl_device, std::optional<bool> copy) {
    if (dl_device.is_none()) {
        return place.first == on_host;
    }
    const auto wanted = as<std::pair<int, int>>(dl_device, "dl_device", two_numbers);
    if (wanted.first != on_host && wanted != place) {
        throw nb::buffer_error("dl_device: the elements can be had where they are, or on the host");
    }
    if (wanted.first == on_host && place.first != on_host && copy == false) {
        throw nb::buffer_error(
            "copy: the elements are on a GPU, and copy=False forbids to bring them to the host");
    }
    return wanted.first == on_host;
}

}  // namespace

nb::tuple dlpack_device(const Array &array) {
    const std::optional<Device> device = array.newest_on();
    return device && device->backend == Backend::cuda ? nb::make_tuple(on_cuda_device, device->index) :
                                                        nb::make_tuple(on_host, 0);
}

nb::object to_dlpack(const OwnArray &self, nb::object stream, nb::object max_version, nb::object dl_device,
    nb::object wants_copy) {
    const std::optional<bool> copy =
        wants_copy.is_none() ? std::nullopt : std::optional(as<bool>(wants_copy, "copy", "True or False"));
    const int version =
        max_version.is_none() ? 0 : as<std::pair<int, int>>(max_version, "max_version", two_numbers).first;
    auto place = nb::cast<std::pair<int, int>>(dlpack_device(self.array));
    const bool host = wants_host(place, dl_device, copy);
    Array source = self.array;
    const bool copied = host && copy == true;
    const bool read_only = !copied && (self.read_only || (host && source.is_wrapped()));
    void *data = nullptr;
    if (!host) {
        if (copy == true) {
            throw nb::buffer_error("copy: no copies are made on a GPU; copy with the consumer's own library");
        }
        data = reinterpret_cast<void *>(source.device_memory());
        constexpr int64_t no_wait = -1;
        const int64_t waiting = stream.is_none() ? 1 : as<int64_t>(stream, "stream", "a whole number");
        if (waiting != no_wait) {
            // Its end has the consumer's stream wait.
            const JoinedStream joined({Backend::cuda, place.second}, reinterpret_cast<void *>(waiting));
        }
    } else {
        if (!stream.is_none()) {
            throw nb::buffer_error("stream: memory of the host has none");
        }
        place = {on_host, 0};
        const Unlocked released;
        source = copied ? source.clone(0) : source;
        data = read_only ? const_cast<void *>(std::as_const(source).data()) : source.data();
    }
    const uint64_t flags = (read_only ? read_only_flag : 0) | (copied ? copied_flag : 0);
    const nb::dlpack::device device{place.first, place.second};
    const bool versioned = version >= 1;
    if (!versioned && (flags & read_only_flag)) {
        throw nb::buffer_error(
            "the elements are read-only, which a consumer of DLPack before version 1 does not see");
    }
    return versioned ? capsule_of<ManagedVersioned>({source, self.owner}, data, device, flags) :
                       capsule_of<Managed>({source, self.owner}, data, device, flags);
}

}  // namespace tilewright::python
