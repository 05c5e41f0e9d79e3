# What find_package(Tilewright COMPONENTS Generators) gives: libraries and programs of a project's own.

# Writes FOLDER/NAME.h, the operator `op` with the variants of the library NAME.
function(tilewright_library_header name op folder)
    file(CONFIGURE OUTPUT ${folder}/${name}.h @ONLY CONTENT
        [[// Made by tilewright_add_library: @op@ with the variants of the library @name@.
#pragma once
#include "tilewright/operator.h"

namespace tilewright {

const Operator &@op@_operator();
const std::vector<Variant> &@name@_variants();

}  // namespace tilewright

// As tilewright::@op@ (see tilewright/@op@.h: shapes, types, errors), by the variants of this library.
// Without `call.schedule` the first variant runs that accepts the data.
inline void @name@(const std::vector<tilewright::Array> &inputs, tilewright::Array &output,
                   const tilewright::Settings &settings = {}, tilewright::Call call = {}) {
    call.schedule = call.schedule == tilewright::Call{}.schedule ? "@name@" : call.schedule;
    call.variants = &tilewright::@name@_variants();
    tilewright::@op@_operator()(inputs, output, settings, call);
}
]])
endfunction()

# tilewright_add_library(NAME OPERATOR op [SCHEDULE names] [TYPES types] [TARGETS cpu cuda opencl sm_NN]
#                        [TUNABLES tile=32 across=4,8,16 ...] [SCHEDULES file.cpp]
#                        [EMIT stmt_html ptx opencl_c assembly])
#
# Makes libraries of one operator at build time: a static library NAME, and two headers in its include path.
# SCHEDULE, TYPES and TUNABLES are checked against the table when the library is built.
#   SCHEDULE   which of the variants: names of schedules, or of their families ("tuned"); without it, all
#   TYPES      which element types, as `tilewright list OP` names them; without it, all
#   TARGETS    cpu, cuda, opencl; without it, the targets that the package was built for. sm_NN is the compute
#              capability of the oldest CUDA devices that are served (sm_75: 7.5), from sm_30 on; without it,
#              TILEWRIGHT_CUDA_CAPABILITY. Halide 21 writes code up to sm_86, which newer devices run
#   TUNABLES   values in place of the variants' own, `tile=32`, or several, `across=4,8,16 down=4,8`: then
#              each combination is a variant of the library, called VARIANT_across4_down4 and so on. A chosen
#              variant uses a value if it has the tunable and the value is in its range; the other variants
#              keep their own. A value that no variant uses is refused, and so is one that makes a kernel that
#              no device runs
#   SCHEDULES  a file of the project's own, in place of the package's schedules of the operator: schedule
#              functions and the table of their variants, like schedules/*.cpp of the package
#   EMIT       keeps what Halide made beside the libraries, in the folder that the target's property
#              TILEWRIGHT_FOLDER names: stmt_html (loop nests), ptx, opencl_c (kernel sources), assembly
# NAME.h            NAME(inputs, output, settings, call): the operator with these variants, with the runtime's
#                   arrays and errors; and tilewright::NAME_variants(), the variants themselves
# NAME_functions.h  each library's function, for Halide::Runtime::Buffer; it needs Halide's headers, and
#                   nothing of our runtime.
# C programs include NAME_SCHEDULE_TYPE_TARGET.h, which Halide writes.
function(tilewright_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "OPERATOR" "SCHEDULE;TYPES;TARGETS;TUNABLES;SCHEDULES;EMIT")
    set(usage "tilewright_add_library(${name})")
    tilewright_check_call("${usage}" "${name}"
        "OPERATOR, SCHEDULE, TYPES, TARGETS, TUNABLES, SCHEDULES and EMIT")
    tilewright_check_words("${usage}" OPERATOR "${TILEWRIGHT_OPERATORS}" "${arg_OPERATOR}")
    if (name IN_LIST TILEWRIGHT_OPERATORS)
        message(FATAL_ERROR "${usage}: that is the name of an operator; take another")
    endif ()

    set(op ${arg_OPERATOR})
    if (arg_SCHEDULES)
        get_filename_component(table ${arg_SCHEDULES} ABSOLUTE)
        if (NOT EXISTS ${table})
            message(FATAL_ERROR "${usage}: SCHEDULES ${table}: there is no such file")
        endif ()
        set(generator ${name}.generator)
    else ()
        set(table ${TILEWRIGHT_SHARE}/schedules/${op}.cpp)
        set(generator ${op}.generator)
    endif ()
    if (NOT TARGET ${generator})
        tilewright_add_generator(${generator} ${TILEWRIGHT_SHARE}/generators/${op}.cpp ${table})
    endif ()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
    tilewright_libraries(${name}
        GENERATOR ${generator}
        OPERATOR ${op}
        FOLDER ${folder}
        TARGETS ${arg_TARGETS}
        CAPABILITY ${capability}
        SCHEDULES ${arg_SCHEDULE}
        TYPES ${arg_TYPES}
        TUNABLES ${arg_TUNABLES}
        EMIT c_header ${arg_EMIT})

    add_custom_command(OUTPUT ${folder}/${name}_functions.h
        COMMAND ${generator} functions ${folder}/${name}_functions.h ${SELECTION}
        DEPENDS ${generator} COMMENT "Functions of ${name}" VERBATIM)
    tilewright_library_header(${name} ${op} ${folder})
    add_library(${name} STATIC ${TABLE_CPP} ${LISTS_CPP} ${folder}/${name}_functions.h)
    set_target_properties(${name} PROPERTIES
        TILEWRIGHT_FOLDER ${folder} POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF)
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_include_directories(${name} PUBLIC ${folder})
    target_include_directories(${name} SYSTEM PUBLIC ${TILEWRIGHT_HALIDE_INCLUDE})
    target_link_libraries(${name} PUBLIC Tilewright::${op})
    tilewright_merge(${name} ${folder} ${ARCHIVES})
endfunction()

# What the command line needs to have an operator of the project: appended to the caller's lists of
# declarations, additions, sources and operators.
function(tilewright_take_operator program op)
    if (NOT TARGET Tilewright::${op} OR op IN_LIST TILEWRIGHT_OPERATORS)
        message(FATAL_ERROR "tilewright_add_program(${program}): "
            "there is no operator '${op}' of this project; "
            "tilewright_add_operator and tilewright_add_pipeline make them")
    endif ()
    list(APPEND operators Tilewright::${op})
    string(APPEND declarations "const Operator &${op}_operator();\n")
    string(APPEND additions "    add_operator(${op}_operator);\n")
    get_target_property(plain Tilewright::${op} TILEWRIGHT_PLAIN)
    if (plain)
        string(APPEND declarations "namespace plain {\n"
            "Array ${op}(std::span<const Array> inputs, const Settings &settings, Backend backend);\n"
            "}\n")
        string(APPEND additions "    add_plain_definition(\"${op}\", plain::${op});\n")
        list(APPEND sources ${plain})
    endif ()
    get_target_property(workload Tilewright::${op} TILEWRIGHT_WORKLOAD)
    if (workload)
        string(APPEND declarations "std::unique_ptr<Workload> ${op}_workload(const Operator &op);\n")
        string(APPEND additions "    add_workload(\"${op}\", ${op}_workload);\n")
        list(APPEND sources ${workload})
    endif ()
    foreach (list declarations additions sources operators)
        set(${list} "${${list}}" PARENT_SCOPE)
    endforeach ()
endfunction()

# tilewright_add_program(NAME [LIBRARIES name...] [OPERATORS name...]): the command line `tilewright`, with
# the variants of these libraries in the operators' tables, and with these operators of the project
# (tilewright_add_operator) beside the package's: `NAME verify`, `NAME bench`, `NAME list`, `NAME OP ...`
# treat them like the package's own. `--schedule LIBRARY` names the variants of one library.
function(tilewright_add_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;OPERATORS")
    set(declarations "")
    set(additions "")
    set(sources "")
    foreach (library IN LISTS arg_LIBRARIES)
        if (NOT TARGET ${library})
            message(FATAL_ERROR "tilewright_add_program(${name}): "
                "there is no library '${library}'; tilewright_add_library makes one")
        endif ()
        string(APPEND declarations "const std::vector<Variant> &${library}_variants();\n")
        string(APPEND additions "    add_variants(${library}_variants());\n")
    endforeach ()
    set(operators "")
    foreach (op IN LISTS arg_OPERATORS)
        tilewright_take_operator(${name} ${op})
    endforeach ()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_added.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[// Made by tilewright_add_program.
#include "tilewright/operator.h"
#include "tilewright/plain.h"
#include "tilewright/variant.h"
#include "tilewright/workload.h"

namespace tilewright {

@declarations@
[[maybe_unused]] static const bool added = [] {
@additions@    return true;
}();

}  // namespace tilewright
]=])
    # They are compiled while the libraries are made, which the program itself waits for.
    add_library(${name}_added OBJECT ${source} ${sources})
    set_target_properties(${name}_added PROPERTIES CXX_SCAN_FOR_MODULES OFF)
    target_compile_features(${name}_added PRIVATE cxx_std_20)
    target_include_directories(${name}_added PRIVATE ${TILEWRIGHT_SHARE})
    target_link_libraries(${name}_added PRIVATE Tilewright::app)
    add_executable(${name} $<TARGET_OBJECTS:${name}_added>)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${name} PRIVATE Tilewright::app ${arg_LIBRARIES} ${operators} Tilewright::operators)
endfunction()
