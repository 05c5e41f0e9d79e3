# What tests/build/instrumented.sh needs of a build: the programs of some labels, and in a build with
# sanitizers a program in which they must find what they are for. tests/CMakeLists.txt includes this file.

# `cmake --build build --target tests.runtime` builds the programs whose tests have a label.
function(tilewright_build_for program)
    foreach (label IN LISTS ARGN)
        if (NOT TARGET tests.${label})
            add_custom_target(tests.${label})
        endif ()
        add_dependencies(tests.${label} ${program})
    endforeach ()
endfunction()

if (TILEWRIGHT_SANITIZE)
    add_executable(sanitizer_finds build/sanitizer_finds.cpp)
    tilewright_build_for(sanitizer_finds sanitizer)
    set(heap_overflow "AddressSanitizer: heap-buffer-overflow")
    set(integer_overflow "runtime error: signed integer overflow")
    set(data_race "ThreadSanitizer: data race")
    set(faults heap_overflow integer_overflow)
    if (TILEWRIGHT_SANITIZE STREQUAL thread)
        set(faults data_race)
    endif ()
    foreach (fault IN LISTS faults)
        add_test(NAME sanitizer.${fault} COMMAND sanitizer_finds ${fault})
        set_tests_properties(sanitizer.${fault} PROPERTIES LABELS sanitizer
            PASS_REGULAR_EXPRESSION "${${fault}}")
    endforeach ()
endif ()
