# A search after `cmake --install`, from the .deb packages and from the wheels.
if (TARGET tilewright AND transpose IN_LIST operators)
    set(package "")
    if (TARGET tilewright_python)
        set(package ${CMAKE_BINARY_DIR}/python/package)
    endif ()
    foreach (how install deb wheel)
        add_test(NAME installed_search.${how} COMMAND ${CMAKE_COMMAND} -DHOW=${how}
            -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${CMAKE_BINARY_DIR} -DCONFIG=${CMAKE_BUILD_TYPE}
            -DWORK=${CMAKE_CURRENT_BINARY_DIR}/installed_search/${how} -DHALIDE=${TILEWRIGHT_HALIDE}
            -DPYTHON=${Python3_EXECUTABLE} -DPACKAGE=${package} -DCMAKE_CPACK_COMMAND=${CMAKE_CPACK_COMMAND}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/build/search_test.cmake)
        set_tests_properties(installed_search.${how} PROPERTIES LABELS install TIMEOUT 600
            SKIP_REGULAR_EXPRESSION "not run here" ENVIRONMENT "${tests_environment}")
    endforeach ()
endif ()
