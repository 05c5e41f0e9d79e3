# What stands between a fault in reading a file and its use by a stranger, in a program or a shared library:
# addresses at random places, no memory that is both written and run, nothing of the loader's that is written
# later, and calls that end the program at a write past the end of a local array or of a C library's buffer.
# Arguments: FILES (their names, separated by blanks), READELF.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

separate_arguments(files UNIX_COMMAND "${FILES}")
if (NOT files)
    message(FATAL_ERROR "no file is looked at")
endif ()
foreach (file IN LISTS files)
    run(${READELF} -hldW --dyn-syms ${file})
    foreach (what
        "position independent|Type: +DYN"
        "without a stack that is run|GNU_STACK[^\n]* RW +0x"
        "with GNU_RELRO|GNU_RELRO"
        "bound at the start (full RELRO)|FLAGS[^\n]*NOW"
        "with stack protector|__stack_chk_fail"
        "with FORTIFY|__[a-z]+_chk(@|\n)")
        string(REGEX MATCH "^([^|]+)[|](.+)$" parts "${what}")
        set(name "${CMAKE_MATCH_1}")
        if (NOT said MATCHES "${CMAKE_MATCH_2}")
            message(FATAL_ERROR "${file} is not ${name}:\n${said}")
        endif ()
    endforeach ()
    if (said MATCHES "TEXTREL|[(]R(UN)?PATH[)]")
        message(FATAL_ERROR "${file} has relocations in its code, or a folder where libraries are searched")
    endif ()
    message("${file} is hardened")
endforeach ()
