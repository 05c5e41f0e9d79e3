# The command line: tests that run the built program. tests/CMakeLists.txt includes this file.
if (TARGET tilewright)
    tilewright_add_test(command_line/command_line_test
        LINK nlohmann_json::nlohmann_json util
        LABELS command_line
        SOURCES command_line.cpp ../laboratory/bench_test.cpp ../laboratory/bench_words_test.cpp
            commands/calibrate_test.cpp ../laboratory/compare_test.cpp
            commands/explain_test.cpp
            commands/fresnel_command_test.cpp commands/help_test.cpp process/interruption_test.cpp
            commands/inventory_test.cpp
            operators_test.cpp photographs_test.cpp commands/pipeline_command_test.cpp refusals_test.cpp
            variant_device_test.cpp commands/show_test.cpp process/failing_files_test.cpp
            process/standard_files_test.cpp
            process/streams_test.cpp process/terminal_test.cpp
            commands/verify_test.cpp)
    add_library(at_call SHARED command_line/process/at_call.cpp)
    target_link_libraries(at_call PRIVATE ${CMAKE_DL_LIBS})
    tilewright_add_test(command_line/process/signals_test LABELS command_line)
    target_compile_definitions(signals_test PRIVATE
        TILEWRIGHT_APP="$<TARGET_FILE:tilewright>"
        TILEWRIGHT_AT_CALL="$<TARGET_FILE:at_call>")
    add_dependencies(signals_test tilewright at_call)
    add_library(failing_malloc MODULE runtime/arrays/failing_malloc.cpp)
    add_library(failing_files MODULE command_line/process/failing_files.cpp)
    target_link_libraries(failing_files PRIVATE ${CMAKE_DL_LIBS})
    foreach (preloaded at_call failing_malloc failing_files)  # shells that the program starts load them too
        tilewright_without_sanitizers(${preloaded})
    endforeach ()
    target_compile_definitions(command_line_test PRIVATE
        TILEWRIGHT_APP="$<TARGET_FILE:tilewright>"
        TILEWRIGHT_GENERATOR_FOLDER="$<TARGET_FILE_DIR:${first}.generator>"
        TILEWRIGHT_BUILT_OPERATORS="${built_operators}"
        TILEWRIGHT_ONE_BINARY="${CMAKE_CURRENT_SOURCE_DIR}/laboratory/one_binary.txt"
        TILEWRIGHT_ABORTING_OPENCL="$<TARGET_FILE:aborting_OpenCL>"
        TILEWRIGHT_FAILING_FILES="$<TARGET_FILE:failing_files>" TILEWRIGHT_NM="${CMAKE_NM}"
        TILEWRIGHT_FAILING_MALLOC="$<TARGET_FILE:failing_malloc>"
        TILEWRIGHT_FAILING_OPENCL="$<TARGET_FILE_DIR:failing_OpenCL>"
        TILEWRIGHT_FAKE_CUDA="$<TARGET_FILE_DIR:fake_cuda>")
    # The generators, because `show` and `explain` ask them.
    add_dependencies(command_line_test
        tilewright aborting_OpenCL failing_files failing_malloc failing_OpenCL fake_cuda ${listed})
    set(devices_with_peers "")
    foreach (one "opencv cpu" "fftw cpu" "openblas cpu" "vkfft_opencl opencl" "cublas cuda")
        separate_arguments(one)
        list(POP_FRONT one name)
        if (TARGET ${name})
            add_dependencies(command_line_test ${name})
            list(APPEND devices_with_peers ${one})
        endif ()
    endforeach ()
    list(JOIN devices_with_peers " " devices_with_peers)
    target_compile_definitions(command_line_test PRIVATE
        TILEWRIGHT_DEVICES_WITH_PEERS="${devices_with_peers}")

    # Every example of the help and the documents, and the programs in README.md, docs/CPP.md and the
    # tutorials, which are compiled unchanged.
    tilewright_add_test(command_line/examples_test LABELS command_line COST 40)
    list(JOIN TILEWRIGHT_ALL_OPERATORS " " all_operators)
    target_compile_definitions(examples_test PRIVATE
        TILEWRIGHT_APP="$<TARGET_FILE:tilewright>"
        TILEWRIGHT_SOURCE="${PROJECT_SOURCE_DIR}"
        TILEWRIGHT_ALL_OPERATORS="${all_operators}"
        TILEWRIGHT_BUILT_OPERATORS="${built_operators}"
        TILEWRIGHT_BUILT_TARGETS="${built_targets}")
    add_dependencies(examples_test tilewright ${listed})
    if (gaussian_blur IN_LIST operators)
        set(pages README docs/CPP docs/tutorials/opencv)
        if (transpose IN_LIST operators AND column_sum IN_LIST operators)
            list(APPEND pages docs/tutorials/cmake_pipeline)
        endif ()
        foreach (page IN LISTS pages)
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page}.md)
            file(READ ${PROJECT_SOURCE_DIR}/${page}.md text)
            string(REGEX MATCH "```cpp\n([^`]*)```" found "${text}")
            get_filename_component(name ${page} NAME)
            set(program ${name}_example)
            file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp CONTENT "${CMAKE_MATCH_1}")
            add_executable(${program} ${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp)
            target_link_libraries(${program} PRIVATE Tilewright::gaussian_blur)
            if (page MATCHES tutorials)  # they say by their exit code whether their result is right
                target_link_libraries(${program} PRIVATE Tilewright::operators)
                add_test(NAME tutorials.${name} COMMAND ${program})
                tilewright_build_for(${program} command_line)
                set_tests_properties(tutorials.${name} PROPERTIES LABELS command_line
                    ENVIRONMENT "${tests_environment}")
            else ()
                target_compile_definitions(examples_test PRIVATE
                    TILEWRIGHT_${name}_EXAMPLE="$<TARGET_FILE:${program}>")
                add_dependencies(examples_test ${program})
            endif ()
        endforeach ()
    endif ()

    # Generators of Halide that know nothing of Tilewright.
    add_executable(smooth.generator ${PROJECT_SOURCE_DIR}/examples/any_generator/smooth_generator.cpp
        ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/other_generators.cpp)
    target_compile_options(smooth.generator PRIVATE ${TILEWRIGHT_GENERATOR_OPTIONS})
    target_link_libraries(smooth.generator PRIVATE
        ${TILEWRIGHT_HALIDE}/lib64/libHalide_GenGen.a tilewright_halide ${CMAKE_DL_LIBS})
    tilewright_without_sanitizers(smooth.generator)
    set_target_properties(smooth.generator PROPERTIES ENABLE_EXPORTS ON)
    tilewright_build_for(smooth.generator command_line)
    add_test(NAME laboratory.any_generator COMMAND ${Python3_EXECUTABLE} -B
        ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/foreign_test.py $<TARGET_FILE:tilewright>
        $<TARGET_FILE:smooth.generator>)
    set_tests_properties(laboratory.any_generator PROPERTIES LABELS command_line
        ENVIRONMENT "${tests_environment}")

    # Manual pages, completions of shells, topics, colours and --quiet.
    foreach (what pages bash zsh fish topics colours quiet)
        add_test(NAME manual.${what} COMMAND ${Python3_EXECUTABLE} -B
            ${CMAKE_CURRENT_SOURCE_DIR}/command_line/manual_test.py $<TARGET_FILE:tilewright>
            ${CMAKE_BINARY_DIR}/apps/share ${what})
        set_tests_properties(manual.${what} PROPERTIES LABELS command_line TIMEOUT 300
            SKIP_REGULAR_EXPRESSION "not run here" ENVIRONMENT "${tests_environment}")
    endforeach ()

    # A search for faster values, with faults that a generator of the test puts into libraries.
    if (transpose IN_LIST operators)
        tilewright_add_test(laboratory/explore_test
            SOURCES ../command_line/command_line.cpp explore_test.cpp
            LINK nlohmann_json::nlohmann_json
            LABELS command_line COST 5)
        target_compile_definitions(explore_test PRIVATE
            TILEWRIGHT_APP="$<TARGET_FILE:tilewright>"
            TILEWRIGHT_AT_CALL="$<TARGET_FILE:at_call>"
            TILEWRIGHT_BUILT_OPERATORS="${built_operators}"
            TILEWRIGHT_FAILING_OPENCL="$<TARGET_FILE_DIR:failing_OpenCL>"
            TILEWRIGHT_FAULTY_GENERATOR="${CMAKE_CURRENT_SOURCE_DIR}/laboratory/faulty_generator.sh"
            TILEWRIGHT_TRANSPOSE_GENERATOR="$<TARGET_FILE:transpose.generator>")
        add_dependencies(explore_test tilewright at_call failing_OpenCL transpose.generator)

        # Searches by another program and without tools.
        foreach (what documents broken verdicts signals tools)
            add_test(NAME search.${what} COMMAND ${Python3_EXECUTABLE} -B
                ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/searches_test.py $<TARGET_FILE:tilewright>
                ${PROJECT_SOURCE_DIR}/docs/ASK-TELL.md
                ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/faulty_generator.sh
                $<TARGET_FILE:transpose.generator> ${what})
            list(APPEND searches search.${what})
        endforeach ()
        set_tests_properties(${searches} PROPERTIES LABELS command_line TIMEOUT 300
            SKIP_REGULAR_EXPRESSION "not run here" ENVIRONMENT "${tests_environment}")
    endif ()

    # The constants of schedules that docs/NEW-DEVICE.md lists.
    set(targets ${TILEWRIGHT_TARGETS})
    list(SORT targets)
    list(JOIN targets "," targets)
    add_test(NAME constants COMMAND ${Python3_EXECUTABLE} -B
        ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/constants_test.py $<TARGET_FILE:tilewright>
        ${PROJECT_SOURCE_DIR}/docs/NEW-DEVICE.md ${PROJECT_SOURCE_DIR}/schedules ${targets})
    set_tests_properties(constants PROPERTIES LABELS command_line TIMEOUT 60
        ENVIRONMENT "${tests_environment}")

    # A report in a browser, where there is one.
    add_test(NAME report.browser COMMAND ${Python3_EXECUTABLE}
        ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/report_browser.py $<TARGET_FILE:tilewright>
        ${CMAKE_CURRENT_BINARY_DIR}/report_browser)
    set_tests_properties(report.browser PROPERTIES LABELS command_line TIMEOUT 300
        SKIP_REGULAR_EXPRESSION "not run here" ENVIRONMENT "${tests_environment}")

    tilewright_add_test(command_line/measure_test LABELS command_line)
    target_sources(measure_test PRIVATE
        ${PROJECT_SOURCE_DIR}/apps/tilewright/timing/measure.cpp
        ${PROJECT_SOURCE_DIR}/apps/tilewright/timing/energy.cpp)
endif ()
