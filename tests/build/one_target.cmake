# The command line as builds for one target alone have it (TILEWRIGHT_TARGETS=opencl): the same program with a
# registry, a table and libraries of `invert` for that target, which takes seconds in place of a build.
if (TARGET tilewright AND TARGET invert.generator)
    foreach (target opencl cuda)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/libraries_only_${target})
        set(TILEWRIGHT_CUBINS OFF)
        tilewright_libraries(invert GENERATOR invert.generator OPERATOR invert FOLDER ${folder}
            TARGETS ${target} CAPABILITY ${TILEWRIGHT_CUDA_CAPABILITY})
        unset(TILEWRIGHT_CUBINS)
        add_library(invert_only_${target} STATIC ${TABLE_CPP} ${LISTS_CPP})
        target_include_directories(invert_only_${target} PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
        target_link_libraries(invert_only_${target} PUBLIC Tilewright::runtime)
        tilewright_merge(invert_only_${target} ${folder} ${ARCHIVES})
        add_executable(only_${target} build/only_invert.cpp $<TARGET_OBJECTS:tilewright_invert_front>
            ${PROJECT_SOURCE_DIR}/apps/main.cpp)
        target_link_libraries(only_${target} PRIVATE
            Tilewright::app invert_only_${target} Tilewright::operators)
        add_test(NAME build.only_${target} COMMAND ${CMAKE_COMMAND}
            -DPROGRAM=$<TARGET_FILE:only_${target}> -DBACKEND=${target} -DGENERATORS=${CMAKE_BINARY_DIR}
            -DNO_CUDA=${CMAKE_CURRENT_BINARY_DIR}/runtime/drivers/no_cuda
            -DPYTHON=${Python3_EXECUTABLE} -DWORK=${folder}/work
            -P ${CMAKE_CURRENT_SOURCE_DIR}/build/one_target_test.cmake)
        set_tests_properties(build.only_${target} PROPERTIES LABELS build TIMEOUT 300
            SKIP_REGULAR_EXPRESSION "not run here" ENVIRONMENT "${tests_environment}")
    endforeach ()
endif ()
