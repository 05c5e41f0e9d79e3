# A shared library of one operator, linked from the archives of this build as BUILD_SHARED_LIBS links that of
# all operators, and a program that has nothing else of Tilewright. Not of code with sanitizers, which is
# linked in other ways.
if (TARGET tilewright_invert_cpu AND NOT TILEWRIGHT_SANITIZE)
    add_library(only_invert_registry STATIC build/only_invert.cpp
        ${PROJECT_SOURCE_DIR}/runtime/dispatch/find_operator.cpp)
    target_link_libraries(only_invert_registry PRIVATE Tilewright::runtime tilewright_fmt)
    target_compile_options(only_invert_registry PRIVATE ${TILEWRIGHT_OPTIONS_runtime})
    set(without "")
    foreach (target IN LISTS TILEWRIGHT_TARGETS)
        if (NOT target STREQUAL cpu)
            list(APPEND without tilewright_invert_${target})
        endif ()
    endforeach ()
    tilewright_link_shared(shared_invert
        only_invert_registry tilewright_invert tilewright_invert_cpu ${without} tilewright_runtime)
    add_executable(inverts build/inverts.cpp)
    target_link_libraries(inverts PRIVATE shared_invert)
    add_test(NAME build.shared COMMAND ${CMAKE_COMMAND}
        -DLIBRARY=$<TARGET_FILE:shared_invert> -DSONAME=$<TARGET_SONAME_FILE_NAME:shared_invert>
        -DPROGRAM=$<TARGET_FILE:inverts> -DNM=${CMAKE_NM} -DREADELF=${CMAKE_READELF}
        -P ${CMAKE_CURRENT_SOURCE_DIR}/build/shared_test.cmake)
    set_tests_properties(build.shared PROPERTIES LABELS build ENVIRONMENT "${tests_environment}")
endif ()
