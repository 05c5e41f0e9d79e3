# Our archives contain fmt only in a namespace of its own (cmake/compile_time.cmake), so that a program that
# also links a libfmt of any version has each of its functions once.
# Arguments: NM, and ARCHIVES with blanks between them.
include(${CMAKE_CURRENT_LIST_DIR}/../run.cmake)
separate_arguments(archives UNIX_COMMAND "${ARCHIVES}")
set(own NO)
foreach (archive IN LISTS archives)
    execute_process(COMMAND ${NM} --demangle --defined-only ${archive}
        OUTPUT_VARIABLE symbols ERROR_QUIET RESULT_VARIABLE failed)
    if (failed)
        message(FATAL_ERROR "${NM} cannot read ${archive}")
    endif ()
    string(REGEX MATCH "[^\n]* fmt::v[0-9]+::[^\n]*" others "${symbols}")
    if (others)
        message(FATAL_ERROR "${archive} defines a function of libfmt: ${others}")
    endif ()
    if (symbols MATCHES " T fmt::in_tilewright::vformat")
        set(own YES)
    endif ()
endforeach ()
if (NOT own)
    message(FATAL_ERROR "no archive defines fmt::in_tilewright::vformat: "
        "this test looks at the wrong symbols")
endif ()
