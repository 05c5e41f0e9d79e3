// small_calls: the time of one warm call on the CPU on small and on thin data, beside a plain loop.
//
//     [HL_NUM_THREADS=N] small_calls [--schedule SCHEDULE] [OPERATOR ...]
//
// Prints a table in Markdown: microseconds of the whole call and of the loop (plain_loops.h), and by how much
// the call is longer. Calls and loops take turns, and the least of many rounds counts, so that another
// program on the machine disturbs little. A result that differs from the loop's ends the program with 1.
#include "apps/laboratory/whole_calls/plain_loops.h"
#include "runtime/workloads/random.h"
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

namespace {

using namespace tilewright;

struct Size {
    int64_t width, height;
};

const std::vector<Size> sizes_of_images = {{1, 1}, {8, 8}, {64, 64}, {256, 256}, {640, 480}, {1, 100000},
                            {100000, 1}, {8, 10000}, {17, 10000}, {33, 10000}, {47, 10000}},
                        sizes_of_fields = {{16, 16}, {64, 64}, {256, 256}, {16, 4096}, {4096, 16}},
                        sizes_of_vectors = {
                            {1, 1}, {8, 8}, {64, 64}, {256, 256}, {1000, 1000}, {1, 100000}, {100000, 8}};

struct Case {
    std::string what;
    Sample sample;
};

Case image_case(const Workload &workload, const std::string &type, Size size) {
    const Settings settings = workload.benchmark_settings(type).front();
    return {fmt::format("{} {}x{}", type, size.width, size.height),
        workload.benchmark_sample(type, {size.width, size.height}, settings)};
}

// A vector of `width` values and one of `height`.
Case vector_case(const std::string &type, Size size) {
    const Type element = type == "f64" ? Type::f64 : type == "f32" ? Type::f32 : Type::i32;
    std::vector<Array> vectors = {
        random_array(element, {size.width}, 1), random_array(element, {size.height}, 2)};
    for (Array &vector : vectors) {
        for (int64_t i = 0; element == Type::i32 && i < vector.size(); i++) {
            vector.as<int32_t>()[i] %= 1 << 28;  // what the operator takes
        }
    }
    return {fmt::format("{} {} (+) {}", type, size.width, size.height), {vectors, {}, {}}};
}

Case matrix_case(int64_t m, int64_t k, int64_t n) {
    return {fmt::format("f32 {}x{} by {}x{}", m, k, k, n),
        {{random_array(Type::f32, {m, k}, 1), random_array(Type::f32, {k, n}, 2)}, {}, {}}};
}

std::vector<Case> cases_of(const Operator &op) {
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
    for (const Row *row : op.rows("tuned", Backend::cpu)) {
        types.insert(row->type);
    }
    for (const std::string &type : types) {
        for (const Size size : of_vectors ? sizes_of_vectors :
                               of_fields  ? sizes_of_fields :
                                            sizes_of_images) {
            if (op.name() != "fresnel" || size.width == size.height) {
                all.push_back(of_vectors ? vector_case(type, size) : image_case(workload_of(op), type, size));
            }
        }
    }
    return all;
}

double seconds_of(int count, const std::function<void()> &work) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; i++) {
        work();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count;
}

// One of two kinds of work that are timed by turns: several at a time, so that the clock does not count.
struct Timed {
    const std::function<void()> &work;
    double least = 1e9;
    int count = 1;

    void run() {
        constexpr double long_enough = 10e-6;
        const double seconds = seconds_of(count, work);
        least = std::min(least, seconds);
        count = std::clamp((int)(long_enough / least), 1, 1000);
    }
};

// Times a case and prints its line, if the schedule has a row for it.
void time_case(const Operator &op, const Case &item, const std::string &schedule) {
    constexpr double seconds_of_case = .06;
    constexpr int least_rounds = 5;
    Array output;
    const std::function<void()> call = [&] {
        op(item.sample.inputs, output, item.sample.settings, {.device = Device{}, .schedule = schedule});
    };
    try {
        call();
    } catch (const Error &error) {
        fmt::print(stderr, "{} {}: {}\n", op.name(), item.what, error.what());
        return;
    }
    Array expected(output.type(), output.shape(), 0);
    const std::function<void()> loop = plain_loop(op.name(), item.sample, expected);
    if (!loop) {
        throw std::logic_error(
            op.name() + " has no plain loop in apps/laboratory/whole_calls/plain_loops.cpp");
    }
    loop();
    // Blurs of integers may differ by one, and sums of floats are added in another order.
    if (const double error = largest_error(output, expected); !(error < .01)) {
        throw std::runtime_error(fmt::format("{} {}: differs from the plain loop by {:.2g} of the largest "
                                             "value",
            op.name(), item.what, error));
    }
    Timed of_call{call}, of_loop{loop};
    double spent = 0;
    for (int round = 0; round < least_rounds || spent < seconds_of_case; round++) {
        spent += seconds_of(1, [&] {
            of_call.run();
            of_loop.run();
        });
    }
    const double us = 1e6 * of_call.least, loop_us = 1e6 * of_loop.least;
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:+.2f} |\n", op.name(), item.what, us, loop_us,
        us / loop_us, us - loop_us);
    fflush(stdout);
}

}  // namespace

int main(int count, char **arguments) try {
    std::vector<std::string> words(arguments + 1, arguments + count);
    std::string schedule = "tuned";
    if (words.size() > 1 && words[0] == "--schedule") {
        schedule = words[1];
        words.erase(words.begin(), words.begin() + 2);
    }
    fmt::print("| operator | data | call, us | plain loop, us | ratio | longer by, us |\n"
               "|---|---|---|---|---|---|\n");
    for (const Operator *op : operators()) {
        if (words.empty() || std::find(words.begin(), words.end(), op->name()) != words.end()) {
            for (const Case &item : cases_of(*op)) {
                time_case(*op, item, schedule);
            }
        }
    }
    return 0;
} catch (const std::exception &error) {
    fmt::print(stderr, "small_calls: {}\n", error.what());
    return 1;
}
