# tilewright_add_own_operator(OP): an operator of our own tree, by its name only. docs/EXTENDING.md lists its
# files.
function(tilewright_add_own_operator op)
    foreach (file generators/${op}.cpp schedules/${op}.cpp runtime/operators/${op}/${op}.cpp)
        if (NOT EXISTS ${PROJECT_SOURCE_DIR}/${file})
            message(FATAL_ERROR "operator ${op}: ${file} is missing "
                "(docs/EXTENDING.md lists the files of an operator)")
        endif ()
    endforeach ()
    # The front, and the numbers that it shares with the generator. cmake/workloads.cmake takes the workloads.
    file(GLOB parts CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/runtime/operators/${op}/*.cpp
        ${PROJECT_SOURCE_DIR}/generators/algorithms/${op}/*.cpp)
    list(FILTER parts EXCLUDE REGEX "/workload[a-z_]*[.]cpp$")
    tilewright_add_operator(${op}
        GENERATOR generators/${op}.cpp
        SCHEDULES schedules/${op}.cpp
        FRONT ${parts}
        EMIT ptx)
    # Where the operator's generator program compiles the table apart, programs that compose operators take
    # that object (pipeline.cmake).
    if (NOT TILEWRIGHT_GENERATORS)
        get_target_property(together ${op}.generator UNITY_BUILD)
        if (NOT together)
            set_property(GLOBAL PROPERTY TILEWRIGHT_TABLE_OF_${op}
                $<FILTER:$<TARGET_OBJECTS:${op}.generator>,INCLUDE,/schedules/>)
        endif ()
    endif ()
    target_link_libraries(tilewright_${op}_front PRIVATE tilewright_fmt)
    tilewright_precompile(tilewright_${op}_front runtime)
    foreach (part "" _cpu _cuda _opencl)
        if (TARGET tilewright_${op}${part})
            target_compile_options(tilewright_${op}${part} PRIVATE ${TILEWRIGHT_OPTIONS_runtime})
            tilewright_precompile_table(tilewright_${op}${part})
        endif ()
    endforeach ()
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_ADDED ${op})
endfunction()

# Most of the time of compiling a table is that of reading the header that it includes, which is therefore
# precompiled, with the options that tables have (generators.cmake). tilewright_precompile says when not.
function(tilewright_precompile_table target)
    if (TILEWRIGHT_WERROR)
        return()
    endif ()
    get_target_property(files ${target} SOURCES)
    list(FILTER files INCLUDE REGEX "[.]cpp$")
    set_property(SOURCE ${files} PROPERTY SKIP_PRECOMPILE_HEADERS)  # OFF would skip them too
    target_compile_options(${target} PRIVATE "SHELL:-O0 -U_FORTIFY_SOURCE")
    get_property(first GLOBAL PROPERTY TILEWRIGHT_HEADER_OF_TABLES)
    if (first)
        target_precompile_headers(${target} REUSE_FROM ${first})
    else ()
        target_precompile_headers(${target} PRIVATE <tilewright/variant.h>)
        set_property(GLOBAL PROPERTY TILEWRIGHT_HEADER_OF_TABLES ${target})
    endif ()
endfunction()

# Tilewright::not_linked: for each target, the lists of the operators' libraries once more, without any.
# Programs that are linked without the libraries of a target take them from here. They are weak, because a
# program may link the libraries of one operator and not those of another.
function(tilewright_add_not_linked operators)
    set(sources "")
    foreach (target IN LISTS TILEWRIGHT_TARGETS)
        set(functions "")
        foreach (op IN LISTS operators)
            string(APPEND functions "[[gnu::weak]] "
                "std::span<const VariantLibrary> ${op}_${target}_libraries() {\n    return {};\n}\n")
        endforeach ()
        set(source ${CMAKE_BINARY_DIR}/no_${target}_libraries.cpp)
        file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[// Made by cmake/operators.cmake.
#include "tilewright/variant.h"

namespace tilewright {

@functions@
}  // namespace tilewright
]])
        list(APPEND sources ${source})
    endforeach ()
    add_library(tilewright_not_linked STATIC ${sources})
    set_target_properties(tilewright_not_linked PROPERTIES EXPORT_NAME not_linked UNITY_BUILD OFF)
    target_include_directories(tilewright_not_linked PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
endfunction()

# <tilewright/stages.h>: the stages of pipelines that have the names of the operators.
function(tilewright_write_stages header)
    set(functions "")
    foreach (op IN LISTS ARGN)
        string(APPEND functions "
    template<typename... Given>
    [[nodiscard]] Made ${op}(Given &&...given) const {
        return self().then(\"${op}\", std::forward<Given>(given)...);
    }
")
    endforeach ()
    file(CONFIGURE OUTPUT ${header} @ONLY CONTENT [[#pragma once
// Made by cmake/operators.cmake.
#include <utility>

namespace tilewright {

// For each operator that was built, the function that adds it to a pipeline as its next stage, with the
// values of its options: Pipeline().gaussian_blur(2) is Pipeline().then("gaussian_blur", 2).
template<typename Made>
class OperatorStages {
public:@functions@
private:
    const Made &self() const {
        return static_cast<const Made &>(*this);
    }
};

}  // namespace tilewright
]])
endfunction()

# tilewright_share_libraries(OP FROM): the tables of both operators have some variants in common (one_for in
# schedules/schedule.h). Their libraries are made with those of FROM, and copied for OP.
function(tilewright_share_libraries op from)
    get_property(added GLOBAL PROPERTY TILEWRIGHT_ADDED)
    if (NOT op IN_LIST added OR NOT from IN_LIST added OR TILEWRIGHT_GENERATORS)
        return()
    endif ()
    foreach (target IN LISTS TILEWRIGHT_TARGETS)
        foreach (name op from)
            get_target_property(folder tilewright_${${name}} TILEWRIGHT_FOLDER)
            set(list_of_${name} ${folder}/${${name}}_${target}.libraries)
        endforeach ()
        add_custom_command(OUTPUT ${list_of_op} DEPENDS ${list_of_from} APPEND)
    endforeach ()
endfunction()

# The registry of the operators that were added: Tilewright::operators.
function(tilewright_finish_operators)
    tilewright_share_libraries(fresnel fft2d)
    get_property(added GLOBAL PROPERTY TILEWRIGHT_ADDED)
    tilewright_write_stages(${CMAKE_BINARY_DIR}/include/tilewright/stages.h ${added})
    set(declarations "")
    set(entries "")
    foreach (op IN LISTS added)
        string(APPEND declarations "const Operator &${op}_operator();\n")
        string(APPEND entries "        &${op}_operator(),\n")
    endforeach ()
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/registry.cpp @ONLY CONTENT [[// Made by cmake/operators.cmake.
#include "tilewright/operator.h"

namespace tilewright {

@declarations@
const std::vector<const Operator *> &operators() {
    // Never destroyed: other threads may call while the program ends.
    static const auto &all = *new std::vector<const Operator *>(with_added_operators({
@entries@    }));
    return all;
}

}  // namespace tilewright
]])
    add_library(tilewright_operators STATIC
        ${CMAKE_BINARY_DIR}/registry.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/find_operator.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipelines/band_scratch.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipelines/band_segments.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipelines/bands.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipelines/pipeline.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipelines/pipeline_text.cpp)
    add_library(Tilewright::operators ALIAS tilewright_operators)
    set_target_properties(tilewright_operators PROPERTIES EXPORT_NAME operators)
    tilewright_compile_singly(tilewright_operators)
    target_include_directories(tilewright_operators PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
    tilewright_add_not_linked("${added}")
    list(TRANSFORM added PREPEND tilewright_)
    target_link_libraries(tilewright_operators
        PUBLIC ${added} tilewright_runtime
        PRIVATE $<BUILD_LOCAL_INTERFACE:tilewright_fmt>)
    tilewright_precompile(tilewright_operators runtime)
endfunction()
