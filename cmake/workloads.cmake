# The workloads of the operators that were built: data, sizes, error bounds. runtime/operators/OP/workload.cpp
# defines std::unique_ptr<Workload> tilewright::OP_workload(const Operator &op); an operator without that file
# has random images. The command line and the tests link them; programs that only call operators do not.
get_property(operators GLOBAL PROPERTY TILEWRIGHT_ADDED)
set(sources "")
set(declarations "")
set(entries "")
foreach (op IN LISTS operators)
    set(source ${PROJECT_SOURCE_DIR}/runtime/operators/${op}/workload.cpp)
    if (EXISTS ${source})
        file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/operators/${op}/workload*.cpp)
        list(APPEND sources ${parts})
        string(APPEND declarations "std::unique_ptr<Workload> ${op}_workload(const Operator &op);\n")
        string(APPEND entries "        {\"${op}\", ${op}_workload},\n")
    endif ()
endforeach ()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/workloads.cpp @ONLY CONTENT [[// Made by cmake/workloads.cmake.
#include "tilewright/workload.h"
#include <map>

namespace tilewright {

@declarations@
const std::map<std::string, MakeWorkload> &built_workloads() {
    // Never destroyed: other threads may call while the program ends.
    static const auto &all = *new std::map<std::string, MakeWorkload>{
@entries@    };
    return all;
}

}  // namespace tilewright
]])
list(APPEND sources
    runtime/workloads/difference.cpp runtime/workloads/image_workload.cpp runtime/workloads/random.cpp
    runtime/workloads/workload.cpp)
add_library(tilewright_workloads STATIC ${sources} ${CMAKE_BINARY_DIR}/workloads.cpp)
add_library(Tilewright::workloads ALIAS tilewright_workloads)
set_target_properties(tilewright_workloads PROPERTIES EXPORT_NAME workloads UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(tilewright_workloads PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
# Workloads share numbers with their fronts; the linker takes only what they use.
list(TRANSFORM operators PREPEND tilewright_ OUTPUT_VARIABLE archives)
target_link_libraries(tilewright_workloads
    PUBLIC ${archives} tilewright_runtime
    PRIVATE $<BUILD_LOCAL_INTERFACE:tilewright_fmt>)
tilewright_precompile(tilewright_workloads runtime)
