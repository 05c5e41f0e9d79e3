// The memory of the fake libcuda.so.1 (libcuda.cpp), its copies, streams and events.
#include "tests/runtime/drivers/fakes/libcuda.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <utility>

namespace {

using namespace fake_cuda;

std::map<uint64_t, std::pair<size_t, int>> &memory =
    *new std::map<uint64_t, std::pair<size_t, int>>;  // address: bytes, device
std::atomic<bool> refuses_memory{false};

// Whether [address, address + bytes) is memory of the current context.
bool is_ours(uint64_t address, size_t bytes) {
    auto at = memory.upper_bound(address);
    if (!current() || at == memory.begin()) {
        record.wrong_context++;
        return false;
    }
    --at;
    const bool inside = address + bytes <= at->first + at->second.first,
               ours = at->second.second == current()->device;
    record.wrong_context += !(inside && ours);
    return inside && ours;
}

}  // namespace

extern "C" {

void fake_cuda_refuse_memory(bool refuse) {
    refuses_memory = refuse;
}

int cuStreamSynchronize(void *) {
    std::lock_guard lock(mutex);
    record.stream_waits++;
    return current() ? ok : invalid_context;
}
int cuStreamCreate(void **stream, unsigned) {
    std::lock_guard lock(mutex);
    if (!current()) {
        return invalid_context;
    }
    record.streams++;
    *stream = new char;
    return ok;
}
int cuMemHostRegister_v2(void *begin, size_t bytes, unsigned) {
    std::lock_guard lock(mutex);
    if (!current() || getenv("FAKE_CUDA_LOCKS_NOTHING")) {
        return invalid_context;
    }
    record.locks++;
    record.locked[begin] = bytes;
    return ok;
}
int cuMemHostUnregister(void *begin) {
    std::lock_guard lock(mutex);
    constexpr int not_registered = 713;
    return !current() ? invalid_context : record.locked.erase(begin) == 1 ? ok : not_registered;
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
    std::lock_guard lock(mutex);
    if (!current()) {
        return invalid_context;
    }
    void *data = refuses_memory ? nullptr : aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!data) {
        return out_of_memory;
    }
    *pointer = (uint64_t)data;
    try {
        record.allocation_bytes.push_back(bytes);
        memory[*pointer] = {bytes, current()->device};
    } catch (const std::bad_alloc &) {  // of no_memory_test
        free(data);
        return out_of_memory;
    }
    record.allocations[current()->device]++;
    record.bytes_held[current()->device] += bytes;
    return ok;
}
int cuMemFree_v2(uint64_t pointer) {
    std::lock_guard lock(mutex);
    auto at = memory.find(pointer);
    if (at == memory.end()) {
        return invalid_value;
    }
    record.wrong_context += !current() || current()->device != at->second.second;
    record.bytes_held[at->second.second] -= at->second.first;
    record.released[at->second.second]++;
    free(reinterpret_cast<void *>(pointer));
    memory.erase(at);
    return ok;
}
int copy_to_device(uint64_t to, const void *from, size_t bytes, const void *stream) {
    std::lock_guard lock(mutex);
    if (!is_ours(to, bytes)) {
        return invalid_value;
    }
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    record.copies_to_device[current()->device]++;
    record.copy_streams.push_back(stream);
    return ok;
}
int copy_to_host(void *to, uint64_t from, size_t bytes, const void *stream) {
    std::lock_guard lock(mutex);
    if (!is_ours(from, bytes)) {
        return invalid_value;
    }
    memcpy(to, reinterpret_cast<const void *>(from), bytes);
    record.copies_to_host[current()->device]++;
    record.copy_streams.push_back(stream);
    return ok;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
    std::lock_guard lock(mutex);
    if (!is_ours(to, bytes) || !is_ours(from, bytes)) {
        return invalid_value;
    }
    memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    return ok;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    return copy_to_device(to, from, bytes, nullptr);
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    return copy_to_host(to, from, bytes, nullptr);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    return copy_to_device(to, from, bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    return copy_to_host(to, from, bytes, stream);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
    return cuMemcpyDtoD_v2(to, from, bytes);
}
int cuMemcpy3D_v2(const void *) {
    return not_found;
}
int cuPointerGetAttribute(void *, int, uint64_t) {
    return not_found;
}

// An event is the stream that it was recorded in.
int cuEventCreate(void **event, unsigned) {
    *event = (void *)new void *(nullptr);
    return ok;
}
int cuEventRecord(void *event, void *stream) {
    *static_cast<void **>(event) = stream;
    return current() ? ok : invalid_context;
}
int cuStreamWaitEvent(void *stream, void *event, unsigned) {
    std::lock_guard lock(mutex);
    record.orders.push_back({*static_cast<void **>(event), stream, record.launches.size()});
    return current() ? ok : invalid_context;
}
int cuEventSynchronize(void *) {
    return ok;
}
int cuEventElapsedTime(float *ms, void *, void *) {
    *ms = 1.5f;
    return ok;
}
int cuEventDestroy_v2(void *event) {
    delete static_cast<void **>(event);
    return ok;
}
}
