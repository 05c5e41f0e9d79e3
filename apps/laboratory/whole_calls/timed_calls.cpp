// timed_calls: times calls of operators on the CPU when it is told to, so that another program
// (docs/tables.py) can time the calls of other libraries by turns with them.
//
// Each line of the standard input is an order, and is answered by one line:
//
//     case OPERATOR TYPE WIDTHxHEIGHT[xCHANNELS] [SETTING=VALUE ...]
//                                                            makes data, calls once: `ok`, or `no` and why
//     run COUNT                                              calls: least wall time of a call in ms, and CPU
//                                                            time per call in ms, of all threads
#include "tilewright/error.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace tilewright;

struct Case {
    const Operator *op = nullptr;
    Sample sample;
    Array output;

    void call() {
        (*op)(sample.inputs, output, sample.settings, {.device = Device{}});
    }
};

// A setting as the operator has it: a number where the text is one.
std::variant<double, std::string> value_of(const std::string &text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ?
               std::variant<double, std::string>(number) :
               text;
}

Case case_of(std::istringstream &words) {
    std::string name, type, size;
    words >> name >> type >> size;
    DataSize data;
    char by = 0;
    std::istringstream sides(size);
    if (!(sides >> data.width >> by >> data.height) || by != 'x' ||
        (!sides.eof() && !(sides >> by >> data.channels))) {
        throw std::runtime_error("write case OPERATOR TYPE WIDTHxHEIGHT[xCHANNELS]");
    }
    Case made;
    made.op = &find_operator(name);
    Settings settings;
    for (std::string word; words >> word;) {
        settings.set(word.substr(0, word.find('=')), value_of(word.substr(word.find('=') + 1)));
    }
    made.sample = workload_of(*made.op).benchmark_sample(type, data, settings);
    made.call();
    return made;
}

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

std::string times_of(Case &timed, int count) {
    if (timed.op == nullptr || count < 1) {
        return "no case to run";
    }
    double least = 1e30;
    const double cpu = cpu_ms();
    for (int i = 0; i < count; i++) {
        const auto start = std::chrono::steady_clock::now();
        timed.call();
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        least = std::min(least, took.count());
    }
    return fmt::format("{:.6f} {:.6f}", least, (cpu_ms() - cpu) / count);
}

}  // namespace

int main() {
    Case timed;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string order, answer;
        words >> order;
        try {
            if (order == "case") {
                timed = {};
                timed = case_of(words);
                answer = "ok";
            } else if (int count = 0; order == "run" && words >> count) {
                answer = times_of(timed, count);
            } else {
                answer = "no order: write case or run";
            }
        } catch (const std::exception &error) {
            answer = std::string("no ") + error.what();
        }
        std::cout << answer << '\n' << std::flush;
    }
    return 0;
}
