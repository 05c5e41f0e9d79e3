#include "apps/laboratory/whole_calls/benchmarks.h"
#include "apps/laboratory/whole_calls/raw_copies.h"
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

constexpr int rounds = 15;

size_t bytes_of(const Array &array) {
    return (size_t)array.shape()[0] * (size_t)array.strides()[0] * size_of(array.type());
}

// Touches every page, so that no copy meets one for the first time.
void touch(Array &array) {
    memset(array.data(), 1, bytes_of(array));
}

struct Times {
    double up = 0, kernels = 0, down = 0, call = 0;

    std::string line(const Case &c, const char *memory) const {
        const double sum = up + kernels + down;
        return fmt::format("{:<15} {:<16} {:<9} {:8.3f} {:8.3f} {:8.3f} {:8.3f} {:8.3f} {:6.2f}\n", c.op,
            fmt::format("{}", fmt::join(c.shape, "x")), memory, up, kernels, down, sum, call, call / sum);
    }
};

// `make` makes the arrays: Array::uninitialized or Array::pinned.
Times times_of(const Case &c, Device device, decltype(Array::pinned) *make) {
    const Operator &op = find_operator(c.op);
    Array input = make(Type::u8, c.shape, Array::padded);
    touch(input);
    const auto request = op.parse({&input, 1}, c.settings);
    Array output = make(request->output_type, request->output_shape, Array::padded);
    touch(output);
    Times times;
    const RawCopies raw(device, std::max(bytes_of(input), bytes_of(output)));
    const Array &unchanged = output;
    const auto call = [&] {
        input.data();  // the host writes it: it is copied again
        op.call(*request, output, {.device = device});
        unchanged.data();
    };
    call();
    const int batch = 20;
    const Row &row = op.choose(*request, output, "tuned", device);
    times.kernels = device_time_ms(device, [&] {
        for (int i = 0; i < batch; i++) {
            op.run(row, device, *request, output);
        }
    }) / batch;
    std::vector<double> up, down, whole;
    for (int i = 0; i < rounds; i++) {  // by turns, so that all three meet the same clocks
        up.push_back(ms_of([&] { raw.up(input.data(), bytes_of(input)); }));
        down.push_back(ms_of([&] { raw.down(output.data(), bytes_of(output)); }));
        whole.push_back(ms_of(call));
    }
    for (auto *all : {&up, &down, &whole}) {
        std::sort(all->begin(), all->end());
    }
    times.up = up[rounds / 2];
    times.down = down[rounds / 2];
    times.call = whole[rounds / 2];
    return times;
}

}  // namespace

void host_calls(Device device) {
    const Case cases[] = {
        {"gaussian_blur", {4096, 4096}, {{"sigma", 3.}}},
        {"gaussian_blur", {4096, 4096, 3}, {{"sigma", 3.}}},
        {"gaussian_blur", {8192, 8192}, {{"sigma", 3.}}},
        {"transpose", {8192, 8192}, {}},
        {"column_sum", {8192, 8192}, {}},
        {"gaussian_blur", {512, 512}, {{"sigma", 3.}}},
    };
    fmt::print(
        "Whole calls on {} ({}), u8, ms, medians of {}\n", device.str(), device_info(device).name, rounds);
    fmt::print("{:<15} {:<16} {:<9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}\n", "operator", "image", "memory",
        "up", "kernels", "down", "sum", "call", "ratio");
    for (const Case &c : cases) {
        fmt::print("{}", times_of(c, device, Array::uninitialized).line(c, "pageable"));
        fmt::print("{}", times_of(c, device, Array::pinned).line(c, "pinned"));
    }
}

}  // namespace tilewright::benchmarks
