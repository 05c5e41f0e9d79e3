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

# OpenCL kernels whose work-items share memory in which oclgrind found races, under its search for them.
# oclgrind 21.10 ends with an error after the last call, hence the words and not the exit code. Its device has
# 32 KB of local memory where nothing else is said, and the blocks of tuned_small take 48.
if (opencl IN_LIST TILEWRIGHT_TARGETS AND TARGET tilewright)
    find_library(TILEWRIGHT_OCLGRIND oclgrind-rt-icd PATH_SUFFIXES oclgrind)
    mark_as_advanced(TILEWRIGHT_OCLGRIND)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/oclgrind/oclgrind.icd "${TILEWRIGHT_OCLGRIND}\n")
    foreach (variant matmul/tuned_small)
        get_filename_component(op ${variant} DIRECTORY)
        get_filename_component(schedule ${variant} NAME)
        if (NOT op IN_LIST operators)
            continue()
        endif ()
        set(verify "verify ${op} --schedule ${schedule} --device opencl --largest 600 --repeat 1")
        set(command sh -c "'$<TARGET_FILE:tilewright>' ${verify} 2>&1 || true")
        if (NOT TILEWRIGHT_OCLGRIND)
            set(command ${CMAKE_COMMAND} -E echo "not run here: oclgrind is not installed")
        endif ()
        add_test(NAME ${op}.races COMMAND ${command})
        set_tests_properties(${op}.races PROPERTIES LABELS ${op} TIMEOUT 600 COST 10
            PASS_REGULAR_EXPRESSION "[1-9][0-9]* ok, 0 wrong, 0 failed"
            FAIL_REGULAR_EXPRESSION "data race|Invalid"
            SKIP_REGULAR_EXPRESSION "not run here: oclgrind")
        set_property(TEST ${op}.races PROPERTY ENVIRONMENT OCLGRIND_DATA_RACES=1
            OCLGRIND_LOCAL_MEM_SIZE=65536 OCL_ICD_VENDORS=${CMAKE_CURRENT_BINARY_DIR}/oclgrind)
    endforeach ()
endif ()
