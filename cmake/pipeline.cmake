# tilewright_add_pipeline(NAME STAGES "gaussian_blur sigma=2" "transpose" "column_sum" [TYPE u8]
#                         [SCHEDULE staged|fused] [TARGETS cpu cuda opencl sm_NN]
#                         [EMIT stmt_html ptx opencl_c assembly] [STANDALONE])
#
# Operators composed into one function when the project is built: a static library NAME, and in its include
# path the header NAME.h.
#   STAGES      the operators with their options, as `tilewright pipeline` writes them. Composable: invert,
#               gaussian_blur, transpose, column_sum, row_sum. When the library is built, each stage's input
#               is checked against the output of the stage before it
#   TYPE        the type of the input image: u8, u16, f16, bf16, f32 or f64, with x2, x3 or x4 for channels
#               (f32x3); rgb8, rgb16, rgba8 and rgba16 are other words for u8x3, u16x3, u8x4 and u16x4
#   SCHEDULE    staged: every stage by itself, with a schedule of its operator. fused: stages are computed
#               tile by tile where they are consumed. In both, data between kernels stays on the device
#   TARGETS     cpu, cuda, opencl; without it, the targets that the package was built for. sm_NN is the
#               compute capability of the oldest CUDA devices that are served, as for tilewright_add_library
#   EMIT        keeps what Halide made beside the libraries, in the folder that the target's property
#               TILEWRIGHT_FOLDER names
#   STANDALONE  links Halide's own runtime in place of Tilewright's: then there is no function for arrays
# NAME.h        int NAME_cpu(...), NAME_cuda, NAME_opencl for halide_buffer_t, and for Halide::Runtime::Buffer
#               where C++ includes it; and
#               void NAME(const tilewright::Array &image, tilewright::Array &output,
#                         const tilewright::Call & = {})
#               const tilewright::Operator &tilewright::NAME_operator()
#               tilewright_add_program(PROGRAM OPERATORS NAME) makes the command line with it
#
# Uses TILEWRIGHT_SHARE and TILEWRIGHT_HALIDE_INCLUDE as halide.cmake has them, and tilewright_merge of
# generators.cmake.

# Writes FOLDER/NAME_plain.cpp, with which `verify` and --check of programs compare results of a pipeline of
# integers: its operators one after another, which give the same bytes.
function(tilewright_pipeline_definition name stages folder)
    file(CONFIGURE OUTPUT ${folder}/${name}_plain.cpp @ONLY CONTENT
        [[// Made by tilewright_add_pipeline.
#include "tilewright/pipeline.h"
#include "tilewright/plain.h"

namespace tilewright::plain {

Array @name@(std::span<const Array> inputs, const Settings &, Backend) {
    Array output;
    Pipeline("@stages@")(inputs, output, {.device = Device{}});
    return output;
}

}  // namespace tilewright::plain
]])
endfunction()

# Makes a generator program that composes stages: the sources that all such programs share, and those given.
function(tilewright_stages_program target)
    set(parts generators/pipelines/pipeline generators/pipelines/fused generators/pipelines/stage
        generators/pipelines/stages/invert generators/pipelines/stages/transpose
        generators/pipelines/stages/gaussian_blur generators/pipelines/stages/sums
        generators/algorithms/gaussian_blur/weights generators/program/libraries/kernel_limits
        schedules/schedule schedules/pipelines/pipeline schedules/pipelines/stage_variants)
    set(tables "")
    set(objects "")
    foreach (op invert gaussian_blur transpose column_sum row_sum)
        get_property(object GLOBAL PROPERTY TILEWRIGHT_TABLE_OF_${op})
        if (object)
            list(APPEND objects ${object})
        else ()
            list(APPEND tables schedules/${op})
        endif ()
    endforeach ()
    foreach (files parts tables)
        list(TRANSFORM ${files} PREPEND ${TILEWRIGHT_SHARE}/)
        list(TRANSFORM ${files} APPEND .cpp)
    endforeach ()
    if (NOT TARGET tilewright_stages)
        add_library(tilewright_stages OBJECT EXCLUDE_FROM_ALL ${parts} ${tables})
        tilewright_uses_halide(tilewright_stages)
        # A project compiles the parts as one file, because each file reads the precompiled Halide.h for a
        # second. The tables of schedules use the same names.
        if (NOT DEFINED CMAKE_UNITY_BUILD)
            set_target_properties(tilewright_stages PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
        endif ()
        set_source_files_properties(${tables} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif ()
    add_executable(${target} EXCLUDE_FROM_ALL ${ARGN} $<TARGET_OBJECTS:tilewright_stages> ${objects})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    tilewright_uses_halide(${target})
endfunction()

# tilewright_add_stages_generator(TARGET SOURCES...): a generator program of a project's own, with Halide's
# own command line, whose generators compose stages by "generators/pipelines/pipeline.h".
function(tilewright_add_stages_generator target)
    tilewright_stages_program(${target} ${ARGN} ${TILEWRIGHT_SHARE}/generators/program/halide_main.cpp)
endfunction()

# The files that a pipeline's library for a backend becomes: the archive, and of the words of EMIT those that
# the backend has. Sets the variable `files` in the caller.
function(tilewright_pipeline_files files library backend)
    set(made ${library}.a)
    set(of_cpu stmt_html assembly)
    set(of_cuda ${of_cpu} ptx)
    set(of_opencl ${of_cpu} opencl_c)
    foreach (file stmt_html=.stmt.html assembly=.s ptx=.ptx opencl_c=.cl)
        string(REGEX MATCH "^([a-z_]+)=(.*)$" _ ${file})
        if (CMAKE_MATCH_1 IN_LIST ARGN AND CMAKE_MATCH_1 IN_LIST of_${backend})
            list(APPEND made ${library}${CMAKE_MATCH_2})
        endif ()
    endforeach ()
    set(${files} ${made} PARENT_SCOPE)
endfunction()

# One command per backend makes the archives of a pipeline; a pipeline has a library for any size and one for
# large images. Sets `archives` in the caller.
function(tilewright_pipeline_archives folder name emit)
    set(all "")
    foreach (backend IN LISTS arg_TARGETS)
        set(made "")
        foreach (variant any large)
            tilewright_pipeline_files(files ${folder}/${name}_${backend}_${variant} ${backend} ${arg_EMIT})
            list(APPEND made ${files})
            list(APPEND all ${folder}/${name}_${backend}_${variant}.a)
        endforeach ()
        add_custom_command(OUTPUT ${made}
            COMMAND pipeline.generator build ${folder} static_library,${emit} ${ARGN} backend=${backend}
            DEPENDS pipeline.generator COMMENT "Pipeline ${name} for ${backend}" VERBATIM)
    endforeach ()
    set(archives ${all} PARENT_SCOPE)
endfunction()

function(tilewright_add_pipeline name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "STANDALONE" "TYPE;SCHEDULE" "STAGES;TARGETS;EMIT")
    if (NOT arg_TYPE)
        set(arg_TYPE u8)
    endif ()
    if (NOT arg_SCHEDULE)
        set(arg_SCHEDULE staged)
    endif ()
    set(usage "tilewright_add_pipeline(${name})")
    tilewright_check_call("${usage}" "${name}" "STAGES, TYPE, SCHEDULE, TARGETS, EMIT and STANDALONE")
    if (NOT arg_STAGES)
        message(FATAL_ERROR "${usage}: STAGES is missing; "
            "write operators and their options, STAGES \"gaussian_blur sigma=2\" \"transpose\"")
    endif ()
    tilewright_check_words("${usage}" SCHEDULE "staged;fused" ${arg_SCHEDULE})
    if (NOT arg_TYPE MATCHES "^((u8|u16|f16|bf16|f32|f64)(x[2-4])?|rgba?(8|16))$")
        message(FATAL_ERROR "${usage}: TYPE ${arg_TYPE}: takes u8, u16, f16, bf16, f32 and f64, "
            "with x2, x3 or x4 for channels (f32x3), and rgb8, rgb16, rgba8 and rgba16")
    endif ()
    if (TARGET Tilewright::${name})
        message(FATAL_ERROR "${usage}: there is an operator of that name; take another")
    endif ()

    if (NOT TARGET pipeline.generator)
        set(folder ${TILEWRIGHT_SHARE}/generators/pipelines)
        tilewright_stages_program(pipeline.generator
            ${folder}/main.cpp ${folder}/request.cpp ${folder}/functions.cpp)
    endif ()
    list(JOIN arg_STAGES " | " stages)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
    file(MAKE_DIRECTORY ${folder})
    list(JOIN arg_EMIT "," emit)
    set(words name=${name} "stages=${stages}" type=${arg_TYPE} schedule=${arg_SCHEDULE}
        capability=${capability})
    tilewright_pipeline_archives(${folder} ${name} "${emit}" ${words})
    list(JOIN arg_TARGETS "," backends)
    set(sources ${folder}/${name}.h ${folder}/${name}.cpp ${folder}/${name}_runtime.cpp)
    add_custom_command(OUTPUT ${sources}
        COMMAND pipeline.generator functions ${folder} ${words} backend=${backends}
        DEPENDS pipeline.generator COMMENT "Functions of ${name}" VERBATIM)
    set_source_files_properties(${folder}/${name}.cpp PROPERTIES OBJECT_DEPENDS "${archives}")

    if (arg_STANDALONE)
        list(POP_BACK sources)
        tilewright_halide_runtime(pipeline.generator ${folder})
        list(APPEND sources ${folder}/halide_runtime.o)
    endif ()
    add_library(${name} STATIC ${sources})
    set_target_properties(${name} PROPERTIES
        TILEWRIGHT_FOLDER ${folder} POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF UNITY_BUILD OFF)
    target_include_directories(${name} PUBLIC ${folder} PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
    target_include_directories(${name} SYSTEM INTERFACE ${TILEWRIGHT_HALIDE_INCLUDE})
    if (arg_STANDALONE)
        find_package(Threads REQUIRED)
        target_link_libraries(${name} PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
        target_compile_definitions(${name} INTERFACE TILEWRIGHT_PIPELINE_STANDALONE)
    else ()
        target_compile_features(${name} PUBLIC cxx_std_20)
        target_link_libraries(${name} PUBLIC Tilewright::runtime)
        add_library(Tilewright::${name} ALIAS ${name})
        if (arg_TYPE MATCHES "^(u|rgb)")
            tilewright_pipeline_definition(${name} "${stages}" ${folder})
            set_target_properties(${name} PROPERTIES TILEWRIGHT_PLAIN ${folder}/${name}_plain.cpp)
        endif ()
    endif ()
    tilewright_merge(${name} ${folder} ${archives})
endfunction()
