# run(COMMAND...): runs it; one that fails ends the test with what it said. `said` is what a good one said.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if (NOT code EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed (${code}): ${command}\n${said}")
    endif ()
    set(said "${said}" PARENT_SCOPE)
endfunction()
