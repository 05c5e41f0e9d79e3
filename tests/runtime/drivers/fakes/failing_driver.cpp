// A libcuda.so.1 or libOpenCL.so.1 (FOR_CUDA or not) that hands every call on to the real one, but makes
// those fail that a test names: through failing_driver_requests(), or, for programs that a test starts,
// through the environment:
//     FAILING_DRIVER=no-memory       every allocation fails
//     FAILING_DRIVER=drop-launches   no kernel is launched, and all is said to be well
//     FAILING_DRIVER=lost:FILE       every launch fails from the time on at which the file exists
// The real library is the one that was found when this was configured, or the one whose absolute path is in
// FAILING_DRIVER_CUDA or FAILING_DRIVER_OPENCL: by its name alone the loader would find this one again.
// Without any it says that there are no devices.
#include "tests/runtime/drivers/fakes/failing_driver.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

namespace {

using failing_driver::Step;

#ifdef FOR_CUDA
constexpr const char *variable = "FAILING_DRIVER_CUDA";
constexpr long no_devices = 100, out_of_memory = 2, broken = 701;
#else
constexpr const char *variable = "FAILING_DRIVER_OPENCL";
constexpr long no_devices = -1001, out_of_memory = -4, broken = -5;
#endif

std::atomic<Step> step{Step::none};
std::atomic<long> nth{0}, counts[failing_driver::steps];

bool asked(const char *what) {
    const char *value = getenv("FAILING_DRIVER");
    return value && strcmp(value, what) == 0;
}

// Whether a test has made the file that means that the device is lost.
bool is_lost() {
    static const std::string_view begin = "lost:";
    static const char *const value = getenv("FAILING_DRIVER");
    return value && std::string_view(value).starts_with(begin) && access(value + begin.size(), F_OK) == 0;
}

bool fails(Step here) {
    static const bool no_memory = asked("no-memory");
    const long now = ++counts[(int)here];
    return here == step ? nth == failing_driver::every || now == nth : here == Step::allocation && no_memory;
}

// All arguments of all driver functions are integers or pointers, at most 14, and so are the results.
using Function = long (*)(long, long, long, long, long, long, long, long, long, long, long, long, long, long);

Function real(const char *name) {
    static void *const library = [] {
        const char *path = getenv(variable);
        return dlopen(path && *path ? path : REAL_LIBRARY, RTLD_NOW);
    }();
    return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

}  // namespace

#define PARAMETERS                                                                                           \
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m,  \
        long n
#define HAND_ON(name)                                                                                        \
    static const Function function = real(#name);                                                            \
    return function ? function(a, b, c, d, e, f, g, h, i, j, k, l, m, n) : no_devices;
#define PASSES(name)                                                                                         \
    long name(PARAMETERS) {                                                                                  \
        HAND_ON(name)                                                                                        \
    }
#define MAY_FAIL(name, step)                                                                                 \
    long name(PARAMETERS) {                                                                                  \
        if (fails(step)) {                                                                                   \
            return broken;                                                                                   \
        }                                                                                                    \
        HAND_ON(name)                                                                                        \
    }
#define LAUNCHES(name)                                                                                       \
    long name(PARAMETERS) {                                                                                  \
        static const bool dropped = asked("drop-launches");                                                  \
        if (dropped) {                                                                                       \
            return 0;                                                                                        \
        }                                                                                                    \
        if (fails(Step::launch) || is_lost()) {                                                              \
            return broken;                                                                                   \
        }                                                                                                    \
        HAND_ON(name)                                                                                        \
    }

extern "C" {

const failing_driver::Requests *failing_driver_requests() {
    static const failing_driver::Requests requests = {
        [](Step s, long at) {
            step = Step::none;
            for (auto &count : counts) {
                count = 0;
            }
            nth = at;
            step = s;
        },
        [](Step s) { return counts[(int)s].load(); },
    };
    return &requests;
}

#ifdef FOR_CUDA

LAUNCHES(cuLaunchKernel)
MAY_FAIL(cuMemcpyHtoD_v2, Step::to_device)
MAY_FAIL(cuMemcpyHtoDAsync_v2, Step::to_device)
MAY_FAIL(cuMemcpyDtoH_v2, Step::to_host)
MAY_FAIL(cuMemcpyDtoHAsync_v2, Step::to_host)

long cuMemAlloc_v2(PARAMETERS) {
    if (fails(Step::allocation)) {
        return out_of_memory;
    }
    HAND_ON(cuMemAlloc_v2)
}

PASSES(cuCtxCreate_v2)
PASSES(cuCtxDestroy_v2)
PASSES(cuCtxGetApiVersion)
PASSES(cuCtxGetDevice)
PASSES(cuCtxPopCurrent_v2)
PASSES(cuCtxPushCurrent_v2)
PASSES(cuCtxSynchronize)
PASSES(cuDeviceGet)
PASSES(cuDeviceGetAttribute)
PASSES(cuDeviceGetCount)
PASSES(cuDeviceGetName)
PASSES(cuDevicePrimaryCtxRetain)
PASSES(cuDeviceTotalMem_v2)
PASSES(cuDriverGetVersion)
PASSES(cuEventCreate)
PASSES(cuEventDestroy_v2)
PASSES(cuEventElapsedTime)
PASSES(cuEventRecord)
PASSES(cuEventSynchronize)
PASSES(cuFuncSetAttribute)
PASSES(cuGetErrorName)
PASSES(cuInit)
PASSES(cuMemFree_v2)
PASSES(cuMemcpy3D_v2)
PASSES(cuMemcpyDtoDAsync_v2)
PASSES(cuMemcpyDtoD_v2)
PASSES(cuModuleGetFunction)
PASSES(cuModuleLoadData)
PASSES(cuModuleLoadDataEx)
PASSES(cuModuleUnload)
PASSES(cuPointerGetAttribute)
PASSES(cuProfilerStop)
PASSES(cuStreamSynchronize)

#else

LAUNCHES(clEnqueueNDRangeKernel)
MAY_FAIL(clEnqueueWriteBuffer, Step::to_device)
MAY_FAIL(clEnqueueReadBuffer, Step::to_host)

long clCreateBuffer(PARAMETERS) {
    if (fails(Step::allocation)) {
        if (e) {
            *reinterpret_cast<int *>(e) = (int)out_of_memory;
        }
        return 0;
    }
    HAND_ON(clCreateBuffer)
}

PASSES(clBuildProgram)
PASSES(clCreateCommandQueue)
PASSES(clCreateContext)
PASSES(clCreateContextFromType)
PASSES(clCreateImage)
PASSES(clCreateKernel)
PASSES(clCreateProgramWithSource)
PASSES(clCreateSubBuffer)
PASSES(clCreateSubDevices)
PASSES(clEnqueueCopyBuffer)
PASSES(clEnqueueMapBuffer)
PASSES(clEnqueueMapImage)
PASSES(clEnqueueReadBufferRect)
PASSES(clEnqueueReadImage)
PASSES(clEnqueueUnmapMemObject)
PASSES(clEnqueueWriteBufferRect)
PASSES(clEnqueueWriteImage)
PASSES(clFinish)
PASSES(clFlush)
PASSES(clGetCommandQueueInfo)
PASSES(clGetContextInfo)
PASSES(clGetDeviceIDs)
PASSES(clGetDeviceInfo)
PASSES(clGetImageInfo)
PASSES(clGetMemObjectInfo)
PASSES(clGetPlatformIDs)
PASSES(clGetPlatformInfo)
PASSES(clGetProgramBuildInfo)
PASSES(clGetSupportedImageFormats)
PASSES(clReleaseCommandQueue)
PASSES(clReleaseContext)
PASSES(clReleaseDevice)
PASSES(clReleaseKernel)
PASSES(clReleaseMemObject)
PASSES(clReleaseProgram)
PASSES(clRetainCommandQueue)
PASSES(clRetainContext)
PASSES(clRetainDevice)
PASSES(clRetainKernel)
PASSES(clRetainMemObject)
PASSES(clRetainProgram)
PASSES(clSetKernelArg)
PASSES(clSetMemObjectDestructorCallback)

#endif
}
