#include "apps/laboratory/published_kernels/command_line.h"
#include "apps/laboratory/published_kernels/device.h"
#include <charconv>
#include <cstdio>
#include <ctime>
#include <new>

namespace published {

namespace {

int failed(const char *name, Fault fault, const char *message) {
    std::fprintf(stderr, "%s: error: %s\n", name, message);
    return (int)fault;
}

}  // namespace

void add_timing(CLI::App &line, int &device, Plan &plan, const std::string &of) {
    line.add_option("--device", device, "The number of the CUDA device")->capture_default_str();
    line.add_option("--batch", plan.batch, "Back-to-back calls per measurement")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    line.add_option("--repeats", plan.repeats, "Measurements")
        ->capture_default_str()
        ->check(CLI::Range(3, 1000000));
    line.add_option("--limit", plan.limit_s, "Seconds that the timing of " + of + " may take, about")
        ->capture_default_str()
        ->check(CLI::Range(.001, 1e6));
}

Size size_of(const std::string &text) {
    constexpr long most = 1 << 20;
    Size size;
    const char *const end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
        const auto height = std::from_chars(width.ptr + 1, end, size.height);
        if (height.ec == std::errc() && height.ptr == end && size.width >= 1 && size.width <= most &&
            size.height >= 1 && size.height <= most) {
            return size;
        }
    }
    throw Failure(Fault::usage,
        "--size " + text + ": takes WIDTHxHEIGHT from 1x1 to 1048576x1048576, for example 8192x8192");
}

int parse_and_run(CLI::App &line, int argc, char **argv, const std::function<void()> &work) {
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : (int)Fault::usage;
    }
    work();
    return 0;
}

int run_program(const char *name, int (*program)(int, char **), int argc, char **argv) noexcept {
    try {
        return program(argc, argv);
    } catch (const Failure &failure) {
        return failed(name, failure.fault, failure.what());
    } catch (const std::bad_alloc &) {
        return failed(name, Fault::memory, "out of memory on the host; take a smaller --size");
    } catch (const std::exception &error) {
        return failed(name, Fault::failed, error.what());
    }
}

std::string date() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    char text[32];
    return {text, std::strftime(text, sizeof text, "%FT%TZ", gmtime_r(&now, &utc))};
}

}  // namespace published
