// Reads the command line of pipeline.generator.
#include "generators/pipelines/request.h"
#include <algorithm>
#include <cctype>
#include <sstream>

namespace tilewright {

Stages::Schedule pipeline_schedule(const std::string &name) {
    if (name != "staged" && name != "fused") {
        throw PipelineError("there is no pipeline schedule '" + name + "'; it takes staged or fused");
    }
    return name == "fused" ? Stages::Schedule::fused : Stages::Schedule::staged;
}

PipelineRequest::PipelineRequest(const std::vector<std::string> &words) {
    for (const std::string &word : words) {
        const size_t equals = word.find('=');
        const std::string key = word.substr(0, equals),
                          value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (key == "name") {
            name = value;
        } else if (key == "stages") {
            stages = value;
        } else if (key == "type") {
            type = value;
        } else if (key == "schedule") {
            schedule = value;
        } else if (key == "capability") {
            const bool number = !value.empty() && value.size() < 4 &&
                                value.find_first_not_of("0123456789") == std::string::npos;
            capability = number ? std::stoi(value) : 0;
            if (halide_capability(capability) == 0) {
                throw PipelineError("capability '" + value + "': Halide 21 writes code for 30 and newer");
            }
        } else if (key == "backend") {
            std::istringstream list(value);
            backends.clear();
            for (std::string backend; std::getline(list, backend, ',');) {
                if (backend != "cpu" && backend != "cuda" && backend != "opencl") {
                    throw PipelineError(
                        "there is no backend '" + backend + "'; it takes cpu, cuda and opencl");
                }
                backends.push_back(backend);
            }
        } else {
            throw PipelineError(
                "'" + word + "' is none of name=, stages=, type=, schedule=, capability= and backend=");
        }
    }
    const bool letters = !name.empty() && std::all_of(name.begin(), name.end(),
                                              [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (!letters || std::isdigit((unsigned char)name[0])) {
        throw PipelineError("'" + name + "' is no name for a function; it takes letters, digits and _");
    }
}

// Sums of floats must not be reordered, and must keep infinities and NaN.
std::string PipelineRequest::features() const {
    const Stages stages_of_chain = chain();
    const std::vector<Shape> &shapes = stages_of_chain.shapes();
    return shapes.back().vector && shapes[0].element[0] != 'u' ? "strict_float" : "";
}

}  // namespace tilewright
