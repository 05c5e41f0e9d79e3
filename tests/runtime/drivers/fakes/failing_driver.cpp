// A libcuda.so.1 or libOpenCL.so.1 (FOR_CUDA or not) that hands every call on to the real one, but makes
// those fail that a test names: through failing_driver_requests(), or, for programs that a test starts,
// through the environment:
//     FAILING_DRIVER=no-memory       every allocation fails
//     FAILING_DRIVER=drop-launches   no kernel is launched, and all is said to be well
//     FAILING_DRIVER=lost:FILE       every launch fails from the time on at which the file exists
// The real library is the one that was found when this was configured, or the one whose absolute path is in
// FAILING_DRIVER_CUDA or FAILING_DRIVER_OPENCL: by its name alone the loader would find this one again.
// Without any it says that there are no devices.
// Its functions are those that the runtime's archive names (functions.cmake), as FUNCTION(name) in the file
// FUNCTIONS: what we or Halide's runtime ask a driver for.
#include "tests/runtime/drivers/fakes/failing_driver.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace {

using failing_driver::Step;

#ifdef FOR_CUDA
constexpr const char *variable = "FAILING_DRIVER_CUDA";
constexpr long no_devices = 100, out_of_memory = 2, broken = 701, not_found = 500;
#else
constexpr const char *variable = "FAILING_DRIVER_OPENCL";
constexpr long no_devices = -1001, out_of_memory = -4, broken = -5, not_found = -59;
#endif

// All arguments of all driver functions are integers or pointers, at most 14, and so are the results.
constexpr size_t most_arguments = 14;
using Arguments = std::array<long, most_arguments>;
using Function = long (*)(long, long, long, long, long, long, long, long, long, long, long, long, long, long);

struct Known {
    const char *name;
    std::atomic<long> calls{0};
    std::atomic<Function> real{nullptr};
};

#define FUNCTION(name) {#name},
Known known[] = {
#include FUNCTIONS
};
#undef FUNCTION

// nullptr where there is none of that name.
Known *known_as(const char *name) {
    const auto at = std::find_if(std::begin(known), std::end(known),
        [&](const Known &function) { return strcmp(function.name, name) == 0; });
    return at == std::end(known) ? nullptr : at;
}

std::atomic<Step> step{Step::none};
std::atomic<long> nth{0}, counts[failing_driver::steps];
std::atomic<const Known *> failing{nullptr};
std::atomic<long> nth_of_failing{0};

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

Step step_of(std::string_view name) {
    if (name == "cuLaunchKernel" || name == "clEnqueueNDRangeKernel") {
        return Step::launch;
    }
    if (name == "cuMemAlloc_v2" || name == "clCreateBuffer") {
        return Step::allocation;
    }
    if (name.starts_with("cuMemcpyHtoD") || name == "clEnqueueWriteBuffer") {
        return Step::to_device;
    }
    return name.starts_with("cuMemcpyDtoH") || name == "clEnqueueReadBuffer" ? Step::to_host : Step::none;
}

bool fails(Step here) {
    static const bool no_memory = asked("no-memory");
    const long now = ++counts[(int)here];
    return (here == Step::launch && is_lost()) || (here == step ? nth == failing_driver::every || now == nth :
                                                                  here == Step::allocation && no_memory);
}

// Which of its arguments, counted from 0, points to the error of a function that returns an object.
int error_argument(std::string_view name) {
    constexpr std::pair<std::string_view, int> all[] = {{"clCreateKernel", 2}, {"clCreateCommandQueue", 3},
        {"clCreateBuffer", 4}, {"clCreateContextFromType", 4}, {"clCreateProgramWithSource", 4},
        {"clCreateSubBuffer", 4}, {"clCreateContext", 5}, {"clCreateImage", 5},
        {"clCreateProgramWithBinary", 6}, {"clEnqueueMapBuffer", 9}, {"clEnqueueMapImage", 11}};
    for (const auto &[of, argument] : all) {
        if (of == name) {
            return argument;
        }
    }
    return -1;
}

long failure(std::string_view name, const Arguments &arguments) {
    const long code = step_of(name) == Step::allocation ? out_of_memory : broken;
    const int error = error_argument(name);
    if (error < 0) {
        return code;
    }
    if (arguments[(size_t)error] != 0) {
        *reinterpret_cast<int *>(arguments[(size_t)error]) = (int)code;
    }
    return 0;
}

long call(Known &function, const Arguments &arguments) {
    static void *const library = [] {
        const char *path = getenv(variable);
        return dlopen(path && *path ? path : REAL_LIBRARY, RTLD_NOW);
    }();
    static const bool dropped = asked("drop-launches");
    const Step here = step_of(function.name);
    if (here == Step::launch && dropped) {
        return 0;
    }
    const long now = ++function.calls;
    const bool fails_here = &function == failing && now == nth_of_failing;
    if ((here != Step::none && fails(here)) || fails_here) {
        return failure(function.name, arguments);
    }
    if (!function.real) {
        function.real = library ? reinterpret_cast<Function>(dlsym(library, function.name)) : nullptr;
    }
    const auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n] = arguments;
    const Function real = function.real;
    return real ? real(a, b, c, d, e, f, g, h, i, j, k, l, m, n) : library ? not_found : no_devices;
}

}  // namespace

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
        [](const char *name, long at) {
            nth_of_failing = at;
            for (Known &function : known) {
                function.calls = 0;
            }
            failing = known_as(name);
        },
        [](size_t index, long *calls) -> const char * {
            if (index >= std::size(known)) {
                return nullptr;
            }
            *calls = known[index].calls;
            return known[index].name;
        },
    };
    return &requests;
}

#define FUNCTION(name)                                                                                       \
    long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k,        \
        long l, long m, long n) {                                                                            \
        static Known &function = *known_as(#name);                                                           \
        return call(function, {a, b, c, d, e, f, g, h, i, j, k, l, m, n});                                   \
    }
#include FUNCTIONS
}
