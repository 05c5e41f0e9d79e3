// The texts of the header and of the functions of a pipeline.
#include "generators/pipelines/functions.h"
#include <algorithm>
#include <sstream>
#include <tuple>

namespace tilewright {

namespace {

// Of 16-bit floats that of their bits.
std::string c_type(const std::string &element) {
    return element == "f32"         ? "float" :
           element == "f64"         ? "double" :
           element.ends_with("f16") ? "uint16_t" :
                                      "uint" + element.substr(1) + "_t";
}

// What the texts of a header depend on.
struct HeaderShape {
    Shape in, out;
    int in_dimensions, out_dimensions;  // of the typed buffers
    bool input_rows, output_rows;       // whether colours are passed on as rows of elements

    explicit HeaderShape(const Stages &chain)
        : in(chain.input()), out(chain.output()), in_dimensions(in.channels > 1 ? 3 : 2),
          out_dimensions(out.vector       ? 1 :
                         out.channels > 1 ? 3 :
                                            2),
          input_rows(in.channels > 1), output_rows(out.channels > 1 && chain.dimensions() == 2) {}
};

// The functions for C, one per backend.
void write_c_functions(std::ostream &o, const PipelineRequest &request, const Stages &chain) {
    const char *vector_size = chain.transposed() ? "height" : "width";
    const char *image_size = chain.transposed() ? "height x width" : "width x height";
    const char *output = chain.dimensions() == 1 ? "x" :
                         chain.dimensions() == 2 ? "x (all elements of a row), y" :
                                                   "x, y, c, interleaved";
    o << "#pragma once\n// Made by pipeline.generator: " << chain.text() << "\n//\n// " << chain.input().str()
      << " -> " << chain.output().str() << " (" << (chain.output().vector ? vector_size : image_size)
      << " of the input), schedule " << request.schedule
      << ". All sizes from 1 up, rows of any pitch.\n#include <stdint.h>\n\nstruct halide_buffer_t;\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      << "// One function a backend; 0, or Halide's error code. input: x (all elements of a row), y. output: "
      << output << ".\n"
      << "// Mins are 0. On a GPU Halide copies what its flags say is dirty, and leaves the output there: "
         "copy_to_host() brings it.\n";
    for (const std::string &backend : request.backends) {
        o << "int " << request.name << "_" << backend
          << "(struct halide_buffer_t *input, struct halide_buffer_t *output);\n";
    }
}

// The struct that shows an interleaved image as rows of elements while a function has it.
void write_interleaved_rows(std::ostream &o) {
    o << R"(#ifndef TILEWRIGHT_INTERLEAVED_ROWS
#define TILEWRIGHT_INTERLEAVED_ROWS
namespace tilewright {

// x, y, c of an interleaved image as rows of elements, while a function has it.
struct InterleavedRows {
    halide_buffer_t rows, *of;
    halide_dimension_t dims[2];
    bool fits;

    InterleavedRows(halide_buffer_t *colour, int channels)
        : rows(*colour), of(colour), dims{)"
         R"(halide_dimension_t(0, colour->dim[0].extent * channels, 1), colour->dim[1]},
          fits(colour->dim[0].min == 0 && colour->dim[0].stride == channels && colour->dim[2].min == 0 && )"
         R"(colour->dim[2].extent == channels && colour->dim[2].stride == 1) {
        rows.dim = dims;
        rows.dimensions = 2;
    }
    ~InterleavedRows() {
        of->device = rows.device;
        of->device_interface = rows.device_interface;
        of->flags = rows.flags;
    }
};

}  // namespace tilewright
#endif
)";
}

// The function of one backend for typed buffers.
void write_typed_function(std::ostream &o, const std::string &function, const HeaderShape &shape) {
    const auto assertion = [&](const std::string &type, const char *number, const std::string &element,
                               int dimensions, const char *which) {
        o << "    static_assert(std::is_same_v<" << type << ", " << c_type(element) << "> && " << number
          << " == " << dimensions << ", \"the " << which << " is Buffer<" << c_type(element) << ", "
          << dimensions << ">\");\n";
    };
    o << "template<typename T, int N, typename U, int M>\n"
      << "int " << function
      << "(Halide::Runtime::Buffer<T, N> &input, Halide::Runtime::Buffer<U, M> &output) {\n";
    assertion("std::remove_const_t<T>", "N", shape.in.element, shape.in_dimensions, "input");
    assertion("U", "M", shape.out.element, shape.out_dimensions, "output");
    for (const auto &[needed, buffer, channels] : {std::tuple{shape.input_rows, "input", shape.in.channels},
             {shape.output_rows, "output", shape.out.channels}}) {
        if (needed) {
            o << "    tilewright::InterleavedRows " << buffer << "_rows(" << buffer << ".raw_buffer(), "
              << channels << ");\n    if (!" << buffer
              << "_rows.fits) {\n        return halide_error_code_constraint_violated;\n    }\n";
        }
    }
    o << "    return " << function << "(" << (shape.input_rows ? "&input_rows.rows" : "input.raw_buffer()")
      << ", " << (shape.output_rows ? "&output_rows.rows" : "output.raw_buffer()") << ");\n}\n";
}

StageTarget stage_target(const PipelineRequest &request, const std::string &backend, bool large) {
    const std::string targets = request.targets(backend);
    return {Halide::Target(targets.substr(0, targets.find(','))), large, false};
}

// Refuses an output of another size. A query of bounds has no memory yet, and is not refused.
std::string extents_check(const Stages &chain) {
    std::vector<std::string> extents = {"width", "height"};
    if (chain.transposed()) {
        std::swap(extents[0], extents[1]);
    }
    if (chain.dimensions() == 2 && chain.output().channels > 1) {
        extents[0] = std::to_string(chain.output().channels) + " * " + extents[0];
    }
    std::string differs = "output->dimensions != " + std::to_string(chain.dimensions());
    for (int d = 0; d < std::min(2, chain.dimensions()); d++) {
        differs += " || output->dim[" + std::to_string(d) + "].extent != " + extents[(size_t)d];
    }
    return "    if (output && (output->host || output->device) && (" + differs +
           ")) {\n        return halide_error_code_constraint_violated;\n    }\n";
}

}  // namespace

std::string pipeline_header(const PipelineRequest &request) {
    const Stages chain = request.chain();
    const HeaderShape shape(chain);
    std::ostringstream o;
    write_c_functions(o, request, chain);
    o << "#ifdef __cplusplus\n}\n\n#if __has_include(<HalideBuffer.h>)\n#include <HalideBuffer.h>\n#include "
         "<type_traits>\n\n"
      << "// The same, typed: " << c_type(shape.in.element) << ", " << shape.in_dimensions
      << " dimensions, and " << c_type(shape.out.element) << ", " << shape.out_dimensions
      << (shape.input_rows || shape.out_dimensions == 3 ? "; colours are interleaved" : "") << ".\n";
    if (shape.input_rows || shape.output_rows) {
        write_interleaved_rows(o);
    }
    for (const std::string &backend : request.backends) {
        write_typed_function(o, request.name + "_" + backend, shape);
    }
    o << "#endif\n\n#if !defined(TILEWRIGHT_PIPELINE_STANDALONE) && __has_include(<tilewright/generated.h>)\n"
      << "#include <tilewright/generated.h>\n\n"
      << "// The same as an operator: it checks type and shape, makes `output` if it is empty, and runs on "
         "the "
         "device of\n// the call, or the best one that this was made for. The call's layout says which axes "
         "count images. Errors:\n// tilewright::Error (usage, input, device, memory).\n"
      << "void " << request.name
      << "(const tilewright::Array &image, tilewright::Array &output, const tilewright::Call &call = {});\n"
      << "namespace tilewright {\nconst Operator &" << request.name << "_operator();\n}\n"
      << "#endif\n#endif\n";
    return o.str();
}

std::string pipeline_functions(const PipelineRequest &request) {
    const Stages chain = request.chain();
    std::ostringstream o;
    o << "// Made by pipeline.generator.\n#include <HalideRuntime.h>\n\nextern \"C\" {\n\n";
    for (const std::string &backend : request.backends) {
        const Sizes s = chain.sizes(stage_target(request, backend, true));
        const std::string any = request.function(backend, false), large = request.function(backend, true);
        for (const std::string &function : {any, large}) {
            o << "int " << function << "(halide_buffer_t *, halide_buffer_t *);\n";
        }
        o << "\nint " << request.name << "_" << backend
          << "(halide_buffer_t *input, halide_buffer_t *output) {\n"
          << "    if (!input || input->dimensions != 2) {\n        return " << any
          << "(input, output);  // it says what is wrong\n    }\n"
          << "    const long long width = input->dim[0].extent / " << chain.input().channels
          << ", height = input->dim[1].extent;\n"
          << extents_check(chain) << "    const bool large = width >= " << s.least_width
          << " && width <= " << s.most_width << " && height >= " << s.least_height
          << " && height <= " << s.most_height << ";\n    return large ? " << large
          << "(input, output) : " << any << "(input, output);\n}\n\n";
    }
    o << "}\n";
    return o.str();
}

std::string pipeline_runtime_functions(const PipelineRequest &request) {
    const Stages chain = request.chain();
    const Shape in = chain.input(), out = chain.output();
    const std::string number = std::to_string(halide_capability(request.capability));
    const bool has_cuda = std::count(request.backends.begin(), request.backends.end(), "cuda") > 0;
    std::ostringstream declarations, entries;
    for (const std::string &backend : request.backends) {
        for (const bool large : {true, false}) {
            const std::string f = request.function(backend, large);
            const Sizes s = large ? chain.sizes(stage_target(request, backend, true)) : Sizes{};
            declarations << "int " << f << "_argv(void **);\nconst halide_filter_metadata_t *" << f
                         << "_metadata();\n";
            entries << "        generated_variant(\"" << request.name << "\", \"" << request.schedule
                    << (large ? "_large" : "") << "\", \"" << request.type << "\", Backend::" << backend
                    << ", " << f << "_argv, " << f << "_metadata"
                    << ", {" << (backend == "cuda" ? ".capability = " + number : "")
                    << (backend == "opencl" && in.element == "f64" ? ".fp64 = true" : "")
                    << "},\n            {{\"width\", " << s.least_width << ", " << s.most_width
                    << ", true}, {\"height\", " << s.least_height << ", " << s.most_height << ", true}}),\n";
        }
    }
    std::ostringstream o;
    o << "// Made by pipeline.generator.\n#include \"" << request.name
      << ".h\"\n#include <tilewright/generated.h>\n\nextern \"C\" {\n"
      << declarations.str() << "}\n\nnamespace tilewright {\n\n"
      << (has_cuda ? "[[maybe_unused]] static const bool said = cuda_libraries_from(" + number + ");\n\n" :
                     "")
      << "// Never destroyed: other threads may call while the program ends.\nconst Operator &"
      << request.name << "_operator() {\n    static const Operator &made = *generated_operator({\""
      << request.name << "\", \"" << chain.text() << "\", \"" << request.type
      << "\",\n        Type::" << in.element << ", " << in.channels << ", Type::" << out.element << ", "
      << (out.vector ? "true" : "false") << ", " << (chain.transposed() ? "true" : "false") << ", {\n"
      << entries.str() << "    }}).release();\n    return made;\n}\n\n}  // namespace tilewright\n\nvoid "
      << request.name
      << "(const tilewright::Array &image, tilewright::Array &output, const tilewright::Call &call) {\n"
      << "    tilewright::" << request.name << "_operator()({&image, 1}, output, {}, call);\n}\n";
    return o.str();
}

}  // namespace tilewright
