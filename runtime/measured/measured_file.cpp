// Reads files of measurements. The only file of the runtime that reads JSON.
#include "runtime/measured/json_bounds.h"
#include "runtime/measured/measured.h"
#include <algorithm>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilewright {

namespace {

using Json = nlohmann::json;

constexpr int version = 1;
constexpr uintmax_t most_bytes = 8 << 20;  // 100 times what `calibrate` writes

// What the views of a MeasuredDevice look at.
struct Content {
    std::deque<std::string> texts;
    std::deque<std::vector<float>> numbers;
    std::deque<std::vector<std::string_view>> variants;
    std::vector<MeasuredTimes> times;
    MeasuredDevice device = {};

    std::string_view text(const Json &of) {
        return texts.emplace_back(of.get<std::string>());
    }
};

[[noreturn]] void refuse(const std::string &what) {
    throw std::runtime_error(what);
}

// A number of a file; null stands for 0.
double number(const Json &of, double most = 1e12) {
    const double value = of.is_null() ? 0 : of.get<double>();
    if (!(value >= 0 && value <= most)) {
        refuse("a number is out of range");
    }
    return value;
}

Backend backend_of(const std::string &word) {
    for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::opencl}) {
        if (word == name_of(backend)) {
            return backend;
        }
    }
    refuse("there is no backend '" + word + "'");
}

MeasuredTimes read_times(Content &content, const Json &from) {
    MeasuredTimes times = {};
    times.op = content.text(from.at("operator"));
    times.type = content.text(from.at("type"));
    std::vector<float> &calls = content.numbers.emplace_back();
    for (const Json &call : from.at("calls")) {
        if (times.numbers == 0) {
            times.numbers = call.size();
        }
        if (call.empty() || call.size() != times.numbers) {
            refuse(fmt::format("calls of {} have different numbers of numbers", times.op));
        }
        for (const Json &one : call) {
            calls.push_back((float)number(one));
        }
    }
    if (calls.empty()) {
        refuse(fmt::format("{} has no calls", times.op));
    }
    times.calls = calls;
    std::vector<std::string_view> &variants = content.variants.emplace_back();
    std::vector<float> &ms = content.numbers.emplace_back();
    for (const auto &[variant, of_variant] : from.at("variants").items()) {
        const Json &all = of_variant.at("ms");
        if (all.size() != times.count()) {
            refuse(fmt::format("variant {} of {} has not one time per call", variant, times.op));
        }
        variants.push_back(content.texts.emplace_back(variant));
        for (const Json &one : all) {
            ms.push_back((float)number(one));
        }
    }
    times.variants = variants;
    times.ms = ms;
    return times;
}

void read_device(Content &content, const Json &file) {
    const Json &from = file.at("device");
    MeasuredDevice &device = content.device;
    device.backend = backend_of(from.at("backend"));
    device.is_gpu = from.at("is_gpu");
    device.vendor = content.text(from.at("vendor"));
    device.name = content.text(from.at("name"));
    device.capability = content.text(from.value("capability", Json("")));
    device.units = (int)number(from.at("units"), std::numeric_limits<int>::max());
    device.date = content.text(file.at("origin").at("date"));
    const Json &copies = file.at("copies");
    device.bytes_to_device = number(copies.at("bytes_to_device_per_ms"));
    device.bytes_to_host = number(copies.at("bytes_to_host_per_ms"));
    device.copy_ms = number(copies.at("copy_ms"));
    if (const auto error = file.find("error"); error != file.end()) {  // older files have none
        device.error = {(int)number(error->at("times"), std::numeric_limits<int>::max()),
            number(error->at("median")), number(error->at("p90"))};
    }
    for (const Json &times : file.at("times")) {
        content.times.push_back(read_times(content, times));
    }
    device.times = content.times;
}

std::string text_of(const std::string &path) {
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error) {
        refuse(error.message());
    }
    if (bytes > most_bytes) {
        refuse("it is too long");
    }
    std::string text(bytes, ' ');
    std::ifstream stream(path, std::ios::binary);
    stream.read(text.data(), (std::streamsize)bytes);
    return text;
}

Json parsed(const std::string &text) {
    if (const std::string_view why_not = why_not_parsed(text); !why_not.empty()) {
        refuse(std::string(why_not));
    }
    Json file = Json::parse(text, nullptr, false);
    if (file.is_discarded() || !file.is_object()) {
        refuse("it is no JSON, or was cut off");
    }
    if (file.value("version", Json()) != Json(version)) {
        refuse(fmt::format("it is not of version {}", version));
    }
    return file;
}

// What `text` gives, as a device of that file.
template<typename Text>
const MeasuredDevice *device_of(Text text, const std::string &file, std::string &why_not) {
    try {
        const Json json = parsed(text());
        auto content = std::make_unique<Content>();
        content->device.file = content->texts.emplace_back(file);
        read_device(*content, json);
        return &content.release()->device;  // views of it are everywhere
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const Json::exception &error) {
        why_not = fmt::format("a part is missing or of another kind ({})", error.what());
    } catch (const std::exception &error) {
        why_not = error.what();
    }
    // Names in the file may have control characters.
    std::ranges::replace_if(why_not, [](unsigned char c) { return c < 32 || c == 127; }, ' ');
    why_not += "; remove it, and run `tilewright calibrate`";
    return nullptr;
}

}  // namespace

const MeasuredDevice *read_measurements(const std::string &path, std::string &why_not) {
    return device_of([&] { return text_of(path); }, path, why_not);
}

const MeasuredDevice *measurements_in(
    const std::string &text, const std::string &file, std::string &why_not) {
    return device_of([&] { return text; }, file, why_not);
}

}  // namespace tilewright
