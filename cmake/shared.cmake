# `BUILD_SHARED_LIBS`: libtilewright.so, the runtime, all operators and the command line as one shared
# library. One, because operators and commands call functions of the runtime that no public header declares.
# It exports what the headers of runtime/include declare, the two functions that the program `tilewright`
# calls, and the functions of Halide's runtime, for the libraries that this program builds and loads. Our own
# code is compiled with hidden visibility (compile_time.cmake), the public headers say `#pragma GCC visibility
# push(default)` after their includes and pop it in their last line, and exported_symbols.map hides what else
# Halide made. (An attribute of the namespace would be shorter, but clang gives it to classes alone, and not
# to functions that a source file defines.) The library calls its own functions, whatever else a process has
# of these names (-Bsymbolic).

# tilewright_link_shared(TARGET ARCHIVES...): makes the shared library TARGET of all objects of the archives,
# which are targets. The version of its interface is the minor version, until there is a 1.0.
function(tilewright_link_shared target)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Made by cmake/shared.cmake: the archives have the code.\n")
    set(exported ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map)
    set(files ${ARGN})
    list(TRANSFORM files REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    add_library(${target} SHARED ${source})
    add_dependencies(${target} ${ARGN})
    set_target_properties(${target} PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        LINK_DEPENDS "${files};${exported}")
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>
        $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # Archives of several operators may have the same library (ScheduleVariant::one_for): the first counts.
    target_link_options(${target} PRIVATE LINKER:-z,muldefs
        LINKER:--whole-archive ${files} LINKER:--no-whole-archive
        LINKER:--version-script=${exported} LINKER:-Bsymbolic LINKER:--no-undefined ${TILEWRIGHT_SMALL_LINK})
    target_link_libraries(${target}
        PRIVATE PNG::PNG ZLIB::ZLIB LibLZMA::LibLZMA ${TILEWRIGHT_PICTURE_LIBRARIES} Threads::Threads
            ${CMAKE_DL_LIBS})
endfunction()
