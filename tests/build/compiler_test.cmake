# The tree with another compiler: it configures in a folder whose name has characters that are special to
# other programs; no source is scanned for C++ modules, because not every compiler brings the tool for it; and
# the sources whose lambdas an older compiler rejected (structured bindings) pass its check. The whole build
# is the task of .ci/clang.
# Arguments: NAME of the compiler, SOURCE, WORK (is emptied), PYTHON.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
find_program(COMPILER ${NAME})
find_program(NINJA ninja)
if (NOT COMPILER OR NOT NINJA)
    message("not run here: no ${NAME}, or no ninja")
    return()
endif ()
file(REMOVE_RECURSE ${WORK})
string(REPLACE "++" "" c ${COMPILER})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G Ninja
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_C_COMPILER=${c} -DCMAKE_MAKE_PROGRAM=${NINJA}
    -DPython3_EXECUTABLE=${PYTHON}
    -DTILEWRIGHT_TARGETS=cpu -DTILEWRIGHT_OPERATORS=invert -DTILEWRIGHT_TESTS=OFF)
file(STRINGS ${WORK}/build.ninja scanned REGEX "\\.ddi|scan-deps" LIMIT_COUNT 1)
if (scanned)
    message(FATAL_ERROR "sources are scanned for modules: ${scanned}")
endif ()
run(${NINJA} -C ${WORK} CMakeFiles/tilewright_call.dir/runtime/errors/plain_text.cpp.o)
# The sources are read together, so that what they include is read once. find_operator.cpp has the names of
# variant.cpp in its unnamed namespace, and is read alone.
file(GLOB sources ${SOURCE}/runtime/dispatch/*.cpp)
set(alone ${SOURCE}/runtime/dispatch/find_operator.cpp)
list(REMOVE_ITEM sources ${alone})
list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE text)
string(CONCAT text ${text})
file(WRITE ${WORK}/together.cpp "${text}")
foreach (source ${WORK}/together.cpp ${alone})
    run(${COMPILER} -std=c++20 -Wall -Wextra -Werror -DFMT_HEADER_ONLY -fsyntax-only
        -I${SOURCE} -I${SOURCE}/runtime/include -I${SOURCE}/plain
        -I${WORK}/halide_runtime_headers -I${WORK}/include ${source})
endforeach ()
list(LENGTH sources count)
message("${NAME}: configured, and ${count} files and one pass")
