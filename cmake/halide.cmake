# Finds Halide (the wheel `halide==21.0.0`), and makes what all operators share of it.
set(TILEWRIGHT_HALIDE_VERSION 21.0.0)
set(TILEWRIGHT_HALIDE "" CACHE PATH "The folder of the Halide wheel (holds include/ and lib64/); empty: asks Python3_EXECUTABLE")

find_package(Python3 COMPONENTS Interpreter REQUIRED)
if (NOT TILEWRIGHT_HALIDE)
    execute_process(
        COMMAND ${Python3_EXECUTABLE} -c "import importlib.util as u; print(u.find_spec('halide').submodule_search_locations[0])"
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if (NOT found)
        message(FATAL_ERROR "Halide was not found. `pip install halide==${TILEWRIGHT_HALIDE_VERSION}` into ${Python3_EXECUTABLE}, "
            "or set TILEWRIGHT_HALIDE to the wheel's folder. `./dev setup` does all of it.")
    endif ()
    set_property(CACHE TILEWRIGHT_HALIDE PROPERTY VALUE ${found})
endif ()
file(STRINGS ${TILEWRIGHT_HALIDE}/include/HalideRuntime.h version REGEX "define HALIDE_VERSION_(MAJOR|MINOR|PATCH)")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
string(REPLACE ";" "." version "${version}")
if (NOT version STREQUAL TILEWRIGHT_HALIDE_VERSION)
    message(FATAL_ERROR "Halide ${version} in ${TILEWRIGHT_HALIDE}; the schedules are made and measured for ${TILEWRIGHT_HALIDE_VERSION}.")
endif ()

# Halide.h takes seconds to read: it is precompiled once for all generators.
add_library(tilewright_halide SHARED IMPORTED)
set_target_properties(tilewright_halide PROPERTIES
    IMPORTED_LOCATION ${TILEWRIGHT_HALIDE}/lib64/libHalide.so
    INTERFACE_INCLUDE_DIRECTORIES ${TILEWRIGHT_HALIDE}/include
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${TILEWRIGHT_HALIDE}/include)
set(TILEWRIGHT_HALIDE_INCLUDE ${CMAKE_BINARY_DIR}/halide_runtime_headers)
file(GLOB runtime_headers ${TILEWRIGHT_HALIDE}/include/HalideRuntime*.h)
file(COPY ${runtime_headers} DESTINATION ${TILEWRIGHT_HALIDE_INCLUDE})

add_library(tilewright_generator_main OBJECT generators/main.cpp)
target_link_libraries(tilewright_generator_main PUBLIC tilewright_halide)
target_include_directories(tilewright_generator_main PUBLIC ${PROJECT_SOURCE_DIR})
target_compile_options(tilewright_generator_main PRIVATE -O1)
set_source_files_properties(generators/main.cpp PROPERTIES COMPILE_DEFINITIONS TILEWRIGHT_PLUGINS="${TILEWRIGHT_HALIDE}/lib64")
target_precompile_headers(tilewright_generator_main PRIVATE <Halide.h>)
set_target_properties(tilewright_generator_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # as the generators, which share the header

list(GET TILEWRIGHT_OPERATORS 0 first_operator)
set(TILEWRIGHT_HALIDE_RUNTIME ${CMAKE_BINARY_DIR}/halide_runtime.o)
add_custom_command(OUTPUT ${TILEWRIGHT_HALIDE_RUNTIME}
    COMMAND ${first_operator}.generator runtime ${CMAKE_BINARY_DIR}
    COMMENT "Halide's runtime" VERBATIM)
set_source_files_properties(${TILEWRIGHT_HALIDE_RUNTIME} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
