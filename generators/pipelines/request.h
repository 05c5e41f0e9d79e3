#pragma once
// What the command line of pipeline.generator asks for.
#include "generators/pipelines/pipeline.h"
#include "generators/program/targets.h"
#include <string>
#include <vector>

namespace tilewright {

// "staged" or "fused". Throws PipelineError.
Stages::Schedule pipeline_schedule(const std::string &name);

// A pipeline, from the words name=..., stages=..., type=..., schedule=..., capability=80 and backend=a,b.
struct PipelineRequest {
    std::string name = "pipeline", stages, type = "u8", schedule = "staged";
    std::vector<std::string> backends = {"cpu"};
    int capability = TargetChoice().capability;

    explicit PipelineRequest(const std::vector<std::string> &words);

    Stages chain() const {
        return Stages(stages, type, pipeline_schedule(schedule));
    }
    // Halide's targets for a backend, separated by commas. Only images of f64 are computed with doubles.
    std::string targets(const std::string &backend) const {
        return target_of(
            backend, features(), {.capability = capability, .doubles = chain().input().element == "f64"});
    }
    // The name of the library's function, for all sizes or for large images.
    std::string function(const std::string &backend, bool large) const {
        return name + "_" + backend + (large ? "_large" : "_any");
    }

private:
    // Further features of Halide's target.
    std::string features() const;
};

}  // namespace tilewright
