# Machine code of CUDA libraries (cubins), beside their PTX: with it, the first call of a process does not
# wait for the driver's compiler. ptxas of the CUDA toolkit makes it when the libraries are built. For each
# compute capability it takes 25 s of CPU time, and 8 to 11 MB in a program with all operators (291 modules,
# 2026-11-23, ptxas of CUDA 13.0). Devices of other capabilities take the PTX. TILEWRIGHT_CUBINS says for
# which capabilities it is made:
#   native   those of this machine's GPUs, as nvidia-smi lists them; none where there is no GPU or no ptxas
#   all      80, 86, 89, 90, 100 and 120, as far as ptxas knows them
#   86;90    these, 8.6 and 9.0
#   OFF      none
set(TILEWRIGHT_CUBINS native CACHE STRING
    "What CUDA libraries have machine code for, beside PTX: native (this machine's GPUs), all, 86;90, or OFF")

# Sets `capabilities` to those of this machine's GPUs.
function(tilewright_gpu_capabilities)
    find_program(TILEWRIGHT_NVIDIA_SMI nvidia-smi PATHS /usr/lib/wsl/lib)
    mark_as_advanced(TILEWRIGHT_NVIDIA_SMI)
    set(found "")
    if (TILEWRIGHT_NVIDIA_SMI)
        execute_process(COMMAND ${TILEWRIGHT_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
            RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_QUIET TIMEOUT 60)
        if (code EQUAL 0)
            string(REGEX MATCHALL "[0-9]+[.][0-9]+" found "${said}")
            list(TRANSFORM found REPLACE "[.]" "")
            list(REMOVE_DUPLICATES found)
        endif ()
    endif ()
    set(capabilities ${found} PARENT_SCOPE)
endfunction()

# Leaves in the list `capabilities` those that ptxas makes code for.
function(tilewright_keep_known_to_ptxas)
    execute_process(COMMAND ${TILEWRIGHT_PTXAS} --help OUTPUT_VARIABLE help ERROR_QUIET)
    set(known "")
    foreach (capability IN LISTS capabilities)
        if (help MATCHES "'sm_${capability}'")
            list(APPEND known ${capability})
        endif ()
    endforeach ()
    set(capabilities ${known} PARENT_SCOPE)
endfunction()

# Sets `capabilities` to those that TILEWRIGHT_CUBINS means, and `why` to the reason where there are none.
function(tilewright_choose_cubins)
    set(capabilities "")
    set(why "ptxas was not found")
    if (TILEWRIGHT_CUBINS STREQUAL native AND TILEWRIGHT_PTXAS)
        tilewright_gpu_capabilities()
        set(why "nvidia-smi lists no GPU")
    elseif (TILEWRIGHT_CUBINS STREQUAL all)
        set(capabilities 80 86 89 90 100 120)
    elseif (NOT TILEWRIGHT_CUBINS STREQUAL native)
        foreach (capability IN LISTS TILEWRIGHT_CUBINS)
            if (NOT capability MATCHES "^[0-9]+$" OR capability LESS TILEWRIGHT_CUDA_CAPABILITY)
                message(FATAL_ERROR "TILEWRIGHT_CUBINS: '${capability}' is no compute capability from "
                    "${TILEWRIGHT_CUDA_CAPABILITY} (TILEWRIGHT_CUDA_CAPABILITY) on; write 90 for 9.0, "
                    "or native, all or OFF")
            endif ()
        endforeach ()
        set(capabilities ${TILEWRIGHT_CUBINS})
    endif ()
    if (capabilities AND NOT TILEWRIGHT_PTXAS)
        message(FATAL_ERROR "TILEWRIGHT_CUBINS is ${TILEWRIGHT_CUBINS}, and ptxas of the CUDA toolkit "
            "was not found: name it in TILEWRIGHT_PTXAS, or set TILEWRIGHT_CUBINS to OFF")
    endif ()
    if (capabilities AND TILEWRIGHT_CUBINS MATCHES "^(native|all)$")
        list(JOIN capabilities ", " asked)
        set(why "ptxas makes none for ${asked}")
        tilewright_keep_known_to_ptxas()
    endif ()
    set(capabilities ${capabilities} PARENT_SCOPE)
    set(why ${why} PARENT_SCOPE)
endfunction()

# tilewright_find_cubins(RESULT): sets the variable RESULT to the list of capabilities, and TILEWRIGHT_PTXAS.
# The first call finds them, and says in one line what it found.
function(tilewright_find_cubins result)
    set(capabilities "")
    if (TILEWRIGHT_CUBINS)
        find_program(TILEWRIGHT_PTXAS ptxas PATHS /usr/local/cuda/bin)
        get_property(is_known GLOBAL PROPERTY TILEWRIGHT_CUBIN_CAPABILITIES SET)
        if (NOT is_known)
            tilewright_choose_cubins()
            list(JOIN capabilities ", " found)
            string(PREPEND found "for compute capability ")
            if (NOT capabilities)
                set(found "none, because ${why}")
            endif ()
            message(STATUS
                "Machine code of CUDA libraries (TILEWRIGHT_CUBINS=${TILEWRIGHT_CUBINS}): ${found}")
            set_property(GLOBAL PROPERTY TILEWRIGHT_CUBIN_CAPABILITIES "${capabilities}")
        endif ()
        get_property(capabilities GLOBAL PROPERTY TILEWRIGHT_CUBIN_CAPABILITIES)
    endif ()
    set(${result} ${capabilities} PARENT_SCOPE)
endfunction()
