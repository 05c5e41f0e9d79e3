# How our own code is compiled so that a build takes little time. Nothing here changes what the runtime's code
# is compiled to.
#
# fmt is compiled once. Header-only, its formatting of numbers is compiled in each of 40 files, which takes
# about 3 s per file. But a program of a user must not need libfmt, or find a second copy of it. So the
# runtime's archive holds one copy (runtime/errors/fmt.cpp) in a namespace of its own: its symbols differ from
# those of any version of libfmt that a program links besides.
add_library(tilewright_fmt INTERFACE)
if (fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 13)
    target_include_directories(tilewright_fmt SYSTEM
        INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(tilewright_fmt INTERFACE
        "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace in_tilewright {" "FMT_END_NAMESPACE=} }")
    set(TILEWRIGHT_FMT_SOURCES runtime/errors/fmt.cpp)
    # g++ takes 8 % of the time of the command line's files to check formats while it compiles. So the demo's
    # build and pip's, which no change of the code is tested with, leave that out.
    if (fmt_VERSION VERSION_LESS 11 AND (TILEWRIGHT_THIS_MACHINE OR SKBUILD))
        target_compile_definitions(tilewright_fmt INTERFACE FMT_CONSTEVAL=)
    endif ()
else ()  # other versions instantiate other functions, so they stay header-only
    target_link_libraries(tilewright_fmt INTERFACE fmt::fmt-header-only)
    set(TILEWRIGHT_FMT_SOURCES "")
endif ()

# g++ looks for memory that it no longer needs whenever it uses half as much again as at the last time. That
# takes 5 to 12 % of its time. Here it begins at 512 MiB and not at 128; the largest file takes 940 MB in
# place of 756.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>")

# How code that programs of users link is compiled: with a section per function and table, so that a program
# which is linked with -Wl,--gc-sections has only those that it needs (one blur for the CPU: .2 MB less), and
# with hidden visibility, so that a shared library exports what public headers declare (shared.cmake).
#
# The runtime is optimised by -O2 and not by CMake's -O3, which would add a quarter to its code. The demo's
# build optimises runtime and program by -O1, which takes .79 of the time of -O2 and .91 of that of -Os. No
# file may be optimised otherwise there and have the precompiled header: g++ 12 fails.
#
# Both rooms read files of strangers. A write past the end of a local array, or of what the C library is told
# to fill, ends the program (docs/RELIABILITY.md). A precompiled header serves only files with the same
# options, so that the whole room has them.
set(hardened $<$<CONFIG:Release>:-fstack-protector-strong> $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
set(optimised "")
if (NOT TILEWRIGHT_SMALL)
    set(optimised $<$<CONFIG:Release>:$<IF:$<BOOL:${TILEWRIGHT_THIS_MACHINE}>,-O1,-O2>>)
endif ()
set(linkable -ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden)
set(counted "")
if (TILEWRIGHT_COVERAGE)
    set(counted -fprofile-instr-generate -fcoverage-mapping)
endif ()
set(TILEWRIGHT_OPTIONS_runtime ${hardened} ${optimised} ${linkable} ${counted})
set(TILEWRIGHT_OPTIONS_apps ${hardened} ${linkable} ${counted})

# Code of the runtime that runs once per process, device or kernel: the words of errors, files of measured
# times, the text of kernels. For size it has 60 % of the bytes. Everything for size would make a call take
# 4.2 us in place of 3.1.
set(TILEWRIGHT_SELDOM_CODE "${optimised}")
if (NOT TILEWRIGHT_THIS_MACHINE)
    set(TILEWRIGHT_SELDOM_CODE $<$<CONFIG:Release>:-Os>)
endif ()

# tilewright_precompile(TARGET ROOM): gives the files of TARGET the options of the room, and a precompiled
# header of what is large and what nearly all files of the room include. The room's first target makes it, and
# the others reuse it. It holds no file of this project, so that a change compiles no more files than before.
# Every file still includes what it needs. A large header that few files need is not in it: with
# <nlohmann/json.hpp> each file takes .5 s more, whether it uses it or not.
# Where warnings are errors, only the headers of tests are precompiled: g++ 12 forgets in a precompiled header
# which false warnings the standard library has silenced. The compiled code is the same to the byte. Such a
# build also finds an include that is missing in the program. The files of tests read their headers 86 times,
# .8 to 1.5 s of CPU time each, which is a third of the time of compiling them.
set(TILEWRIGHT_HEADERS_runtime
    <algorithm> <fmt/format.h> <functional> <map> <memory> <optional> <span> <string> <variant> <vector>)
set(TILEWRIGHT_HEADERS_apps ${TILEWRIGHT_HEADERS_runtime} <nlohmann/json.hpp>)
set(TILEWRIGHT_HEADERS_tests
    <algorithm> <filesystem> <fstream> <gtest/gtest.h> <map> <optional> <random> <span> <sstream> <string>
    <variant> <vector>)
set(TILEWRIGHT_HEADERS_command_line_tests ${TILEWRIGHT_HEADERS_tests} <nlohmann/json.hpp>)
function(tilewright_precompile target room)
    target_compile_options(${target} PRIVATE ${TILEWRIGHT_OPTIONS_${room}})
    if (TILEWRIGHT_WERROR AND NOT room MATCHES "tests$")
        return()
    endif ()
    target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
        $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
    get_property(first GLOBAL PROPERTY TILEWRIGHT_HEADERS_OF_${room})
    if (first)
        target_precompile_headers(${target} REUSE_FROM ${first})
    else ()
        target_precompile_headers(${target} PRIVATE ${TILEWRIGHT_HEADERS_${room}})
        set_property(GLOBAL PROPERTY TILEWRIGHT_HEADERS_OF_${room} ${target})
    endif ()
endfunction()

# `./dev build` compiles several files of a target together (CMAKE_UNITY_BUILD; eight, where a target says
# nothing else), because most of the time is spent on headers that each of them reads and on templates that
# each of them instantiates again: those of CLI11, <nlohmann/json.hpp> and fmt. The largest groups take 25 s
# and 1.1 GB. The presets do not, so that a change compiles one file. Files of one target share their unnamed
# namespaces then: two of them cannot both define `refuse(const std::string &)`. An include that is missing
# shows where clang-tidy reads a changed file by itself (`./dev check`). Some targets are compiled file by
# file: generators, whose schedules are edited one at a time, and, by tilewright_compile_singly, archives of
# which a program takes only those objects that it calls. What the demo and `pip install` make is linked into
# one program or module, whose linker leaves out what is not called anyway, and is not edited: there up to 20
# files are compiled together, as where sanitizers are in them, and those of a generator, as they are in CI
# (TILEWRIGHT_WERROR).
function(tilewright_compile_singly target)
    if (PROJECT_IS_TOP_LEVEL AND NOT TILEWRIGHT_THIS_MACHINE AND NOT TILEWRIGHT_SANITIZE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
        return()
    endif ()
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 20)
endfunction()

# For code that runs once per program, or that only tests run: the level at which compiling it and running it
# together take the shortest time.
set(TILEWRIGHT_SMALL_CODE $<$<CONFIG:Release>:-O1>)
# Tests of the command line run programs and read what they say: by -O1 they take twice as long to compile.
set(TILEWRIGHT_CODE_tests ${TILEWRIGHT_SMALL_CODE})
set(TILEWRIGHT_CODE_command_line_tests $<$<CONFIG:Release>:-O0>)

# How our own programs and shared libraries are linked: without sections that nothing needs, and with the
# addresses that the loader has to add to in a short form, where linker and C library know it (glibc 2.36).
# The loader writes all addresses at the start, and nothing can write there later (full RELRO). Programs of
# users are linked as they say.
include(CheckCXXSourceRuns)
set(TILEWRIGHT_SMALL_LINK LINKER:--gc-sections LINKER:-z,relro LINKER:-z,now)
set(CMAKE_REQUIRED_LINK_OPTIONS LINKER:-z,pack-relative-relocs)
check_cxx_source_runs("int main() {}" TILEWRIGHT_RELATIVE_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if (TILEWRIGHT_RELATIVE_RELOCATIONS)
    list(APPEND TILEWRIGHT_SMALL_LINK LINKER:-z,pack-relative-relocs)
endif ()
