# tilewright_commit(VARIABLE): the commit of the sources, or `unknown`. It is for reports, where times without
# it are worth little.
function(tilewright_commit variable)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if (failed OR NOT commit)
        set(commit unknown)
    endif ()
    set(${variable} ${commit} PARENT_SCOPE)
endfunction()
