# The installed package: installs into a folder of its own, moves that folder elsewhere, and with it builds
# and runs a copy of examples/consumer.
# Arguments: SOURCE, BUILD, WORK (is emptied), CONFIG, COMPILER, FLAGS, GENERATOR.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG})

# A library that was built again, without what is installed of it, is not installed.
file(READ ${BUILD}/cmake_install.cmake script)
file(TOUCH ${WORK}/newer.a)
string(REGEX REPLACE "IS_NEWER_THAN \"[^\"]*/libtilewright_not_linked[.]a\""
    "IS_NEWER_THAN \"${WORK}/newer.a\"" changed "${script}")
if (changed STREQUAL script)
    message(FATAL_ERROR "cmake_install.cmake does not ask how old libtilewright_not_linked.a is")
endif ()
file(WRITE ${WORK}/install.cmake "${changed}")
execute_process(COMMAND ${CMAKE_COMMAND} -DCMAKE_INSTALL_PREFIX=${WORK}/stale -P ${WORK}/install.cmake
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
string(REGEX REPLACE "[ \n]+" " " said "${said}")  # CMake breaks lines where the path is long
if (code EQUAL 0 OR NOT said MATCHES "libtilewright_not_linked[.]a is older than the library")
    message(FATAL_ERROR "a stale archive was installed: ${code}, ${said}")
endif ()

file(RENAME ${WORK}/first ${WORK}/prefix)  # a package must not remember where it was

# No installed file mentions what only the source tree or the build has.
file(GLOB_RECURSE installed LIST_DIRECTORIES false ${WORK}/prefix/*)
list(LENGTH installed count)
if (count LESS 10)
    message(FATAL_ERROR "only ${count} files were installed: ${installed}")
endif ()
foreach (file IN LISTS installed)
    file(RELATIVE_PATH name ${WORK}/prefix ${file})
    set(forbidden "Halide\\.h|libHalide|LLVM|${SOURCE}|${BUILD}|${WORK}/first")
    # The first pattern is the component Generators, which needs Halide.
    if (name MATCHES "^share/tilewright/|/(halide|generators|add_library|add_operator|pipeline).cmake$")
        set(forbidden "${SOURCE}/|${BUILD}/|${WORK}/first")
    elseif (name MATCHES "\\.(a|so)$|^bin/|LICENSE")
        set(forbidden "${SOURCE}/|${BUILD}/")
        if (NOT CONFIG STREQUAL "Release")  # debug information names sources
            continue()
        endif ()
    endif ()
    file(STRINGS ${file} found REGEX "${forbidden}" LIMIT_COUNT 1)
    if (found)
        message(FATAL_ERROR "${name} mentions what a user has not: ${found}")
    endif ()
endforeach ()
message("${count} files, none of which mentions the source tree")
foreach (file man/man1/tilewright.1 man/man1/tilewright-bench.1 bash-completion/completions/tilewright
    zsh/site-functions/_tilewright fish/vendor_completions.d/tilewright.fish)
    if (NOT EXISTS ${WORK}/prefix/share/${file})
        message(FATAL_ERROR "share/${file} was not installed")
    endif ()
endforeach ()

file(COPY ${SOURCE}/examples/consumer DESTINATION ${WORK})
run(${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/consumer/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_Halide=ON -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON)
file(STRINGS ${WORK}/consumer/build/CMakeCache.txt taken REGEX "^Tilewright_DIR:")
if (NOT taken MATCHES "${WORK}/prefix/")
    message(FATAL_ERROR "another Tilewright was found: ${taken}")
endif ()
run(${CMAKE_COMMAND} --build ${WORK}/consumer/build)
run(${WORK}/consumer/build/soften)
message("${said}")

# Operators are components, and others are refused with a message.
foreach (asked "REQUIRED COMPONENTS gaussian_blur transpose" "OPTIONAL_COMPONENTS rotate"
    "REQUIRED COMPONENTS gaussian_blur rotate")
    file(WRITE ${WORK}/components/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\n"
        "project(components LANGUAGES CXX)\n"
        "find_package(Tilewright ${asked})\nmessage(\"found: \${Tilewright_FOUND}\")\n")
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/components -B ${WORK}/components/build
            -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
            -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    if (asked MATCHES "^REQUIRED.*rotate$")
        string(CONCAT words "no component rotate; there are Generators, the targets [a-z, ]* "
            "and the operators [a-z0-9_, ]*gaussian_blur")
    else ()
        set(words "found: (1|TRUE)")
    endif ()
    if (NOT said MATCHES "${words}")
        message(FATAL_ERROR "find_package(Tilewright ${asked}) does not say '${words}':\n${said}")
    endif ()
endforeach ()

# Linked for the CPU alone, by CMake and by pkg-config: a program without any GPU's library, which says so in
# one line where it is given a GPU. It unpacks no kernels' text, and liblzma is not looked for.
file(WRITE ${WORK}/cpu/small.cpp [[#include <cstdio>
#include <tilewright/error.h>
#include <tilewright/gaussian_blur.h>
#include <tilewright/operator.h>
#include <vector>

using namespace tilewright;

int main() {
    const Array image(Type::u8, {64, 64});
    if (gaussian_blur(image, 2).empty()) {
        return 1;
    }
    for (const Variant &variant : gaussian_blur_operator().variants()) {
        if (variant.backend != Backend::cpu) {
            return 2;
        }
    }
    try {
        const std::vector<Array> inputs = {image};
        gaussian_blur_operator().choose(inputs, gaussian_blur(image, 2), {}, "tuned", {Backend::opencl, 0});
    } catch (const Error &error) {
        std::puts(error.what());
        return 0;
    }
    return 3;
}
]])
string(CONCAT not_linked "it has no variant for opencl:0, only for cpu: "
    "its libraries for opencl were not built, or this program is not linked with them")
file(WRITE ${WORK}/cpu/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(cpu LANGUAGES CXX)\n"
    "find_package(Tilewright REQUIRED COMPONENTS gaussian_blur cpu)\nadd_executable(small small.cpp)\n"
    "target_link_libraries(small PRIVATE Tilewright::gaussian_blur)\n")
run(${CMAKE_COMMAND} -S ${WORK}/cpu -B ${WORK}/cpu/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_DISABLE_FIND_PACKAGE_LibLZMA=ON)
run(${CMAKE_COMMAND} --build ${WORK}/cpu/build)
set(programs ${WORK}/cpu/build/small)
find_program(pkg_config pkg-config)
file(GLOB_RECURSE module ${WORK}/prefix/tilewright-cpu.pc)
if (pkg_config AND module)
    get_filename_component(modules ${module} DIRECTORY)
    run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${modules} ${pkg_config} --cflags --libs tilewright-cpu)
    string(STRIP "${said}" said)
    separate_arguments(words UNIX_COMMAND "${said} ${FLAGS}")
    run(${COMPILER} -std=c++20 ${WORK}/cpu/small.cpp ${words} -o ${WORK}/cpu/by_pkg_config)
    list(APPEND programs ${WORK}/cpu/by_pkg_config)
    # pkg-config names no standard, and C++17 is what g++ and clang take then: the first line says it.
    execute_process(COMMAND ${COMPILER} -std=c++17 -fsyntax-only ${WORK}/cpu/small.cpp ${words}
        RESULT_VARIABLE code ERROR_VARIABLE said)
    string(REGEX MATCH "error:[^\n]*" said "${said}")
    if (code EQUAL 0 OR NOT said MATCHES "need C\\+\\+20 or newer: compile with -std=c\\+\\+20")
        message(FATAL_ERROR "headers in C++17 say: ${said}")
    endif ()
endif ()
foreach (program IN LISTS programs)
    run(${program})
    if (NOT said MATCHES "${not_linked}")
        message(FATAL_ERROR "${program} does not say '${not_linked}': ${said}")
    endif ()
endforeach ()

# An error of each operator, and of a pipeline's text, passes through the installed archives' own functions:
# each of them has its entry in the table for unwinding.
file(WRITE ${WORK}/errors/errors.cpp [[#include <cstdio>
#include <tilewright/error.h>
#include <tilewright/operator.h>
#include <tilewright/pipeline.h>

using namespace tilewright;

int main() {
    for (const char *text : {"no_such", "", "invert | no_such", "invert no_such=1"}) {
        try {
            const Pipeline pipeline(text);
            return 1;
        } catch (const Error &) {
        }
    }
    for (const Operator *op : operators()) {
        try {
            (void)op->parse({}, {});
            return 2;
        } catch (const Error &) {
        }
    }
    std::puts("each was an error");
}
]])
file(WRITE ${WORK}/errors/CMakeLists.txt
    "cmake_minimum_required(VERSION 3.25)\nproject(errors LANGUAGES CXX)\n"
    "find_package(Tilewright REQUIRED COMPONENTS cpu)\nadd_executable(errors errors.cpp)\n"
    "target_link_libraries(errors PRIVATE Tilewright::operators)\n")
run(${CMAKE_COMMAND} -S ${WORK}/errors -B ${WORK}/errors/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/errors/build)
run(${WORK}/errors/build/errors)
if (NOT said MATCHES "each was an error")
    message(FATAL_ERROR "errors of an installed package: ${said}")
endif ()

# Errors reach a user as one line and a code.
execute_process(COMMAND ${WORK}/consumer/build/soften no-such-file.png
    RESULT_VARIABLE code ERROR_VARIABLE said)
if (NOT code EQUAL 3 OR NOT said MATCHES "^soften: [^\n]*no-such-file.png[^\n]*\n$")
    message(FATAL_ERROR "a missing input gave code ${code} and: ${said}")
endif ()
execute_process(COMMAND ${WORK}/consumer/build/soften x.png y.png cuda:99
    RESULT_VARIABLE code ERROR_VARIABLE said)
if (NOT code EQUAL 4 OR NOT said MATCHES "^soften: [^\n]*cuda:99[^\n]*\n$")
    message(FATAL_ERROR "a missing device gave code ${code} and: ${said}")
endif ()
