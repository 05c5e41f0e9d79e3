// The program pipeline.generator: it builds the libraries of a chain of stages, and writes the functions that
// programs call.
#include "generators/algorithms/element_type.h"
#include "generators/pipelines/functions.h"
#include "generators/pipelines/pipeline.h"
#include "generators/pipelines/request.h"
#include "generators/program/libraries/kernel_limits.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace tilewright {

namespace {

// image: rows of width * channels elements. output: what the last stage computes: a vector, rows like
// those, or x, y, c.
class PipelineGenerator : public Halide::Generator<PipelineGenerator> {
public:
    GeneratorParam<std::string> stages{"stages", ""};
    GeneratorParam<std::string> type{"type", "u8"};
    GeneratorParam<std::string> schedule{"schedule", "staged"};
    // Only for images of the sizes that the stages' fast variants serve.
    GeneratorParam<bool> large{"large", false};
    Input<Buffer<void, 2>> image{"image"};
    Output<Buffer<>> output{"output"};

    void configure() {
        const Stages chain(stages, type, pipeline_schedule(schedule));
        image.set_type(element_type(chain.input().element));
        output.set_type(element_type(chain.output().element));
        output.set_dimensions(chain.dimensions());
    }

    void generate() {
        Stages chain(stages, type, pipeline_schedule(schedule));
        const int channels = chain.input().channels;
        image.dim(0).set_min(0);
        image.dim(1).set_min(0);
        const Flow flow = chain.compose(image, channels > 1 ? image.width() / channels : image.width(),
            image.height(), get_target(), large);
        output = flow.elements;
        chain.schedule(Stages::is_output);
        if (chain.dimensions() == 3) {
            output.dim(0).set_stride(flow.shape.channels);
            output.dim(2).set_bounds(0, flow.shape.channels).set_stride(1);
        }
        for (int d = 0; d < chain.dimensions(); d++) {
            output.dim(d).set_min(0);
        }
    }

protected:
    Pipeline build_pipeline() override {
        Pipeline pipeline = Halide::Generator<PipelineGenerator>::build_pipeline();
        check_kernel_limits(pipeline, get_target(), "the pipeline \"" + stages.value() + "\"", false);
        return pipeline;
    }
};

int run_halide(std::vector<std::string> words) {
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

// The files that Halide writes besides a library, as its own names, and whether a GPU's source is one of
// them.
struct Emitted {
    std::string files;
    bool source = false;

    // `emit`: the words of the command line. `source_name`: "ptx" or "opencl_c", or empty.
    Emitted(const std::string &emit, const std::string &source_name) {
        std::istringstream list(emit);
        for (std::string file; std::getline(list, file, ',');) {
            if (file == "stmt_html" || file == "assembly") {
                files += (files.empty() ? "" : ",") + file;
            } else if (file == "ptx" || file == "opencl_c") {
                source = source || file == source_name;
            } else if (!file.empty() && file != "static_library") {
                throw PipelineError(
                    "cannot emit '" + file + "'; it takes stmt_html, assembly, ptx and opencl_c");
            }
        }
        if (source) {
            files += std::string(files.empty() ? "" : ",") + "device_code";
        }
    }
};

// Builds the two libraries of each backend. `emit`: static_library, and stmt_html, assembly, ptx and
// opencl_c, which are kept beside it.
int build(const PipelineRequest &request, const std::string &folder, const std::string &emit) {
    std::string stages = request.chain().text();
    // Halide's own program takes one '=' per argument.
    std::replace(stages.begin(), stages.end(), '=', ':');
    for (const std::string &backend : request.backends) {
        const std::string targets = request.targets(backend), first = targets.substr(0, targets.find(','));
        const std::string source = backend == "cuda" ? "ptx" : backend == "opencl" ? "opencl_c" : "";
        const Emitted emitted(emit, source);
        for (const bool large : {false, true}) {
            const std::string function = request.function(backend, large);
            const auto make = [&](const std::string &files, const std::string &target) {
                return run_halide({"pipeline", "-g", "pipeline", "-f", function, "-o", folder, "-e", files,
                    "target=" + target, "stages=" + stages, "type=" + request.type,
                    "schedule=" + request.schedule, std::string("large=") + (large ? "true" : "false")});
            };
            const bool one_run = targets == first && !emitted.files.empty();
            int code = make(one_run ? "static_library," + emitted.files : "static_library", targets);
            if (!code && !emitted.files.empty() && !one_run) {
                code = make(emitted.files, first);
            }
            if (code) {
                return code;
            }
            if (emitted.source) {
                const std::string path = (std::filesystem::path(folder) / function).string();
                std::filesystem::rename(path + ".device_code", path + (source == "ptx" ? ".ptx" : ".cl"));
            }
        }
    }
    return 0;
}

void write(const std::filesystem::path &path, const std::string &text) {
    std::ofstream out(path);
    out << text;
    out.flush();
    if (!out.good()) {
        throw PipelineError(path.string() + " cannot be written");
    }
}

int run(const std::vector<std::string> &args) {
    const std::string verb = args.empty() ? "" : args[0];
    const auto request = [&](size_t first) {
        return PipelineRequest({args.begin() + (std::ptrdiff_t)first, args.end()});
    };
    if (verb == "describe") {
        const PipelineRequest asked = request(1);
        const Stages chain = asked.chain();
        std::cout << chain.input().str() << " -> " << chain.output().str() << "\n";
        return 0;
    }
    if (verb == "functions" && args.size() >= 2) {
        const PipelineRequest asked = request(2);
        const std::filesystem::path folder = args[1];
        write(folder / (asked.name + ".h"), pipeline_header(asked));
        write(folder / (asked.name + ".cpp"), pipeline_functions(asked));
        write(folder / (asked.name + "_runtime.cpp"), pipeline_runtime_functions(asked));
        return 0;
    }
    if (verb == "build" && args.size() >= 3) {
        return build(request(3), args[1], args[2]);
    }
    if (verb == "runtime" && args.size() >= 2) {
        return run_halide({"pipeline", "-r", "halide_runtime", "-o", args[1], "-e", "object",
            "target=x86-64-linux-cuda-opencl"});
    }
    std::cerr << "usage: pipeline.generator describe WORDS                what goes in and what comes out\n"
              << "       pipeline.generator build FOLDER FILES WORDS     the libraries; FILES: "
                 "static_library,stmt_html,assembly,ptx,opencl_c\n"
              << "       pipeline.generator functions FOLDER WORDS       NAME.h, NAME.cpp and "
                 "NAME_runtime.cpp, which call them\n"
              << "       pipeline.generator runtime FOLDER               Halide's runtime\n"
              << "WORDS: stages='gaussian_blur sigma=2 | transpose' [name=NAME] [type=u8] "
                 "[schedule=staged|fused] [capability=80] [backend=cpu,cuda,opencl]\n";
    return 2;
}

}  // namespace

}  // namespace tilewright

HALIDE_REGISTER_GENERATOR(tilewright::PipelineGenerator, pipeline)

int main(int argc, char **argv) {
    try {
        return tilewright::run({argv + 1, argv + argc});
    } catch (const std::exception &error) {
        std::cerr << "pipeline: " << error.what() << "\n";
        return 1;
    }
}
