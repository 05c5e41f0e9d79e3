# The library among other code of a process: its manners, calls from several threads at once, and forks.
tilewright_add_test(runtime/process/process_test WHOLE
    SOURCES forks_test.cpp manners_test.cpp threads_test.cpp
    LINK Tilewright::operators ${CMAKE_DL_LIBS} LABELS runtime)
target_include_directories(process_test PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
if (TARGET shared_invert)
    target_compile_definitions(process_test PRIVATE
        TILEWRIGHT_TESTS_SHARED="$<TARGET_FILE:shared_invert>")
    add_dependencies(process_test shared_invert)
endif ()
add_test(NAME build.manners COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM}
    "-DARCHIVES=$<TARGET_FILE:tilewright_runtime> $<TARGET_FILE:tilewright_operators>"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/build/manners_test.cmake)
set_tests_properties(build.manners PROPERTIES LABELS build)
# Our options are for Release builds, which are what is given away.
if (CMAKE_BUILD_TYPE STREQUAL "Release" AND TARGET tilewright AND TARGET shared_invert)
    set(files "$<TARGET_FILE:tilewright> $<TARGET_FILE:shared_invert>")
    if (TARGET tilewright_python)
        string(APPEND files " $<TARGET_FILE:tilewright_python>")
    endif ()
    add_test(NAME build.hardened COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} "-DFILES=${files}"
        -P ${CMAKE_CURRENT_SOURCE_DIR}/build/hardened_test.cmake)
    set_tests_properties(build.hardened PROPERTIES LABELS build)
endif ()

# Many calls of every operator. ctest makes few of them, which shows wrong results and memory that grows much
# with each call. What the allocator keeps for eight threads differs from run to run, hence 16 MiB.
# ./dev long-life makes 10,000 calls per operator, and allows 1 %.
add_executable(long_life runtime/process/long_life.cpp)
target_link_libraries(long_life PRIVATE
    tilewright_test_support Tilewright::operators Tilewright::workloads Tilewright::runtime ${CMAKE_DL_LIBS})
target_compile_options(long_life PRIVATE ${TILEWRIGHT_SMALL_CODE})
tilewright_build_for(long_life runtime)
add_test(NAME long_life COMMAND long_life calls=400 seconds=2 growth=16)
set_tests_properties(long_life PROPERTIES LABELS runtime TIMEOUT 600 ENVIRONMENT "${tests_environment}")
# What a first reading of a GPU's memory takes of the host is not memory that calls take.
add_library(fake_nvml SHARED runtime/process/fake_nvml.cpp)
set_target_properties(fake_nvml PROPERTIES OUTPUT_NAME nvidia-ml SUFFIX .so.1 CXX_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_nvml)
add_dependencies(long_life fake_nvml)
add_test(NAME long_life.nvml COMMAND long_life calls=100 seconds=0 growth=8)
set_tests_properties(long_life.nvml PROPERTIES LABELS runtime TIMEOUT 120
    ENVIRONMENT "${tests_environment};LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/fake_nvml")
if (TILEWRIGHT_SANITIZE)  # AddressSanitizer keeps 256 MiB of memory that was freed, which seems to grow
    set_tests_properties(long_life long_life.nvml PROPERTIES ENVIRONMENT_MODIFICATION
        ASAN_OPTIONS=string_append::quarantine_size_mb=1:thread_local_quarantine_size_kb=16)
endif ()
