# Every variant of the CPU, with each instruction set, in memory beside pages without access.
# tests/CMakeLists.txt includes this file.
if (cpu IN_LIST TILEWRIGHT_TARGETS)
    tilewright_add_test(runtime/fence/fence_test NONE SOURCES fence_test.cpp fenced_memory.cpp
        LINK Tilewright::operators)
    foreach (op IN LISTS operators)
        foreach (set newest avx2 x86-64)
            set(entry ${op}.fence.${set})
            tilewright_add_test_entry(${entry} fence_test "Variants/*/${op}_*" ${op})
            if (NOT set STREQUAL newest)
                set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT TILEWRIGHT_INSTRUCTION_SET=${set})
            endif ()
        endforeach ()
    endforeach ()
endif ()
