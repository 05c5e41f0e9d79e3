#include "apps/published/command_line.h"
#include "apps/published/device.h"
#include <cstdio>
#include <ctime>
#include <new>

namespace published {

namespace {

int failed(const std::string &name, Fault fault, const char *message) {
    std::fprintf(stderr, "%s: error: %s\n", name.c_str(), message);
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

int run_program(
    const std::string &name, CLI::App &line, int argc, char **argv, const std::function<void()> &work) {
    try {
        line.parse(argc, argv);
        work();
        return 0;
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : (int)Fault::usage;
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
