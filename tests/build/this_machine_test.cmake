# The option TILEWRIGHT_THIS_MACHINE: a configured tree makes the CPU's libraries for the instruction set of
# this machine, and libraries of CUDA exactly where NVIDIA's driver has made its device file. An explicit
# TILEWRIGHT_CPU=portable is kept. Without the option every backend has libraries, and those of the CPU are
# portable. TILEWRIGHT_LABORATORY=OFF leaves out the files of the laboratory and nothing else of the program.
# Arguments: SOURCE, WORK (is emptied), GENERATOR, COMPILER, PYTHON.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
function(configure)
    run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
        -DPython3_EXECUTABLE=${PYTHON} -DTILEWRIGHT_OPERATORS=invert -DTILEWRIGHT_TESTS=OFF ${ARGN})
    file(STRINGS ${WORK}/build.ninja lines REGEX "invert.generator build ")
    set(lines "${lines}" PARENT_SCOPE)
endfunction()

# expect(BACKEND CPU): there are libraries of the backend, and all are made with cpu=CPU.
function(expect backend cpu)
    if (NOT lines MATCHES "cpu=${cpu}( errors=codes)? backend=${backend}")
        message(FATAL_ERROR "no library of ${backend} is made with cpu=${cpu}:\n${lines}")
    endif ()
endfunction()

if (NOT GENERATOR STREQUAL "Ninja")
    message("not run here: it reads the files of Ninja")
    return()
endif ()
configure(-DTILEWRIGHT_THIS_MACHINE=ON)
expect(cpu host)
if (EXISTS /dev/nvidiactl OR EXISTS /dev/dxg)
    expect(cuda host)
elseif (lines MATCHES "backend=cuda")
    message(FATAL_ERROR "libraries of CUDA are made on a machine without its driver:\n${lines}")
endif ()
configure(-DTILEWRIGHT_THIS_MACHINE=ON -DTILEWRIGHT_CPU=portable)
expect(cpu portable)
configure(-DTILEWRIGHT_THIS_MACHINE=OFF -DTILEWRIGHT_CPU=)
foreach (backend cpu cuda opencl)
    expect(${backend} portable)
endforeach ()
# What is installed is made where the program and the small archives alone are built, as `./dev wheel` does in
# a new clone.
find_program(NINJA ninja REQUIRED)
execute_process(COMMAND ${NINJA} -C ${WORK} -t commands tilewright tilewright_small_archives
    OUTPUT_VARIABLE made COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${WORK}/cmake_install.cmake archives REGEX "/lib[a-z0-9_]+[.]a\"")
foreach (line IN LISTS archives)
    string(REGEX MATCH "lib[a-z0-9_]+[.]a" archive "${line}")
    string(FIND "${made}" "${archive}" at)
    if (at EQUAL -1)
        message(FATAL_ERROR "${archive} is installed, and building the small archives does not make it")
    endif ()
endforeach ()
configure(-DTILEWRIGHT_LABORATORY=OFF)
execute_process(COMMAND ${NINJA} -C ${WORK} -t commands tilewright
    OUTPUT_VARIABLE without COMMAND_ERROR_IS_FATAL ANY)
if (NOT made MATCHES "laboratory/commands/bench.cpp" OR without MATCHES "laboratory/[a-z]+/[a-z_]+.cpp" OR
        NOT without MATCHES "tilewright/commands/operate.cpp")
    message(FATAL_ERROR "TILEWRIGHT_LABORATORY=OFF compiles a file of the laboratory, or no other commands")
endif ()
# The file in their place compiles.
string(REGEX MATCH "[^\n]*without_laboratory[.]cpp\n" compile "${without}")
file(MAKE_DIRECTORY ${WORK}/apps/CMakeFiles/tilewright_app.dir)
execute_process(COMMAND sh -c "${compile}" WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
