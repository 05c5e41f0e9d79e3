# Machine code beside the PTX of CUDA libraries: what is asked for is made, other of it is removed, and the
# libraries stay as they are. Arguments: GENERATOR (of an operator with CUDA variants), PTXAS, WORK (is
# emptied).
if (NOT PTXAS)
    message("not run here: no ptxas (it comes with the CUDA toolkit)")
    return()
endif ()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# build(PTXAS CODE EMIT): makes the libraries, which must end with CODE. Sets `said`, and `cubins` to the
# machine code that is there.
function(build ptxas expected emit)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env TILEWRIGHT_PTXAS=${ptxas}
            ${GENERATOR} build ${WORK} static_library,${emit} name=some backend=cuda schedule=tuned_any
            type=u8
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if (NOT code EQUAL expected)
        message(FATAL_ERROR "build of ${emit} ended with ${code}, not ${expected}:\n${said}")
    endif ()
    file(GLOB cubins RELATIVE ${WORK} ${WORK}/*.cubin)
    set(said "${said}" PARENT_SCOPE)
    set(cubins "${cubins}" PARENT_SCOPE)
endfunction()

# Stops where the header does not embed so many modules.
function(expect_embedded expected)
    file(STRINGS ${WORK}/some_cuda_cubins.h entries REGEX "{0x[0-9a-f]+u, [0-9]+, some_cubin")
    list(LENGTH entries count)
    if (NOT count EQUAL expected)
        message(FATAL_ERROR "${count} modules are embedded, not ${expected}:\n${entries}")
    endif ()
endfunction()

build(${PTXAS} 0 ptx)
expect_embedded(0)
file(GLOB archive ${WORK}/some_*_cuda.a)
file(SHA256 ${archive} before)
build(${PTXAS} 0 ptx,sm_80,sm_90)
expect_embedded(2)
list(GET cubins 0 first)
file(READ ${WORK}/${first} magic LIMIT 4 HEX)
if (NOT magic STREQUAL "7f454c46")
    message(FATAL_ERROR "${first} is no machine code: it begins with ${magic}")
endif ()
build(${PTXAS} 0 ptx,sm_90)
expect_embedded(1)
if (NOT cubins MATCHES "^[a-z0-9_]+[.]sm_90[.]([0-9a-f]+)[.]cubin$")
    message(FATAL_ERROR "sm_90 was asked for, and there is ${cubins}")
endif ()
set(key ${CMAKE_MATCH_1})
set(made ${cubins})

# Machine code of other PTX, or of the same with other register caps, has another key in its name.
string(REPLACE ${key} 0123abcd older ${made})
file(RENAME ${WORK}/${made} ${WORK}/${older})
file(GLOB record ${WORK}/*.made)
file(READ ${record} files)
string(REPLACE ${made} ${older} files "${files}")
file(WRITE ${record} "${files}")
build(${PTXAS} 0 ptx,sm_90)
expect_embedded(1)
if (NOT cubins STREQUAL made)
    message(FATAL_ERROR "there should be ${made} alone, and there is ${cubins}")
endif ()

# What a ptxas that was interrupted has left is not taken for machine code.
file(REMOVE ${WORK}/${made})
file(WRITE ${WORK}/interrupted "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: >\"$2\"\nkill -9 $$\n")
file(CHMOD ${WORK}/interrupted PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
build(${WORK}/interrupted 1 ptx,sm_90)
if (cubins)
    message(FATAL_ERROR "after an interruption there is ${cubins}")
endif ()
build(${PTXAS} 0 ptx,sm_90)
expect_embedded(1)

file(SHA256 ${archive} after)
if (NOT before STREQUAL after)
    message(FATAL_ERROR "the libraries changed with their machine code")
endif ()
build(${WORK}/no_such_program 1 ptx,sm_80)
if (NOT said MATCHES "ptxas made no machine code of some_tuned_any_u8_cuda for sm_80.*leave sm_80 out")
    message(FATAL_ERROR "without ptxas it says:\n${said}")
endif ()
