# Finds Halide (the wheel `halide==21.0.0`) and makes what all generator programs share of it. Our own tree
# and the package's component `Generators` use it, when they have found liblzma, which these programs need.
# TILEWRIGHT_SHARE is the folder that holds generators/ and schedules/. Sets TILEWRIGHT_NO_HALIDE to a
# sentence that says what is wrong, or to an empty string.
set(TILEWRIGHT_HALIDE_VERSION 21.0.0)
set(TILEWRIGHT_HALIDE "" CACHE PATH
    "The folder of the Halide wheel (holds include/ and lib64/); empty: asks Python3_EXECUTABLE")
set(TILEWRIGHT_NO_HALIDE "")

if (NOT TILEWRIGHT_HALIDE)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    if (Python3_Interpreter_FOUND)
        execute_process(
            COMMAND ${Python3_EXECUTABLE} -c
                "import importlib.util as u; print(u.find_spec('halide').submodule_search_locations[0])"
            OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif ()
    if (found)
        set_property(CACHE TILEWRIGHT_HALIDE PROPERTY VALUE ${found})
    endif ()
endif ()
if (NOT EXISTS ${TILEWRIGHT_HALIDE}/include/HalideRuntime.h)
    string(CONCAT TILEWRIGHT_NO_HALIDE
        "Halide was not found. `pip install halide==${TILEWRIGHT_HALIDE_VERSION}` into the Python that "
        "Python3_EXECUTABLE names (${Python3_EXECUTABLE}), "
        "or set TILEWRIGHT_HALIDE to the folder of the wheel.")
    return()
endif ()
file(STRINGS ${TILEWRIGHT_HALIDE}/include/HalideRuntime.h version
    REGEX "define HALIDE_VERSION_(MAJOR|MINOR|PATCH)")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
string(REPLACE ";" "." version "${version}")
if (NOT version STREQUAL TILEWRIGHT_HALIDE_VERSION)
    string(CONCAT TILEWRIGHT_NO_HALIDE
        "Halide ${version} is in ${TILEWRIGHT_HALIDE}; the schedules are made and measured for "
        "${TILEWRIGHT_HALIDE_VERSION}: `pip install halide==${TILEWRIGHT_HALIDE_VERSION}`.")
    return()
endif ()

# What programs include of Halide: not Halide.h itself.
set(TILEWRIGHT_HALIDE_INCLUDE ${CMAKE_BINARY_DIR}/halide_runtime_headers)
# Generator programs run for seconds, nearly all of them inside libHalide, so they are compiled without
# optimisation: the two files of an operator take 5 s of CPU time instead of 8. Halide's macros write the
# names of source files into them; these names must not be those of one machine.
set(TILEWRIGHT_GENERATOR_OPTIONS -O0 -U_FORTIFY_SOURCE
    "-ffile-prefix-map=${TILEWRIGHT_SHARE}/=")
# Halide and LLVM make many small objects: with jemalloc, where it is installed, they take 5 to 12 % less
# time.
find_library(TILEWRIGHT_JEMALLOC NAMES jemalloc libjemalloc.so.2)
mark_as_advanced(TILEWRIGHT_JEMALLOC)
if (TARGET tilewright_halide)
    return()
endif ()

# Halide.h takes seconds to read: it is precompiled once for all generators.
add_library(tilewright_halide SHARED IMPORTED GLOBAL)
set_target_properties(tilewright_halide PROPERTIES
    IMPORTED_LOCATION ${TILEWRIGHT_HALIDE}/lib64/libHalide.so
    INTERFACE_INCLUDE_DIRECTORIES ${TILEWRIGHT_HALIDE}/include
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${TILEWRIGHT_HALIDE}/include)
file(GLOB runtime_headers
    ${TILEWRIGHT_HALIDE}/include/HalideRuntime*.h ${TILEWRIGHT_HALIDE}/include/HalideBuffer.h)
file(COPY ${runtime_headers} DESTINATION ${TILEWRIGHT_HALIDE_INCLUDE})

# For programs that contain Halide: Halide is not instrumented, and a sanitizer reports false errors for data
# that passes between instrumented and other code.
function(tilewright_without_sanitizers target)
    if (TILEWRIGHT_SANITIZE)
        target_compile_options(${target} PRIVATE -fno-sanitize=all)
        target_link_options(${target} PRIVATE -fno-sanitize=all)
    endif ()
endfunction()

# The command line that all generator programs of operators have. Our own tree compiles it; the package brings
# all of it but the main function, so that a project compiles its own generators and nothing else.
set(parts
    generators/program/accesses/lanes generators/program/accesses/warp_accesses
    generators/program/cpp_output generators/program/errors/error_codes
    generators/program/errors/printed_errors generators/program/libraries/build
    generators/program/libraries/child_process generators/program/libraries/cubins
    generators/program/libraries/host_side
    generators/program/libraries/kernel_limits generators/program/libraries/kernel_needs
    generators/program/libraries/kernel_packing generators/program/libraries/kernel_ptx
    generators/program/libraries/kernel_texts
    generators/program/libraries/library generators/program/library_selection generators/program/program
    generators/program/show schedules/passes/half_storage
    schedules/passes/native_functions schedules/passes/thread_folds schedules/passes/whole_registers
    schedules/schedule)
if (TILEWRIGHT_GENERATOR_ARCHIVE)
    set(parts "")
    add_library(tilewright_generator STATIC IMPORTED GLOBAL)
    set_target_properties(tilewright_generator PROPERTIES IMPORTED_LOCATION ${TILEWRIGHT_GENERATOR_ARCHIVE})
endif ()
list(APPEND parts generators/program/main)
list(TRANSFORM parts PREPEND ${TILEWRIGHT_SHARE}/)
list(TRANSFORM parts APPEND .cpp)
add_library(tilewright_generator_main OBJECT EXCLUDE_FROM_ALL ${parts})
if (NOT TILEWRIGHT_GENERATOR_ARCHIVE)
    add_library(tilewright_generator STATIC $<TARGET_OBJECTS:tilewright_generator_main>)
endif ()
target_link_libraries(tilewright_generator_main PUBLIC tilewright_halide LibLZMA::LibLZMA)
target_link_libraries(tilewright_generator INTERFACE LibLZMA::LibLZMA)
target_include_directories(tilewright_generator_main PUBLIC ${TILEWRIGHT_SHARE})
target_compile_features(tilewright_generator_main PUBLIC cxx_std_20)
target_compile_options(tilewright_generator_main PRIVATE ${TILEWRIGHT_GENERATOR_OPTIONS})
tilewright_without_sanitizers(tilewright_generator_main)
# The files by which the generator program changes what Halide makes: when one of them changes, all libraries
# are made again.
set(passes "")
foreach (file generators/algorithms/tensor_product.h generators/algorithms/tensor_text.h
    generators/algorithms/tensor_copies.h generators/algorithms/tensor_bulk.h
    generators/algorithms/tensor_bulk_sums.h
    generators/algorithms/text_lines.h generators/algorithms/next_block.h
    generators/algorithms/block_clusters.h generators/algorithms/word_pairs.h
    generators/algorithms/passing_words.h
    generators/algorithms/module_text.h
    generators/program/libraries/kernel_texts.cpp
    generators/algorithms/kernel_arguments.h generators/program/libraries/host_side.cpp
    generators/program/libraries/library.cpp generators/program/targets.h
    generators/program/libraries/kernel_needs.cpp
    generators/program/libraries/kernel_limits.cpp generators/program/libraries/kernel_ptx.cpp
    schedules/passes/half_storage.cpp schedules/passes/loads_ahead.h
    schedules/passes/native_functions.cpp schedules/passes/own_memory.h schedules/passes/own_registers.h
    schedules/passes/thread_folds.cpp schedules/passes/whole_registers.cpp)
    file(SHA256 ${TILEWRIGHT_SHARE}/${file} hash)
    string(APPEND passes ${hash})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TILEWRIGHT_SHARE}/${file})
endforeach ()
string(SHA256 passes ${passes})
# Projects of users compile the main function themselves.
set_source_files_properties(${TILEWRIGHT_SHARE}/generators/program/main.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
# It reads megabytes, and does not include Halide.
set_source_files_properties(${TILEWRIGHT_SHARE}/generators/program/libraries/kernel_packing.cpp PROPERTIES
    COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_DEFINITIONS TILEWRIGHT_SMALL_TEXTS=$<IF:$<BOOL:${TILEWRIGHT_SMALL_TEXTS}>,true,false>)
# On the source, because the generators share the precompiled header.
set_source_files_properties(${TILEWRIGHT_SHARE}/generators/program/libraries/library.cpp PROPERTIES
    COMPILE_DEFINITIONS TILEWRIGHT_PASSES=\"${passes}\")
target_precompile_headers(tilewright_generator_main PRIVATE <Halide.h>)
# The same properties as the generators', because they share the precompiled header. The files are compiled
# together: in two groups they take 18.8 s of CPU time in place of 11.
set_target_properties(tilewright_generator_main PROPERTIES UNITY_BUILD_BATCH_SIZE 24
    POSITION_INDEPENDENT_CODE OFF CXX_EXTENSIONS OFF CXX_SCAN_FOR_MODULES OFF)
