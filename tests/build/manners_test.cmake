# A library does not end the process of its caller, and does not speak or change settings for it: its own
# objects do not even refer to the functions that do. Halide's runtime is one object, whose abort() is behind
# the error handler that the runtime sets, and fmt's object brings what prints. Exceptions are listed with
# their reason. Arguments: ARCHIVES (separated by blanks), NM.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(never _?exit _Exit quick_exit abort signal bsd_signal raise kill system popen puts putchar printf perror
    __printf_chk __assert_fail stdout _ZSt4cout _ZSt4cerr setlocale uselocale umask chdir
    _ZSt13set_terminate.*
    sigaction sigprocmask pthread_sigmask putenv setenv unsetenv)
list(JOIN never "|" never)
set(allowed
    "kept_signals[.]cpp.*:(raise|sigaction)"  # puts back the handlers that a driver has changed
    "(fmt|halide_runtime)[.](cpp[.])?o:(abort|stdout)")
separate_arguments(archives UNIX_COMMAND "${ARCHIVES}")
set(objects 0)
foreach (archive IN LISTS archives)
    run(${NM} -A -u ${archive})
    string(REGEX MATCHALL "[^\n]+" lines "${said}")
    foreach (line IN LISTS lines)
        math(EXPR objects "${objects} + 1")
        if (NOT line MATCHES ":([^:]+):? +U (${never})$")
            continue()
        endif ()
        set(found "${CMAKE_MATCH_1}:${CMAKE_MATCH_2}")
        set(is_allowed FALSE)
        foreach (one IN LISTS allowed)
            if (found MATCHES "^${one}$")
                set(is_allowed TRUE)
            endif ()
        endforeach ()
        if (NOT is_allowed)
            message(FATAL_ERROR "${archive}: ${found}")
        endif ()
    endforeach ()
endforeach ()
if (objects LESS 100)
    message(FATAL_ERROR "only ${objects} names were seen; nm says something else here")
endif ()
message("${objects} names that the archives refer to")
