#include "apps/laboratory/whole_calls/benchmarks.h"
#include "apps/tilewright/timing/measure.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include "tilewright/timing.h"
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::benchmarks {

namespace {

template<typename... Arguments>
void call(const char *name, Arguments... arguments) {
    auto *function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver::libcuda(), name));
    if (function == nullptr || function(arguments...) != 0) {
        throw Error(
            Fault::device, "the driver's function failed; `nvidia-smi` shows its state", {.operation = name});
    }
}

// Copies to and from a CUDA device by the driver's own functions, without Halide and this project's runtime.
class RawCopies {
public:
    RawCopies(Device device, size_t bytes) : index_(device.index) {
        if (device.backend != Backend::cuda) {
            throw Error(Fault::device, "the driver's own copies are timed on CUDA only; name a CUDA device",
                {.argument = "device", .value = device.str()});
        }
        driver::open(device);
        const driver::InCudaContext here(driver::cuda_context(index_));
        call("cuMemAlloc_v2", &memory_, bytes);
    }
    ~RawCopies() {
        const driver::InCudaContext here(driver::cuda_context(index_));
        try {
            call("cuMemFree_v2", memory_);
        } catch (const Error &) {  // NOLINT(bugprone-empty-catch): the process ends soon
        }
    }
    RawCopies(const RawCopies &) = delete;

    // Return when the bytes are there.
    void up(const void *from, size_t bytes) const {
        const driver::InCudaContext here(driver::cuda_context(index_));
        call("cuMemcpyHtoD_v2", memory_, from, bytes);
        call("cuCtxSynchronize");
    }
    void down(void *to, size_t bytes) const {
        const driver::InCudaContext here(driver::cuda_context(index_));
        call("cuMemcpyDtoH_v2", to, memory_, bytes);
    }

private:
    const int index_;
    uint64_t memory_ = 0;
};

struct Case {
    const char *op;
    std::vector<int64_t> shape;
    Settings settings;
};

size_t bytes_of(const Array &array) {
    return (size_t)array.shape()[0] * (size_t)array.strides()[0] * size_of(array.type());
}

using MakeArray = decltype(Array::pinned);  // Array::uninitialized or Array::pinned

// An array whose pages were all touched, so that no copy meets one for the first time.
Array touched(MakeArray *make, Type type, const std::vector<int64_t> &shape) {
    Array array = make(type, shape, Array::padded);
    memset(array.data(), 1, bytes_of(array));
    return array;
}

// The arrays of a call, which was made once.
struct Called {
    Called(const Case &c, Device on, MakeArray *make)
        : op(find_operator(c.op)), device(on), input(touched(make, Type::u8, c.shape)),
          request(op.parse({&input, 1}, c.settings)),
          output(touched(make, request->output_type, request->output_shape)) {
        call();
    }

    void call() {
        input.data();  // the host writes it: it is copied again
        op.call(*request, output, {.device = device});
        std::as_const(output).data();
    }

    const Operator &op;
    const Device device;
    Array input;
    const std::unique_ptr<const Request> request;
    Array output;
};

double up_ms(Called &called, const RawCopies &raw) {
    return app::call_ms(called.device, [&] { raw.up(called.input.data(), bytes_of(called.input)); });
}

double down_ms(Called &called, const RawCopies &raw) {
    return app::call_ms(called.device, [&] { raw.down(called.output.data(), bytes_of(called.output)); });
}

void time_copies(benchmark::State &state, Called &called, double (*copy_ms)(Called &, const RawCopies &)) {
    const RawCopies raw(called.device, std::max(bytes_of(called.input), bytes_of(called.output)));
    time_by_hand(state, [&] { return copy_ms(called, raw); });
}

void time_kernels(benchmark::State &state, Called &called) {
    constexpr int batch = 20;
    const Variant &variant = called.op.choose(*called.request, called.output, "tuned", called.device);
    time_by_hand(state, [&] {
        return device_time_ms(called.device, [&] {
            for (int i = 0; i < batch; i++) {
                called.op.run(variant, called.device, *called.request, called.output);
            }
        }) / batch;
    });
}

void time_calls(benchmark::State &state, Called &called) {
    time_by_hand(state, [&] { return app::call_ms(called.device, [&] { called.call(); }); });
}

}  // namespace

void add_host_calls(Device device) {
    const Case cases[] = {
        {"gaussian_blur", {4096, 4096}, {{"sigma", 3.}}},
        {"gaussian_blur", {4096, 4096, 3}, {{"sigma", 3.}}},
        {"gaussian_blur", {8192, 8192}, {{"sigma", 3.}}},
        {"transpose", {8192, 8192}, {}},
        {"column_sum", {8192, 8192}, {}},
        {"gaussian_blur", {512, 512}, {{"sigma", 3.}}},
    };
    using Time = std::function<void(benchmark::State &, Called &)>;
    const std::pair<const char *, Time> parts[] = {
        {"copy up", [](benchmark::State &state, Called &c) { time_copies(state, c, up_ms); }},
        {"kernels", time_kernels},
        {"copy down", [](benchmark::State &state, Called &c) { time_copies(state, c, down_ms); }},
        {"call", time_calls},
    };
    for (const Case &c : cases) {
        for (const bool pinned : {false, true}) {
            for (const auto &[part, time] : parts) {
                const std::string name = fmt::format("host_calls/{}/u8 {}/{}/{}", c.op,
                    fmt::join(c.shape, "x"), pinned ? "page-locked" : "pageable", part);
                add(name,
                    [=](benchmark::State &state) {
                        Called called(c, device, pinned ? Array::pinned : Array::uninitialized);
                        time(state, called);
                    })
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

}  // namespace tilewright::benchmarks
