# The rules of the sources, and the documents that scripts write.

# The rule of the rooms (docs/STRUCTURE.md), and a test that its checker finds what breaks it.
set(layers ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/layers.py)
add_test(NAME layers COMMAND ${layers} ${PROJECT_SOURCE_DIR})
add_test(NAME layers.self_test COMMAND ${layers} --self-test)
set_tests_properties(layers layers.self_test PROPERTIES LABELS structure)

# The other habits that `./dev check` holds are tested for finding what they are for.
add_test(NAME style.self_test
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/style.py --self-test)
set_tests_properties(style.self_test PROPERTIES LABELS structure)

# What pip installs has versions and hashes.
add_test(NAME locks COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/locks.py)
set_tests_properties(locks PROPERTIES LABELS structure)

# Pictures of the documents are what the scripts make of the measured times.
add_test(NAME performance.choice
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/choice_test.py
    ${PROJECT_SOURCE_DIR}/apps/laboratory/tables/choice.py)
add_test(NAME performance.peers
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/docs/performance/peers.py --check)
add_test(NAME reliability.errors
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/docs/reliability/errors.py --check)
set_tests_properties(performance.choice performance.peers reliability.errors
    PROPERTIES LABELS structure)

# Every public symbol of the headers has a comment, and what looks for those without one finds them.
set(headers ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/docs/site/headers.py)
add_test(NAME headers.documented COMMAND ${headers} --check)
add_test(NAME headers.self_test COMMAND ${headers} --self-test)
set_tests_properties(headers.documented headers.self_test PROPERTIES LABELS structure)

# The site, where mkdocs is installed.
if (TARGET tilewright)
    add_test(NAME site COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/build/site_test.py
        ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    set_tests_properties(site PROPERTIES LABELS structure TIMEOUT 600 SKIP_REGULAR_EXPRESSION "not run here"
        ENVIRONMENT "${tests_environment}")
endif ()

# The commands of the pages that make their tables run, on the fake driver.
if (TARGET tilewright AND TARGET fake_cuda AND cuda IN_LIST TILEWRIGHT_TARGETS)
    file(GLOB pages ${PROJECT_SOURCE_DIR}/docs/steps/*.md)
    add_test(NAME steps.commands
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/laboratory/commands_of_steps_test.py
        $<TARGET_FILE:tilewright> $<TARGET_FILE_DIR:fake_cuda> ${pages})
    set_tests_properties(steps.commands PROPERTIES LABELS structure ENVIRONMENT "${tests_environment}")
endif ()

# The skeleton of a new operator.
if (invert IN_LIST operators)
    add_test(NAME new_operator
        COMMAND ${CMAKE_CURRENT_LIST_DIR}/new_operator_test.sh ${PROJECT_SOURCE_DIR}
            ${CMAKE_CURRENT_BINARY_DIR}/new_operator ${CMAKE_BINARY_DIR} ${CMAKE_CXX_COMPILER}
            ${Python3_EXECUTABLE})
    set_tests_properties(new_operator PROPERTIES LABELS structure SKIP_RETURN_CODE 77)
endif ()

# The one copy of fmt in the archives (cmake/compile_time.cmake).
if (TILEWRIGHT_FMT_SOURCES)
    add_test(NAME fmt_symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM}
        "-DARCHIVES=$<TARGET_FILE:tilewright_runtime> $<TARGET_FILE:tilewright_operators>"
        -P ${CMAKE_CURRENT_LIST_DIR}/fmt_symbols.cmake)
    set_tests_properties(fmt_symbols PROPERTIES LABELS structure)
endif ()
