# Which machine code is made beside the PTX of CUDA libraries (cmake/cubins.cmake), by every word of
# TILEWRIGHT_CUBINS, with programs in place of nvidia-smi and ptxas; and that a configured tree asks for it.
# Arguments: SOURCE, WORK (is emptied), GENERATOR, COMPILER, PYTHON.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/bin)
set(ENV{PATH} "${WORK}/bin:$ENV{PATH}")

# program(NAME LINES...): a shell script that is found before other programs of that name.
function(program name)
    list(JOIN ARGN "\n" lines)
    file(WRITE ${WORK}/bin/${name} "#!/bin/sh\n${lines}\n")
    file(CHMOD ${WORK}/bin/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# find(SETTINGS): what a project with these settings finds. Sets `code` and `said`.
function(find settings)
    file(WRITE ${WORK}/project.cmake
        "cmake_minimum_required(VERSION 3.28)\n"
        "set(TILEWRIGHT_CUDA_CAPABILITY 80)\n"
        "${settings}\n"
        "include(${SOURCE}/cmake/cubins.cmake)\n"
        "tilewright_find_cubins(found)\n"
        "tilewright_find_cubins(again)\n"
        "message(\"found <\${found}> <\${again}>\")\n")
    execute_process(COMMAND ${CMAKE_COMMAND} -P ${WORK}/project.cmake
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    set(code ${code} PARENT_SCOPE)
    set(said "${said}" PARENT_SCOPE)
endfunction()

# finds(SETTINGS CAPABILITIES WORDS): it finds these, and says so in these words.
function(finds settings capabilities words)
    find("${settings}")
    if (NOT code EQUAL 0 OR NOT said MATCHES "found <${capabilities}> <${capabilities}>"
        OR NOT said MATCHES "${words}")
        message(FATAL_ERROR
            "'${settings}' should find <${capabilities}> and say '${words}': ${code}\n${said}")
    endif ()
endfunction()

function(refuses settings words)
    find("${settings}")
    if (code EQUAL 0 OR NOT said MATCHES "${words}")
        message(FATAL_ERROR "'${settings}' should fail and say '${words}': ${code}\n${said}")
    endif ()
endfunction()

program(ptxas "echo \"Allowed: 'compute_120','sm_80','sm_86','sm_90','sm_90a'\"")
set(no_ptxas "set(TILEWRIGHT_PTXAS OFF)")
set(asked "[ \"$1 $2\" = '--query-gpu=compute_cap --format=csv,noheader' ] || exit 2")

program(nvidia-smi "${asked}" "printf '9.0\\n8.6\\n9.0\\n[N/A]\\n'")
finds("" "90;86" "TILEWRIGHT_CUBINS=native.: for compute capability 90, 86")
finds("${no_ptxas}" "" "native.: none, because ptxas was not found")
program(nvidia-smi "${asked}" "echo 5.2")
finds("" "" "native.: none, because ptxas makes none for 52")
program(nvidia-smi "${asked}" "echo 8.9 is what a failing program may say" "exit 9")
finds("" "" "native.: none, because nvidia-smi lists no GPU")
finds("set(TILEWRIGHT_NVIDIA_SMI OFF)" "" "none, because nvidia-smi lists no GPU")

program(nvidia-smi "echo 'it is asked for native alone' >&2" "echo 8.9")
finds("set(TILEWRIGHT_CUBINS all)" "80;86;90" "TILEWRIGHT_CUBINS=all.: for compute capability 80, 86, 90")
finds("set(TILEWRIGHT_CUBINS 86 100)" "86;100" "86, 100")
foreach (no OFF "\"\"")
    finds("set(TILEWRIGHT_CUBINS ${no})" "" "^ ?found")
endforeach ()
refuses("set(TILEWRIGHT_CUBINS 90 best)" "'best' is no compute capability from 80 .*or native, all or OFF")
refuses("set(TILEWRIGHT_CUBINS 75)" "'75' is no compute capability from 80")
foreach (word all 90)
    refuses("${no_ptxas}\nset(TILEWRIGHT_CUBINS ${word})"
        "TILEWRIGHT_CUBINS is ${word}, and ptxas .*not found")
endforeach ()

# The libraries of CUDA alone, and of those the ones whose PTX the devices take.
if (NOT GENERATOR STREQUAL "Ninja")
    message("not run here: it reads the files of Ninja")
    return()
endif ()
program(nvidia-smi "${asked}" "echo 9.0" "echo 8.6")
foreach (oldest 80 90)
    run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
        -DPython3_EXECUTABLE=${PYTHON} -DTILEWRIGHT_OPERATORS=invert -DTILEWRIGHT_TESTS=OFF
        -DTILEWRIGHT_CUDA_CAPABILITY=${oldest})
    file(STRINGS ${WORK}/build/build.ninja lines REGEX "invert.generator build .*sm_")
    set(expected "static_library,ptx,sm_90,sm_86 .*backend=cuda")
    if (oldest EQUAL 90)
        set(expected "static_library,ptx,sm_90 .*backend=cuda")
    endif ()
    list(LENGTH lines count)
    if (NOT count EQUAL 1 OR NOT lines MATCHES "${expected}"
        OR NOT lines MATCHES "TILEWRIGHT_PTXAS=${WORK}/bin")
        message(FATAL_ERROR "machine code should be asked for by '${expected}':\n${lines}")
    endif ()
endforeach ()
