#include "apps/laboratory/whole_calls/benchmarks.h"
#include "apps/laboratory/whole_calls/raw_copies.h"
#include "apps/tilewright/timing/measure.h"
#include "tilewright/operator.h"
#include "tilewright/timing.h"
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::benchmarks {

namespace {

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
