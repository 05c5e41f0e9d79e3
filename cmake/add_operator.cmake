# tilewright_add_operator(OP): the generator program of an operator, one library for each row, type and target of its table
# (schedules/OP.cpp), the front, and the test.
#
# The rows are read from the table's text, so that a new row is nothing but a new row. The generator, which has the table
# itself, writes the runtime's copy of it: a row that this text reading missed is then an unresolved symbol.
function(tilewright_add_operator op)
    foreach (file generators/${op}.cpp schedules/${op}.cpp runtime/operators/${op}.cpp)
        if (NOT EXISTS ${PROJECT_SOURCE_DIR}/${file})
            message(FATAL_ERROR "operator ${op}: ${file} is missing (docs/EXTENDING.md lists the files of an operator)")
        endif ()
    endforeach ()
    add_executable(${op}.generator generators/${op}.cpp schedules/${op}.cpp $<TARGET_OBJECTS:tilewright_generator_main>)
    target_link_libraries(${op}.generator PRIVATE tilewright_halide)
    target_include_directories(${op}.generator PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(${op}.generator PRIVATE -O1)
    target_precompile_headers(${op}.generator REUSE_FROM tilewright_generator_main)
    set_target_properties(${op}.generator PROPERTIES POSITION_INDEPENDENT_CODE OFF)

    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schedules/${op}.cpp)
    set(row "(row|automatic<[A-Za-z0-9]+>)\\(\"([a-z0-9_]+)\", *(cpu|vnni|cuda|opencl|gpu), *\"([a-z0-9 ]+)\"")
    file(STRINGS ${PROJECT_SOURCE_DIR}/schedules/${op}.cpp lines REGEX "^ *${row}")
    if (NOT lines)
        message(FATAL_ERROR "schedules/${op}.cpp has no table of rows")
    endif ()
    set(folder ${CMAKE_BINARY_DIR}/libraries/${op})
    file(MAKE_DIRECTORY ${folder})
    set(archives "")
    set(ptx "")
    foreach (line IN LISTS lines)
        string(REGEX MATCH "${row}" _ "${line}")
        set(schedule ${CMAKE_MATCH_2})
        set(backends ${CMAKE_MATCH_3})
        string(REPLACE " " ";" types "${CMAKE_MATCH_4}")
        if (backends STREQUAL gpu)
            set(backends cuda opencl)
        endif ()
        foreach (backend IN LISTS backends)
            string(REPLACE vnni cpu target ${backend})
            if (NOT target IN_LIST TILEWRIGHT_TARGETS)
                continue()
            endif ()
            foreach (type IN LISTS types)
                set(library ${op}_${schedule}_${type}_${backend})
                set(made ${folder}/${library}.a)
                set(emit static_library)
                if (backend STREQUAL cuda)
                    list(APPEND ptx ${folder}/${library}.device_code)
                    list(APPEND made ${folder}/${library}.device_code)
                    set(emit static_library,device_code)
                endif ()
                add_custom_command(OUTPUT ${made}
                    COMMAND ${op}.generator build ${schedule} ${type} ${backend} ${folder} ${emit}
                    DEPENDS ${op}.generator COMMENT "Library ${library}" VERBATIM)
                list(APPEND archives ${folder}/${library}.a)
            endforeach ()
        endforeach ()
    endforeach ()

    set(backends ${TILEWRIGHT_TARGETS})
    if (cpu IN_LIST TILEWRIGHT_TARGETS)
        list(APPEND backends vnni)
    endif ()
    set(table ${folder}/${op}_table.cpp)
    add_custom_command(OUTPUT ${table} COMMAND ${op}.generator table ${table} ${backends}
        DEPENDS ${op}.generator COMMENT "Table of ${op}" VERBATIM)
    set_source_files_properties(${table} PROPERTIES OBJECT_DEPENDS "${archives}")

    # One archive holds the front, the table and every row's objects.
    file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/operators/${op}*.cpp)
    add_library(tilewright_${op} STATIC ${parts} ${table})
    add_library(Tilewright::${op} ALIAS tilewright_${op})
    set_target_properties(tilewright_${op} PROPERTIES EXPORT_NAME ${op})
    target_include_directories(tilewright_${op} PRIVATE ${PROJECT_SOURCE_DIR}/runtime ${TILEWRIGHT_HALIDE_INCLUDE})
    target_link_libraries(tilewright_${op} PUBLIC tilewright_runtime PRIVATE $<BUILD_LOCAL_INTERFACE:fmt::fmt-header-only>)
    list(JOIN archives "\nADDLIB " added)
    file(GENERATE OUTPUT ${folder}/merge.mri CONTENT "OPEN $<TARGET_FILE:tilewright_${op}>\nADDLIB ${added}\nSAVE\nEND\n")
    add_custom_command(TARGET tilewright_${op} POST_BUILD COMMAND ${CMAKE_AR} -M < ${folder}/merge.mri VERBATIM)

    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_PTX_${op} ${ptx})
    set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_ADDED ${op})
endfunction()

# The registry of the operators that were added: Tilewright::operators.
function(tilewright_finish_operators)
    get_property(added GLOBAL PROPERTY TILEWRIGHT_ADDED)
    set(declarations "")
    set(entries "")
    foreach (op IN LISTS added)
        string(APPEND declarations "const Operator &${op}_operator();\n")
        string(APPEND entries "        &${op}_operator(),\n")
    endforeach ()
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/registry.cpp @ONLY CONTENT [[// Made by cmake/add_operator.cmake.
#include "tilewright/operator.h"

namespace tilewright {

@declarations@
const std::vector<const Operator *> &operators() {
    static const std::vector<const Operator *> all = {
@entries@    };
    return all;
}

}  // namespace tilewright
]])
    add_library(tilewright_operators STATIC ${CMAKE_BINARY_DIR}/registry.cpp ${PROJECT_SOURCE_DIR}/runtime/find_operator.cpp)
    add_library(Tilewright::operators ALIAS tilewright_operators)
    set_target_properties(tilewright_operators PROPERTIES EXPORT_NAME operators)
    list(TRANSFORM added PREPEND tilewright_)
    target_link_libraries(tilewright_operators PUBLIC ${added} tilewright_runtime PRIVATE $<BUILD_LOCAL_INTERFACE:fmt::fmt-header-only>)
endfunction()
