# tilewright_add_operator(OP): the generator program of an operator, the libraries of its table (schedules/OP.cpp) for each target, and its
# archive Tilewright::OP with the front and all of them.
function(tilewright_add_operator op)
    foreach (file generators/${op}.cpp schedules/${op}.cpp runtime/operators/${op}/${op}.cpp)
        if (NOT EXISTS ${PROJECT_SOURCE_DIR}/${file})
            message(FATAL_ERROR "operator ${op}: ${file} is missing (docs/EXTENDING.md lists the files of an operator)")
        endif ()
    endforeach ()
    tilewright_add_generator(${op}.generator generators/${op}.cpp schedules/${op}.cpp)
    set(folder ${CMAKE_BINARY_DIR}/libraries/${op})
    tilewright_libraries(${op} GENERATOR ${op}.generator OPERATOR ${op} FOLDER ${folder} TARGETS ${TILEWRIGHT_TARGETS} EMIT ptx)

    # One archive holds the front, the numbers that it shares with the generator, the table and every row's objects.
    file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/operators/${op}/*.cpp ${PROJECT_SOURCE_DIR}/generators/algorithms/${op}/*.cpp)
    list(FILTER parts EXCLUDE REGEX "/workload[a-z_]*[.]cpp$")  # cmake/workloads.cmake
    add_library(tilewright_${op} STATIC ${parts} ${TABLE_CPP})
    add_library(Tilewright::${op} ALIAS tilewright_${op})
    set_target_properties(tilewright_${op} PROPERTIES EXPORT_NAME ${op})
    target_include_directories(tilewright_${op} PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
    target_link_libraries(tilewright_${op} PUBLIC tilewright_runtime PRIVATE $<BUILD_LOCAL_INTERFACE:tilewright_fmt>)
    tilewright_precompile(tilewright_${op} runtime)
    tilewright_merge(tilewright_${op} ${folder} ${ARCHIVES})

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
    static const auto &all = *new std::vector<const Operator *>{  // never destroyed: other threads may call while the program ends
@entries@    };
    return all;
}

}  // namespace tilewright
]])
    add_library(tilewright_operators STATIC ${CMAKE_BINARY_DIR}/registry.cpp ${PROJECT_SOURCE_DIR}/runtime/dispatch/find_operator.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipeline.cpp ${PROJECT_SOURCE_DIR}/runtime/dispatch/pipeline_text.cpp)
    add_library(Tilewright::operators ALIAS tilewright_operators)
    set_target_properties(tilewright_operators PROPERTIES EXPORT_NAME operators)
    list(TRANSFORM added PREPEND tilewright_)
    target_link_libraries(tilewright_operators PUBLIC ${added} tilewright_runtime PRIVATE $<BUILD_LOCAL_INTERFACE:tilewright_fmt>)
    tilewright_precompile(tilewright_operators runtime)
endfunction()
