# Machine code of a variant of the tensor cores: it is made for compute capability 9.0 alone, whatever else is
# asked for, and the PTX beside it has instructions in place of calls. Arguments: GENERATOR (of matmul),
# PTXAS, WORK (is emptied).
if (NOT PTXAS)
    message("not run here: no ptxas (it comes with the CUDA toolkit)")
    return()
endif ()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -E env TILEWRIGHT_PTXAS=${PTXAS}
        ${GENERATOR} build ${WORK} static_library,ptx,sm_80,sm_90,sm_120 name=some backend=cuda
        schedule=tensor_small,registers type=f32
    RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
if (NOT code EQUAL 0)
    message(FATAL_ERROR "the build ended with ${code}:\n${said}")
endif ()
foreach (variant_count tensor_small=1 registers=3)
    string(REGEX MATCH "^(.*)=(.*)$" _ ${variant_count})
    file(GLOB cubins RELATIVE ${WORK} ${WORK}/some_${CMAKE_MATCH_1}_f32_cuda.*.cubin)
    list(LENGTH cubins count)
    if (NOT count EQUAL CMAKE_MATCH_2)
        message(FATAL_ERROR "of ${CMAKE_MATCH_1} there are ${cubins}")
    endif ()
endforeach ()
file(STRINGS ${WORK}/some_cuda_cubins.h entries REGEX "{0x[0-9a-f]+u, [0-9]+, some_cubin")
list(LENGTH entries count)
if (NOT count EQUAL 4)
    message(FATAL_ERROR "${count} modules are embedded, not 4:\n${entries}")
endif ()
file(READ ${WORK}/some_tensor_small_f32_cuda.ptx text)
if (NOT text MATCHES "wgmma.mma_async" OR text MATCHES "tw_wgmma")
    message(FATAL_ERROR "the PTX has calls in place of instructions")
endif ()
file(STRINGS ${WORK}/some_cuda_needs.h needs REGEX "_needs{")
if (NOT needs MATCHES "some_tensor_small_f32_cuda_needs{[^}]*, 90, 0}" OR
    NOT needs MATCHES "some_registers_f32_cuda_needs{[^}]*, 0, 0}")
    message(FATAL_ERROR "the needs are:\n${needs}")
endif ()
