// The program that makes ahead-of-time pipelines: the libraries of a chain of stages, and the functions that programs call.
#include "generators/row_generator.h"
#include "generators/pipelines/pipeline.h"
#include "generators/program/targets.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <tuple>

namespace tilewright {

namespace {

Stages::Schedule schedule_of(const std::string &name) {
    if (name != "staged" && name != "fused") {
        throw PipelineError("there is no pipeline schedule '" + name + "'; it takes staged or fused");
    }
    return name == "fused" ? Stages::Schedule::fused : Stages::Schedule::staged;
}

// image: rows of width * channels elements. output: what the last stage makes, a vector, rows like those, or x, y, c.
class PipelineGenerator : public Halide::Generator<PipelineGenerator> {
public:
    GeneratorParam<std::string> stages{"stages", ""};
    GeneratorParam<std::string> type{"type", "u8"};
    GeneratorParam<std::string> schedule{"schedule", "staged"};
    GeneratorParam<bool> large{"large", false};  // for images of the sizes that the stages' fast rows ask for
    Input<Buffer<void, 2>> image{"image"};
    Output<Buffer<>> output{"output"};

    void configure() {
        const Stages chain(stages, type, schedule_of(schedule));
        image.set_type(element_type(chain.input().element));
        output.set_type(element_type(chain.output().element));
        output.set_dimensions(chain.dimensions());
    }

    void generate() {
        Stages chain(stages, type, schedule_of(schedule));
        const int channels = chain.input().channels;
        image.dim(0).set_min(0);
        image.dim(1).set_min(0);
        const Flow flow = chain.compose(image, channels > 1 ? image.width() / channels : image.width(), image.height(), get_target(), large);
        output = flow.made;
        chain.schedule(Stages::is_output);
        if (chain.dimensions() == 3) {
            output.dim(0).set_stride(flow.shape.channels);
            output.dim(2).set_bounds(0, flow.shape.channels).set_stride(1);
        }
        for (int d = 0; d < chain.dimensions(); d++) {
            output.dim(d).set_min(0);
        }
    }
};

// What the words name=..., stages=..., type=..., schedule=..., backend=a,b on the command line mean.
struct Wanted {
    std::string name = "pipeline", stages, type = "u8", schedule = "staged";
    std::vector<std::string> backends = {"cpu"};

    explicit Wanted(const std::vector<std::string> &words) {
        for (const std::string &word : words) {
            const size_t equals = word.find('=');
            const std::string key = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
            if (key == "name") {
                name = value;
            } else if (key == "stages") {
                stages = value;
            } else if (key == "type") {
                type = value;
            } else if (key == "schedule") {
                schedule = value;
            } else if (key == "backend") {
                std::istringstream list(value);
                backends.clear();
                for (std::string backend; std::getline(list, backend, ',');) {
                    if (backend != "cpu" && backend != "cuda" && backend != "opencl") {
                        throw PipelineError("there is no backend '" + backend + "'; it takes cpu, cuda and opencl");
                    }
                    backends.push_back(backend);
                }
            } else {
                throw PipelineError("'" + word + "' is none of name=, stages=, type=, schedule= and backend=");
            }
        }
        const bool letters = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        if (!letters || std::isdigit((unsigned char)name[0])) {
            throw PipelineError("'" + name + "' is no name for a function; it takes letters, digits and _");
        }
    }
    Stages chain() const {
        return Stages(stages, type, schedule_of(schedule));
    }
    // Sums of floats must add what they are told to, infinities and NaN included.
    std::string features() const {
        const Stages made = chain();
        return made.output().vector && made.shapes()[made.shapes().size() - 2].element == "f32" ? "strict_float" : "";
    }
    std::string function(const std::string &backend, bool large) const {
        return name + "_" + backend + (large ? "_large" : "_any");
    }
};

int run_halide(std::vector<std::string> words) {
    std::vector<char *> argv;
    for (std::string &word : words) {
        argv.push_back(word.data());
    }
    return Halide::Internal::generate_filter_main((int)argv.size(), argv.data());
}

// The two libraries of each backend. `emit`: static_library, and stmt_html, assembly, ptx and opencl_c, which are kept beside it.
int build(const Wanted &wanted, const std::string &folder, const std::string &emit) {
    std::string stages = wanted.chain().text();
    std::replace(stages.begin(), stages.end(), '=', ':');  // Halide's own program takes one '=' an argument
    for (const std::string &backend : wanted.backends) {
        const std::string targets = target_of(backend, wanted.features()), first = targets.substr(0, targets.find(','));
        const std::string source = backend == "cuda" ? "ptx" : backend == "opencl" ? "opencl_c" : "";
        std::string looks;
        std::istringstream list(emit);
        bool wants_source = false;
        for (std::string file; std::getline(list, file, ',');) {
            if (file == "stmt_html" || file == "assembly") {
                looks += (looks.empty() ? "" : ",") + file;
            } else if (file == "ptx" || file == "opencl_c") {
                wants_source = wants_source || file == source;
            } else if (!file.empty() && file != "static_library") {
                throw PipelineError("cannot emit '" + file + "'; it takes stmt_html, assembly, ptx and opencl_c");
            }
        }
        if (wants_source) {
            looks += std::string(looks.empty() ? "" : ",") + "device_code";
        }
        for (const bool large : {false, true}) {
            const std::string function = wanted.function(backend, large);
            const auto make = [&](const std::string &files, const std::string &target) {
                return run_halide({"pipeline", "-g", "pipeline", "-f", function, "-o", folder, "-e", files, "target=" + target, "stages=" + stages,
                                   "type=" + wanted.type, "schedule=" + wanted.schedule, std::string("large=") + (large ? "true" : "false")});
            };
            const bool one_run = targets == first && !looks.empty();
            int code = make(one_run ? "static_library," + looks : "static_library", targets);
            if (!code && !looks.empty() && !one_run) {
                code = make(looks, first);
            }
            if (code) {
                return code;
            }
            if (wants_source) {
                const std::string made = (std::filesystem::path(folder) / function).string();
                std::filesystem::rename(made + ".device_code", made + (source == "ptx" ? ".ptx" : ".cl"));
            }
        }
    }
    return 0;
}

std::string c_type(const std::string &element) {
    return element == "f32" ? "float" : "uint" + element.substr(1) + "_t";
}

// What a program includes.
std::string header(const Wanted &wanted) {
    const Stages chain = wanted.chain();
    const Shape in = chain.input(), out = chain.output();
    const std::string name = wanted.name;
    const int in_dimensions = in.channels > 1 ? 3 : 2, out_dimensions = out.vector ? 1 : out.channels > 1 ? 3 : 2;
    const bool input_rows = in.channels > 1, output_rows = out.channels > 1 && chain.dimensions() == 2;
    std::ostringstream o;
    o << "#pragma once\n// Made by pipeline.generator: " << chain.text() << "\n//\n// " << in.str() << " -> " << out.str() << " ("
      << (out.vector ? chain.turned() ? "height" : "width" : chain.turned() ? "height x width" : "width x height") << " of the input), schedule "
      << wanted.schedule << ". All sizes from 1 up, rows of any pitch.\n#include <stdint.h>\n\nstruct halide_buffer_t;\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      << "// One function a backend; 0, or Halide's error code. input: x (all elements of a row), y. output: "
      << (chain.dimensions() == 1 ? "x" : chain.dimensions() == 2 ? "x (all elements of a row), y" : "x, y, c, interleaved") << ".\n"
      << "// Mins are 0. On a GPU Halide copies what its flags say is dirty, and leaves the output there: copy_to_host() brings it.\n";
    for (const std::string &backend : wanted.backends) {
        o << "int " << name << "_" << backend << "(struct halide_buffer_t *input, struct halide_buffer_t *output);\n";
    }
    o << "#ifdef __cplusplus\n}\n\n#if __has_include(<HalideBuffer.h>)\n#include <HalideBuffer.h>\n#include <type_traits>\n\n"
      << "// The same, typed: " << c_type(in.element) << ", " << in_dimensions << " dimensions, and " << c_type(out.element) << ", " << out_dimensions
      << (input_rows || out_dimensions == 3 ? "; colours are interleaved" : "") << ".\n";
    if (input_rows || output_rows) {
        o << "#ifndef TILEWRIGHT_INTERLEAVED_ROWS\n#define TILEWRIGHT_INTERLEAVED_ROWS\nnamespace tilewright {\n\n"
          << "// x, y, c of an interleaved image as rows of elements, while a function has it.\nstruct InterleavedRows {\n"
          << "    halide_buffer_t rows, *of;\n    halide_dimension_t dims[2];\n    bool fits;\n\n"
          << "    InterleavedRows(halide_buffer_t *colour, int channels)\n"
          << "        : rows(*colour), of(colour), dims{halide_dimension_t(0, colour->dim[0].extent * channels, 1), colour->dim[1]},\n"
          << "          fits(colour->dim[0].min == 0 && colour->dim[0].stride == channels && colour->dim[2].min == 0 && "
             "colour->dim[2].extent == channels && colour->dim[2].stride == 1) {\n"
          << "        rows.dim = dims;\n        rows.dimensions = 2;\n    }\n    ~InterleavedRows() {\n        of->device = rows.device;\n"
          << "        of->device_interface = rows.device_interface;\n        of->flags = rows.flags;\n    }\n};\n\n}  // namespace tilewright\n#endif\n";
    }
    for (const std::string &backend : wanted.backends) {
        o << "template<typename T, int N, typename U, int M>\n"
          << "int " << name << "_" << backend << "(Halide::Runtime::Buffer<T, N> &input, Halide::Runtime::Buffer<U, M> &output) {\n"
          << "    static_assert(std::is_same_v<std::remove_const_t<T>, " << c_type(in.element) << "> && N == " << in_dimensions << ", \"the input is Buffer<"
          << c_type(in.element) << ", " << in_dimensions << ">\");\n    static_assert(std::is_same_v<U, " << c_type(out.element) << "> && M == "
          << out_dimensions << ", \"the output is Buffer<" << c_type(out.element) << ", " << out_dimensions << ">\");\n";
        for (const auto &[needed, buffer, channels] : {std::tuple{input_rows, "input", in.channels}, {output_rows, "output", out.channels}}) {
            if (needed) {
                o << "    tilewright::InterleavedRows " << buffer << "_rows(" << buffer << ".raw_buffer(), " << channels << ");\n    if (!" << buffer
                  << "_rows.fits) {\n        return halide_error_code_constraint_violated;\n    }\n";
            }
        }
        o << "    return " << name << "_" << backend << "(" << (input_rows ? "&input_rows.rows" : "input.raw_buffer()") << ", "
          << (output_rows ? "&output_rows.rows" : "output.raw_buffer()") << ");\n}\n";
    }
    o << "#endif\n\n#if !defined(TILEWRIGHT_PIPELINE_STANDALONE) && __has_include(<tilewright/generated.h>)\n#include <tilewright/generated.h>\n\n"
      << "// With Tilewright's runtime: checks type and shape, makes `output` if it is empty, and runs on the device, or the best one that this\n"
      << "// was made for. Errors: tilewright::Error (usage, input, device, memory).\n"
      << "void " << name << "(const tilewright::Array &input, tilewright::Array &output, std::optional<tilewright::Device> device = {});\n"
      << "#endif\n#endif\n";
    return o.str();
}

Place place_of(const std::string &backend, bool large) {
    const std::string targets = target_of(backend, "");
    return {Halide::Target(targets.substr(0, targets.find(','))), large, false};
}

// An output of another size would be one of another image; a query of bounds has no memory yet.
std::string extents_check(const Stages &chain) {
    std::vector<std::string> extents = {"width", "height"};
    if (chain.turned()) {
        std::swap(extents[0], extents[1]);
    }
    if (chain.dimensions() == 2 && chain.output().channels > 1) {
        extents[0] = std::to_string(chain.output().channels) + " * " + extents[0];
    }
    std::string differs = "output->dimensions != " + std::to_string(chain.dimensions());
    for (int d = 0; d < std::min(2, chain.dimensions()); d++) {
        differs += " || output->dim[" + std::to_string(d) + "].extent != " + extents[(size_t)d];
    }
    return "    if (output && (output->host || output->device) && (" + differs + ")) {\n        return halide_error_code_constraint_violated;\n    }\n";
}

// Which of the two libraries serves an image: plain C++, without a runtime.
std::string functions(const Wanted &wanted) {
    const Stages chain = wanted.chain();
    std::ostringstream o;
    o << "// Made by pipeline.generator.\n#include <HalideRuntime.h>\n\nextern \"C\" {\n\n";
    for (const std::string &backend : wanted.backends) {
        const Sizes s = chain.sizes(place_of(backend, true));
        const std::string any = wanted.function(backend, false), large = wanted.function(backend, true);
        for (const std::string &function : {any, large}) {
            o << "int " << function << "(halide_buffer_t *, halide_buffer_t *);\n";
        }
        o << "\nint " << wanted.name << "_" << backend << "(halide_buffer_t *input, halide_buffer_t *output) {\n"
          << "    if (!input || input->dimensions != 2) {\n        return " << any << "(input, output);  // it says what is wrong\n    }\n"
          << "    const long long width = input->dim[0].extent / " << chain.input().channels << ", height = input->dim[1].extent;\n"
          << extents_check(chain)
          << "    const bool large = width >= " << s.least_width << " && width <= " << s.most_width << " && height >= " << s.least_height
          << " && height <= " << s.most_height << ";\n    return large ? " << large << "(input, output) : " << any << "(input, output);\n}\n\n";
    }
    o << "}\n";
    return o.str();
}

// The function that takes arrays, for programs with the runtime.
std::string with_runtime(const Wanted &wanted) {
    const Stages chain = wanted.chain();
    const Shape in = chain.input(), out = chain.output();
    std::ostringstream declarations, entries;
    for (const std::string &backend : wanted.backends) {
        for (const bool large : {true, false}) {
            const std::string f = wanted.function(backend, large);
            const Sizes s = large ? chain.sizes(place_of(backend, true)) : Sizes{};
            declarations << "int " << f << "_argv(void **);\nconst halide_filter_metadata_t *" << f << "_metadata();\n";
            entries << "        {generated_row(\"" << wanted.name << "\", \"" << wanted.schedule << (large ? "_large" : "") << "\", \"" << wanted.type
                    << "\", Backend::" << backend << ", " << f << "_argv, " << f << "_metadata),\n         " << s.least_width << ", " << s.least_height
                    << ", " << s.most_width << ", " << s.most_height << "},\n";
        }
    }
    std::ostringstream o;
    o << "// Made by pipeline.generator.\n#include \"" << wanted.name << ".h\"\n#include <tilewright/generated.h>\n\nextern \"C\" {\n"
      << declarations.str() << "}\n\nnamespace {\n\nusing namespace tilewright;\n\nconst GeneratedPipeline &made() {\n"
      << "    static const GeneratedPipeline pipeline = {\"" << wanted.name << "\", \"" << chain.text() << "\",\n        Type::" << in.element << ", "
      << in.channels << ", Type::" << out.element << ", " << (out.vector ? "true" : "false") << ", " << (chain.turned() ? "true" : "false") << ", {\n"
      << entries.str() << "    }};\n    return pipeline;\n}\n\n}  // namespace\n\nvoid " << wanted.name
      << "(const Array &input, Array &output, std::optional<Device> device) {\n    run_generated(made(), input, output, device);\n}\n";
    return o.str();
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
    const auto wanted = [&](size_t first) { return Wanted({args.begin() + (std::ptrdiff_t)first, args.end()}); };
    if (verb == "describe") {
        const Wanted asked = wanted(1);
        const Stages chain = asked.chain();
        std::cout << chain.input().str() << " -> " << chain.output().str() << "\n";
        return 0;
    }
    if (verb == "functions" && args.size() >= 2) {
        const Wanted asked = wanted(2);
        const std::filesystem::path folder = args[1];
        write(folder / (asked.name + ".h"), header(asked));
        write(folder / (asked.name + ".cpp"), functions(asked));
        write(folder / (asked.name + "_runtime.cpp"), with_runtime(asked));
        return 0;
    }
    if (verb == "build" && args.size() >= 3) {
        return build(wanted(3), args[1], args[2]);
    }
    if (verb == "runtime" && args.size() >= 2) {
        return run_halide({"pipeline", "-r", "halide_runtime", "-o", args[1], "-e", "object", "target=x86-64-linux-cuda-opencl"});
    }
    std::cerr << "usage: pipeline.generator describe WORDS                what goes in and what comes out\n"
              << "       pipeline.generator build FOLDER FILES WORDS     the libraries; FILES: static_library,stmt_html,assembly,ptx,opencl_c\n"
              << "       pipeline.generator functions FOLDER WORDS       NAME.h, NAME.cpp and NAME_runtime.cpp, which call them\n"
              << "       pipeline.generator runtime FOLDER               Halide's runtime\n"
              << "WORDS: stages='gaussian_blur sigma=2 | transpose' [name=NAME] [type=u8] [schedule=staged|fused] [backend=cpu,cuda,opencl]\n";
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
