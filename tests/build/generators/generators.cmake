# What every generator program does with its table of variants.
tilewright_add_generator(copy.generator build/generators/copy_generator.cpp)
set_target_properties(copy.generator PROPERTIES EXCLUDE_FROM_ALL OFF)
foreach (what tables build)
    add_test(NAME generator.${what} COMMAND ${CMAKE_COMMAND}
        -DWHAT=${what}
        -DGENERATOR=$<TARGET_FILE:copy.generator>
        -DWORK=${CMAKE_CURRENT_BINARY_DIR}/generator/${what}
        -P ${CMAKE_CURRENT_SOURCE_DIR}/build/generators/generator_test.cmake)
    set_tests_properties(generator.${what} PROPERTIES LABELS generator TIMEOUT 300)
endforeach ()

foreach (test_of cubins=invert tensor_cubins=matmul)
    string(REGEX MATCH "^(.*)=(.*)$" _ ${test_of})
    if (TARGET ${CMAKE_MATCH_2}.generator AND cuda IN_LIST TILEWRIGHT_TARGETS)
        add_test(NAME generator.${CMAKE_MATCH_1} COMMAND ${CMAKE_COMMAND}
            -DGENERATOR=$<TARGET_FILE:${CMAKE_MATCH_2}.generator>
            "-DPTXAS=${TILEWRIGHT_PTXAS}"
            -DWORK=${CMAKE_CURRENT_BINARY_DIR}/generator/${CMAKE_MATCH_1}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/build/generators/${CMAKE_MATCH_1}_test.cmake)
        set_tests_properties(generator.${CMAKE_MATCH_1} PROPERTIES LABELS generator TIMEOUT 300
            SKIP_REGULAR_EXPRESSION "not run here")
    endif ()
endforeach ()

# What libraries are made for.
if (TARGET invert.generator)
    set(programs "")
    foreach (program COLUMN_SUM=column_sum MIN_PLUS=min_plus_convolution MATMUL=matmul
            GAUSSIAN_BLUR=gaussian_blur)
        string(REGEX MATCH "^(.*)=(.*)$" _ ${program})
        if (TARGET ${CMAKE_MATCH_2}.generator)
            list(APPEND programs -D${CMAKE_MATCH_1}=$<TARGET_FILE:${CMAKE_MATCH_2}.generator>)
        endif ()
    endforeach ()
    add_test(NAME generator.targets COMMAND ${CMAKE_COMMAND}
        -DINVERT=$<TARGET_FILE:invert.generator>
        ${programs}
        -DWORK=${CMAKE_CURRENT_BINARY_DIR}/generator/targets
        -P ${CMAKE_CURRENT_SOURCE_DIR}/build/generators/targets_test.cmake)
    set_tests_properties(generator.targets PROPERTIES LABELS generator TIMEOUT 300)
endif ()
