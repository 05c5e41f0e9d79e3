#include "apps/laboratory/benchmark/peers.h"
#include "apps/laboratory/whole_calls/benchmarks.h"
#include "runtime/workloads/random.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <vector>

namespace tilewright::benchmarks {

namespace {

// Data of small and of thin shapes, where the cost of a call shows.
struct Case {
    std::string type, what;
    Settings settings;
    std::function<Sample()> make;
};

struct Size {
    int64_t width, height;
};

const std::vector<Size> sizes_of_images = {{1, 1}, {8, 8}, {64, 64}, {256, 256}, {640, 480}, {1, 100000},
                            {100000, 1}, {8, 10000}, {17, 10000}, {33, 10000}, {47, 10000}},
                        sizes_of_fields = {{16, 16}, {64, 64}, {256, 256}, {16, 4096}, {4096, 16}},
                        sizes_of_vectors = {
                            {1, 1}, {8, 8}, {64, 64}, {256, 256}, {1000, 1000}, {1, 100000}, {100000, 8}};

Case image_case(const Operator &op, const std::string &type, Size size) {
    const Settings settings = workload_of(op).benchmark_settings(type).front();
    return {
        type, fmt::format("{} {}x{}", type, size.width, size.height), settings, [&op, type, size, settings] {
            return workload_of(op).benchmark_sample(type, {size.width, size.height}, settings);
        }};
}

// A vector of `width` values and one of `height`.
Case vector_case(const std::string &type, Size size) {
    const auto make = [type, size] {
        const Type element = type == "f64" ? Type::f64 : type == "f32" ? Type::f32 : Type::i32;
        std::vector<Array> vectors = {
            random_array(element, {size.width}, 1), random_array(element, {size.height}, 2)};
        for (Array &vector : vectors) {
            for (int64_t i = 0; element == Type::i32 && i < vector.size(); i++) {
                vector.as<int32_t>()[i] %= 1 << 28;  // what the operator takes
            }
        }
        return Sample{vectors, {}, {}};
    };
    return {type, fmt::format("{} {} (+) {}", type, size.width, size.height), {}, make};
}

Case matrix_case(int64_t m, int64_t k, int64_t n) {
    return {"f32", fmt::format("f32 {}x{} by {}x{}", m, k, k, n), {}, [=] {
                return Sample{
                    {random_array(Type::f32, {m, k}, 1), random_array(Type::f32, {k, n}, 2)}, {}, {}};
            }};
}

std::vector<Case> cases_of(const Operator &op, Backend backend) {
    std::vector<Case> all;
    if (op.name() == "matmul") {
        const int64_t sizes[][3] = {{1, 1, 1}, {8, 8, 8}, {16, 16, 16}, {64, 64, 64}, {256, 256, 256},
            {1, 100000, 1}, {100000, 1, 1}, {1, 1, 100000}, {1, 512, 512}, {512, 512, 1}, {10000, 8, 8},
            {10000, 47, 47}, {8, 10000, 8}};
        for (const auto &[m, k, n] : sizes) {
            all.push_back(matrix_case(m, k, n));
        }
        return all;
    }
    const bool of_vectors = op.name() == "min_plus_convolution",
               of_fields = op.name() == "fft2d" || op.name() == "fresnel";
    std::set<std::string> types;
    for (const Variant *variant : op.variants("tuned", backend)) {
        types.insert(variant->type);
    }
    for (const std::string &type : types) {
        for (const Size size : of_vectors ? sizes_of_vectors :
                               of_fields  ? sizes_of_fields :
                                            sizes_of_images) {
            if (op.name() != "fresnel" || size.width == size.height) {
                all.push_back(of_vectors ? vector_case(type, size) : image_case(op, type, size));
            }
        }
    }
    return all;
}

// The call of a peer, whose first result was compared with the operator's. Blurs of integers may differ by
// one, and sums of floats are added in another order.
std::function<void()> checked(
    const Operator &op, const Sample &sample, const app::Peer &peer, Array &output) {
    Array right;
    op(sample.inputs, right, sample.settings, {.device = Device{}});
    output = Array(right.type(), right.shape(), 0);
    const std::function<void()> call = peer.prepare(sample, output);
    call();
    constexpr double allowed = .01;
    if (const double error = largest_error(right, output); !(error < allowed) && !(peer.off > 1)) {
        found_wrong_result = true;
        throw Error(Fault::mismatch, fmt::format("it differs by {:.2g} of the largest value", error));
    }
    return call;
}

void add_case(const Operator &op, const Case &item, Device device, const std::string &schedule) {
    const std::string name = fmt::format("calls/{}/{}/", op.name(), item.what);
    add(name + device.str(),
        [&op, item, device, schedule](benchmark::State &state) {
            const Sample sample = item.make();
            Array output;
            const auto call = [&] {
                op(sample.inputs, output, sample.settings, {.device = device, .schedule = schedule});
                synchronize(device);
            };
            call();
            for (auto _ : state) {
                call();
            }
        })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
    if (device.backend != Backend::cpu) {
        return;
    }
    for (const app::Peer &peer : app::peers_of(op, item.type, item.settings)) {
        add(name + peer.name,
            [&op, item, peer](benchmark::State &state) {
                const Sample sample = item.make();
                Array output;
                const std::function<void()> call = checked(op, sample, peer, output);
                for (auto _ : state) {
                    call();
                }
            })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace

void add_calls(Device device, const std::string &schedule) {
    for (const Operator *op : operators()) {
        for (const Case &item : cases_of(*op, device.backend)) {
            add_case(*op, item, device, schedule);
        }
    }
}

}  // namespace tilewright::benchmarks
