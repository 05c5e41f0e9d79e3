# Every published kernel on small data: with a CUDA device all results are right; without one the program says
# so in one line and exits with 4. Wrong usage is refused before a device is looked for. Argument: PROGRAM.
if (NOT EXISTS ${PROGRAM})
    message("not run here: cuda_peers is not built")
    return()
endif ()

function(expect code words)
    execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE ended OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if (NOT ended EQUAL code OR NOT said MATCHES "${words}")
        message(FATAL_ERROR
            "cuda_peers ${ARGN} ended with ${ended} and must end with ${code}:\n${said}")
    endif ()
    set(said "${said}" PARENT_SCOPE)
endfunction()

expect(0 "min_plus_convolution +f64 +published kernel, shared " --list --published)
expect(2 "no such kernel" transpose/nothing)
expect(2 "WIDTHxHEIGHT" --size 12)
expect(2 "bogus" --bogus)

execute_process(COMMAND ${PROGRAM} --published matmul --size 16x16 --repeats 3 --limit .1
    RESULT_VARIABLE ended OUTPUT_VARIABLE said ERROR_VARIABLE said)
if (ended EQUAL 4)
    if (NOT said MATCHES "^cuda_peers: error: no CUDA device: [^\n]+\n$")
        message(FATAL_ERROR "this is not one line about the device:\n${said}")
    endif ()
    return()
endif ()
foreach (op column_sum row_sum transpose recursive_gaussian)
    foreach (size 512x256 140x37 16x1)
        expect(0 " yes" --published ${op} --size ${size} --repeats 3 --limit .1)
    endforeach ()
endforeach ()
expect(0 " yes" --published matmul --size 208x208 --repeats 3 --limit .1)
expect(3 "multiple of 16" --published matmul --size 100x100)
foreach (size 1x1 1000x1 70001x1)
    expect(0 " yes" --published min_plus_convolution --size ${size} --repeats 3 --limit .1)
endforeach ()
