// A libOpenCL.so.1 without a device: seven platforms whose memory is host memory and whose kernels do
// nothing. It checks every handle that it is given, and records what it was asked for. What Halide looks up
// but does not need here refuses.
#include "tests/runtime/drivers/fakes/opencl_answers.h"
#include "tests/runtime/drivers/fakes/opencl_record.h"
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>

namespace {

using namespace fake_opencl;

constexpr int allocation_failure = -4, out_of_resources = -5, invalid_operation = -59;

// Handles: platform, device, context and queue of platform i are addresses in one object, which says what
// they are.
struct Handle {
    char kind;  // 'p', 'd', 'c', 'q'
    int platform;
};
Handle handles[platforms][4];
[[maybe_unused]] const bool numbered = [] {
    for (int p = 0; p < platforms; p++) {
        for (int kind = 0; kind < 4; kind++) {
            handles[p][kind] = {"pdcq"[kind], p};
        }
    }
    return true;
}();

struct Buffer {
    int platform;
    size_t bytes;
    char *data;
};
struct Program {
    int platform;
    bool built;
};

// Halide's runtime still calls while the process ends: nothing of this is destroyed.
std::recursive_mutex &mutex = *new std::recursive_mutex;
Record &record = *new Record;
std::map<void *, Buffer> &buffers = *new std::map<void *, Buffer>;
std::map<void *, Program> &programs = *new std::map<void *, Program>;
std::map<void *, int> &kernels = *new std::map<void *, int>;

std::atomic<bool> refuses_memory{false};
int refused_launch = 0, refused_allocation = 0;  // the nth one from now on

// Launches that wait, apart from the mutex above: the others' calls go on.
struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool closed = false;
    int waiting = 0;

    void pass() {
        std::unique_lock lock(mutex);
        waiting++;
        opened.wait(lock, [&] { return !closed; });
        waiting--;
    }
} &gate = *new Gate;

// The platform that a handle belongs to, or -1 when it is no handle of that kind.
int platform_of(const void *handle, char kind) {
    for (auto &of_platform : handles) {
        for (Handle &h : of_platform) {
            if (&h == handle && h.kind == kind) {
                return h.platform;
            }
        }
    }
    record.wrong++;
    return -1;
}

void fail(int *error, int code) {
    if (error) {
        *error = code;
    }
}

// The bytes of a buffer that a copy on this queue may touch; nullptr when it may not.
char *reachable(void *queue, void *buffer, size_t offset, size_t bytes, int &platform) {
    platform = platform_of(queue, 'q');
    auto at = buffers.find(buffer);
    if (platform < 0 || at == buffers.end() || at->second.platform != platform ||
        offset + bytes > at->second.bytes) {
        record.wrong++;
        return nullptr;
    }
    return at->second.data + offset;
}

}  // namespace

extern "C" {

const Record *fake_opencl_record() {
    return &record;
}

const Requests *fake_opencl_requests() {
    static const Requests requests = {
        [](bool hold) {
            const std::lock_guard lock(gate.mutex);
            gate.closed = hold;
            gate.opened.notify_all();
        },
        [] {
            const std::lock_guard lock(gate.mutex);
            return gate.waiting;
        },
        [](bool refuse) { refuses_memory = refuse; },
        [](int launch, int allocation) {
            refused_launch = launch;
            refused_allocation = allocation;
        },
    };
    return &requests;
}

int clGetPlatformIDs(unsigned room, void **list, unsigned *count) {
    std::lock_guard lock(mutex);
    if (count) {
        *count = platforms;
    }
    if (list) {
        record.asked_for_fewer_platforms += room < platforms;
        for (unsigned i = 0; i < room && i < platforms; i++) {
            list[i] = &handles[i][0];
        }
    }
    return ok;
}
int clGetPlatformInfo(void *platform, unsigned what, size_t room, void *to, size_t *needed) {
    const int p = platform_of(platform, 'p');
    return p < 0 || what != 0x0902 ? invalid_value :
                                     answer("Fake platform " + std::to_string(p), room, to, needed);
}
int clGetDeviceIDs(void *platform, uint64_t, unsigned room, void **list, unsigned *count) {
    const int p = platform_of(platform, 'p');
    if (p < 0) {
        return invalid_value;
    }
    if (count) {
        *count = 1;
    }
    if (list && room > 0) {
        list[0] = &handles[p][1];
    }
    return ok;
}
int clGetDeviceInfo(void *device, unsigned what, size_t room, void *to, size_t *needed) {
    const int p = platform_of(device, 'd');
    if (p < 0) {
        return invalid_value;
    }
    return device_answer(p, what, room, to, needed);
}

void *clCreateContext(
    const intptr_t *properties, unsigned count, void *const *devices, void *, void *, int *error) {
    std::lock_guard lock(mutex);
    const int p = platform_of(reinterpret_cast<void *>(properties[1]), 'p');
    if (count != 1 || p < 0 || platform_of(devices[0], 'd') != p) {
        fail(error, invalid_value);
        return nullptr;
    }
    record.contexts[p]++;
    fail(error, ok);
    return &handles[p][2];
}
int clGetContextInfo(void *context, unsigned what, size_t room, void *to, size_t *needed) {
    const int p = platform_of(context, 'c');
    return p < 0 || what != 0x1081 ? invalid_value : answer_number<void *>(&handles[p][1], room, to, needed);
}
void *clCreateCommandQueue(void *context, void *device, uint64_t, int *error) {
    const int p = platform_of(context, 'c');
    if (p < 0 || platform_of(device, 'd') != p) {
        fail(error, invalid_value);
        return nullptr;
    }
    fail(error, ok);
    return &handles[p][3];
}

void *clCreateBuffer(void *context, uint64_t, size_t bytes, void *, int *error) {
    std::lock_guard lock(mutex);
    const int p = platform_of(context, 'c');
    const bool refuses = refuses_memory || refused_allocation-- == 1;
    char *data = p < 0 || refuses ? nullptr : static_cast<char *>(malloc(bytes));
    if (!data) {
        fail(error, allocation_failure);
        return nullptr;
    }
    buffers[data] = {p, bytes, data};
    record.buffer_bytes.push_back(bytes);
    record.bytes_held += bytes;
    fail(error, ok);
    return data;
}
int clRetainMemObject(void *buffer) {
    std::lock_guard lock(mutex);
    return buffers.contains(buffer) ? ok : invalid_value;
}
int clReleaseMemObject(void *buffer) {
    std::lock_guard lock(mutex);
    auto at = buffers.find(buffer);
    if (at == buffers.end()) {
        record.wrong++;
        return invalid_value;
    }
    free(at->second.data);
    record.bytes_held -= at->second.bytes;
    buffers.erase(at);
    record.buffers_released++;
    return ok;
}
int clGetMemObjectInfo(void *buffer, unsigned what, size_t room, void *to, size_t *needed) {
    std::lock_guard lock(mutex);
    auto at = buffers.find(buffer);
    return at == buffers.end() || what != 0x1102 ? invalid_value :
                                                   answer_number<size_t>(at->second.bytes, room, to, needed);
}

void *clCreateProgramWithSource(
    void *context, unsigned, const char **sources, const size_t *lengths, int *error) {
    std::lock_guard lock(mutex);
    const int p = platform_of(context, 'c');
    if (p < 0 || !strstr(sources[0], "__kernel")) {
        fail(error, invalid_value);
        return nullptr;
    }
    void *program = new char;
    programs[program] = {p, false};
    record.sources.emplace_back(sources[0], lengths && lengths[0] ? lengths[0] : strlen(sources[0]));
    fail(error, ok);
    return program;
}
// Binaries are PTX.
void *clCreateProgramWithBinary(void *context, unsigned, void *const *, const size_t *bytes,
    const unsigned char **binary, int *status, int *error) {
    std::lock_guard lock(mutex);
    const int p = platform_of(context, 'c');
    const std::string text(reinterpret_cast<const char *>(binary[0]), bytes[0]);
    *status = p == nvidia && text.find(".version") != std::string::npos ? ok : invalid_value;
    *error = *status;
    if (*status != ok) {
        return nullptr;
    }
    void *program = new char;
    programs[program] = {p, false};
    record.binaries.push_back(text);
    return program;
}
int clBuildProgram(void *program, unsigned count, void *const *devices, const char *options, void *, void *) {
    std::lock_guard lock(mutex);
    auto at = programs.find(program);
    if (at == programs.end() || count != 1 || platform_of(devices[0], 'd') != at->second.platform) {
        record.wrong++;
        return invalid_value;
    }
    at->second.built = true;
    record.builds[at->second.platform]++;
    record.options.emplace_back(options ? options : "");
    return ok;
}
int clReleaseProgram(void *program) {
    std::lock_guard lock(mutex);
    if (programs.erase(program) == 0) {
        return invalid_value;
    }
    delete static_cast<char *>(program);
    return ok;
}
void *clCreateKernel(void *program, const char *, int *error) {
    std::lock_guard lock(mutex);
    auto at = programs.find(program);
    if (at == programs.end() || !at->second.built) {
        record.wrong++;
        fail(error, invalid_value);
        return nullptr;
    }
    void *kernel = new char;
    kernels[kernel] = at->second.platform;
    record.kernels_created++;
    fail(error, ok);
    return kernel;
}
int clReleaseKernel(void *kernel) {
    std::lock_guard lock(mutex);
    if (kernels.erase(kernel) == 0) {
        return invalid_value;
    }
    record.kernels_released++;
    delete static_cast<char *>(kernel);
    return ok;
}
int clSetKernelArg(void *kernel, unsigned index, size_t bytes, const void *value) {
    std::lock_guard lock(mutex);
    const char *data = static_cast<const char *>(value);
    record.arguments.emplace_back(index, data ? std::string(data, bytes) : "local");
    return kernels.contains(kernel) ? ok : invalid_value;
}
int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned, const size_t *, const size_t *,
    const size_t *, unsigned, const void *, void *) {
    gate.pass();
    std::lock_guard lock(mutex);
    const int p = platform_of(queue, 'q');
    auto at = kernels.find(kernel);
    if (p < 0 || at == kernels.end() || at->second != p) {
        record.wrong++;
        return invalid_value;
    }
    if (refused_launch-- == 1) {
        return out_of_resources;
    }
    record.kernels[p]++;
    return ok;
}
int clEnqueueReadBuffer(void *queue, void *buffer, unsigned, size_t offset, size_t bytes, void *to, unsigned,
    const void *, void *) {
    std::lock_guard lock(mutex);
    int p = 0;
    const char *data = reachable(queue, buffer, offset, bytes, p);
    if (!data) {
        return invalid_value;
    }
    memcpy(to, data, bytes);
    record.reads[p]++;
    return ok;
}
int write_buffer(void *queue, void *buffer, unsigned, size_t offset, size_t bytes, const void *from, unsigned,
    const void *, void *) {
    std::lock_guard lock(mutex);
    int p = 0;
    char *data = reachable(queue, buffer, offset, bytes, p);
    if (!data) {
        return invalid_value;
    }
    memcpy(data, from, bytes);
    record.writes[p]++;
    return ok;
}
// dlsym() calls the resolver of an `ifunc`, and so takes long for this name: a thread that gets all functions
// has not got this one yet when another thread's call comes.
decltype(write_buffer) *find_write_buffer() {
    usleep(60'000);
    return write_buffer;
}
int clEnqueueWriteBuffer(void *, void *, unsigned, size_t, size_t, const void *, unsigned, const void *,
    void *) __attribute__((ifunc("find_write_buffer")));
int clFinish(void *queue) {
    return platform_of(queue, 'q') < 0 ? invalid_value : ok;
}
int clFlush(void *queue) {
    return clFinish(queue);
}

// Looked up, and not needed here.
#define REFUSES(name)                                                                                        \
    int name() {                                                                                             \
        return invalid_operation;                                                                            \
    }
REFUSES(clCreateContextFromType)
REFUSES(clRetainContext)
REFUSES(clReleaseContext)
REFUSES(clRetainCommandQueue)
REFUSES(clReleaseCommandQueue)
REFUSES(clGetCommandQueueInfo)
REFUSES(clCreateSubBuffer)
REFUSES(clGetSupportedImageFormats)
REFUSES(clGetImageInfo)
REFUSES(clSetMemObjectDestructorCallback)
REFUSES(clRetainProgram)
REFUSES(clGetProgramBuildInfo)
REFUSES(clRetainKernel)
REFUSES(clEnqueueReadBufferRect)
REFUSES(clEnqueueWriteBufferRect)
REFUSES(clEnqueueCopyBuffer)
REFUSES(clEnqueueReadImage)
REFUSES(clEnqueueWriteImage)
REFUSES(clEnqueueMapBuffer)
REFUSES(clEnqueueMapImage)
REFUSES(clEnqueueUnmapMemObject)
}
