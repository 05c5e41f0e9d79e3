// The program that the build runs: files of measurements become constant data, so that programs read no file
// to choose a variant. Usage: measured_table OUTPUT.cpp FILE.json...
#include "runtime/measured/measured.h"
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace tilewright {

namespace {

std::string literal(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        all += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return all + "\"";
}

std::string array_of(const std::string &name, std::span<const float> numbers) {
    std::string text = fmt::format("constexpr float {}[] = {{", name);
    for (size_t i = 0; i < numbers.size(); i++) {
        text += fmt::format("{}{:.6e}f,", i % 8 == 0 ? "\n    " : " ", numbers[i]);
    }
    return text + "\n};\n";
}

std::string array_of(const std::string &name, std::span<const std::string_view> words) {
    std::string text = fmt::format("constexpr std::string_view {}[] = {{\n", name);
    for (const std::string_view word : words) {
        text += fmt::format("    {},\n", literal(word));
    }
    return text + "};\n";
}

// The arrays of a device, and then the list of its times.
std::string times_of(const MeasuredDevice &device, size_t number) {
    std::string arrays, list = fmt::format("constexpr MeasuredTimes times_{}[] = {{\n", number);
    for (size_t i = 0; i < device.times.size(); i++) {
        const MeasuredTimes &times = device.times[i];
        const std::string suffix = fmt::format("{}_{}", number, i);
        arrays += array_of("calls_" + suffix, times.calls) + array_of("variants_" + suffix, times.variants) +
                  array_of("ms_" + suffix, times.ms);
        list += fmt::format("    {{{}, {}, {}, calls_{}, variants_{}, ms_{}}},\n", literal(times.op),
            literal(times.type), times.numbers, suffix, suffix, suffix);
    }
    return arrays + list + "};\n\n";
}

std::string entry_of(const MeasuredDevice &device, size_t number) {
    return fmt::format(
        "    {{{}, Backend::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {{{}, {}, {}}}, times_{}}},\n",
        literal(std::filesystem::path(device.file).filename().string()), name_of(device.backend),
        device.is_gpu, literal(device.vendor), literal(device.name), literal(device.capability), device.units,
        literal(device.date), device.bytes_to_device, device.bytes_to_host, device.copy_ms,
        device.error.times, device.error.median, device.error.most, number);
}

int write_table(const char *output, std::span<char *const> files) {
    std::string text =
                    "// Made by measured_table from schedules/measured/*.json.\n"
                    "#include \"runtime/measured/measured.h\"\n\nnamespace tilewright {\n\nnamespace {\n\n",
                entries;
    for (size_t i = 0; i < files.size(); i++) {
        std::string why_not;
        const MeasuredDevice *device = read_measurements(files[i], why_not);
        if (!device) {
            fprintf(stderr, "measured_table: %s: %s\n", files[i], why_not.c_str());
            return 1;
        }
        text += times_of(*device, i);
        entries += entry_of(*device, i);
    }
    text += files.empty() ? "" : "constexpr MeasuredDevice all[] = {\n" + entries + "};\n\n";
    text += fmt::format("}}  // namespace\n\nstd::span<const MeasuredDevice> built_in_measurements() {{\n"
                        "    return {};\n}}\n\n}}  // namespace tilewright\n",
        files.empty() ? "{}" : "all");
    std::ofstream file(output);
    file << text;
    file.close();
    if (!file) {
        fprintf(stderr, "measured_table: cannot write '%s'\n", output);
        return 1;
    }
    return 0;
}

}  // namespace

}  // namespace tilewright

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: measured_table OUTPUT.cpp FILE.json...\n");
        return 2;
    }
    return tilewright::write_table(argv[1], {argv + 2, (size_t)argc - 2});
}
