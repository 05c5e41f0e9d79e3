# `cmake --install`: headers, archives (BUILD_SHARED_LIBS: a shared library in their place), the command line,
# a CMake package and a pkg-config file that need neither Halide nor LLVM; and the component `Generators` of
# the CMake package: sources and schedules, for which a project needs the Halide wheel.
include(CMakePackageConfigHelpers)
# For resolve_calls.py. halide.cmake looks for Python only where it does not yet know the folder of Halide.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# tilewright_install_small(TARGETS... [MERGED regex... [ROOTS regex]] [WITHOUT regex ELSEWHERE target]
# [JOINED regex]): installs static libraries as small_archive.cmake makes them; it says what the words mean.
# Called after install(TARGETS), which exports the targets and installs what is overwritten here.
add_custom_target(tilewright_small_archives ALL)
function(tilewright_install_small)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "ROOTS;WITHOUT;ELSEWHERE;JOINED" "MERGED")
    list(JOIN arg_MERGED " " merged)
    set(elsewhere "")
    if (arg_ELSEWHERE)
        set(elsewhere $<TARGET_FILE:${arg_ELSEWHERE}>)
    endif ()
    foreach (target IN LISTS arg_UNPARSED_ARGUMENTS)
        set(small ${CMAKE_BINARY_DIR}/small/lib${target}.a)
        set(script ${PROJECT_SOURCE_DIR}/cmake/small_archive.cmake)
        set(resolve ${PROJECT_SOURCE_DIR}/cmake/resolve_calls.py)
        add_custom_command(OUTPUT ${small}
            COMMAND ${CMAKE_COMMAND} -DARCHIVE=$<TARGET_FILE:${target}> -DSMALL=${small}
                -DMERGED=${merged} -DROOTS=${arg_ROOTS} -DWITHOUT=${arg_WITHOUT}
                -DELSEWHERE=${elsewhere} -DJOINED=${arg_JOINED}
                -DAR=${CMAKE_AR} -DLINKER=${CMAKE_LINKER} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY}
                -DREADELF=${CMAKE_READELF} -DSTRIP=${CMAKE_STRIP} -DPYTHON=${Python3_EXECUTABLE} -P ${script}
            DEPENDS ${target} ${arg_ELSEWHERE} ${script} ${resolve}
            COMMENT "What is installed of ${target}" VERBATIM)
        add_custom_target(${target}_small DEPENDS ${small})
        add_dependencies(tilewright_small_archives ${target}_small)
        # `cmake --install` builds nothing, and a build of some targets makes no small archives anew. CMake
        # leaves a file alone that is as old as what it installs there, to the second.
        install(CODE "
            if (NOT \"${small}\" IS_NEWER_THAN \"$<TARGET_FILE:${target}>\")
                message(FATAL_ERROR \"${small} is older than the library that it is made of; \"
                    \"build everything before it is installed: cmake --build ${CMAKE_BINARY_DIR}\")
            endif ()
            file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/lib${target}.a\")")
        install(FILES ${small} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endforeach ()
endfunction()

get_property(operators GLOBAL PROPERTY TILEWRIGHT_ADDED)
list(TRANSFORM operators PREPEND tilewright_ OUTPUT_VARIABLE archives)
foreach (target IN LISTS TILEWRIGHT_TARGETS)
    list(TRANSFORM archives APPEND _${target} OUTPUT_VARIABLE libraries_${target})
    list(APPEND libraries ${libraries_${target}})
endforeach ()
if (BUILD_SHARED_LIBS)
    tilewright_link_shared(tilewright_shared
        tilewright_app tilewright_plain tilewright_workloads tilewright_operators
        ${archives} ${libraries} tilewright_runtime)
    set_target_properties(tilewright_shared PROPERTIES OUTPUT_NAME tilewright EXPORT_NAME shared)
    install(TARGETS tilewright_shared EXPORT TilewrightTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
else ()
    install(TARGETS tilewright_runtime tilewright_operators tilewright_not_linked tilewright_workloads
        ${archives} ${libraries}
        EXPORT TilewrightTargets)
    # Of the runtime a program takes only the objects that it calls. Those of these folders are called
    # together: readers and writers, the parts of transforms, measured times, the hooks of a driver.
    set(merged "")
    foreach (folder files operators measured devices/cuda devices/opencl)
        set(names "")
        foreach (target tilewright_runtime_code tilewright_measured_file)
            get_target_property(sources ${target} SOURCES)
            list(APPEND names ${sources})
        endforeach ()
        list(FILTER names INCLUDE REGEX "^runtime/${folder}/")
        # The text of kernels needs some of them alone, and programs bring others in place of those of TIFF.
        list(FILTER names EXCLUDE REGEX "/deflate/|/tiff/|/text[.]cpp$")
        list(TRANSFORM names REPLACE "^.*/(.*)[.]cpp$" "\\1")
        list(JOIN names "|" names)
        list(APPEND merged "^(${names})[.]cpp[.]o$")
    endforeach ()
    # Every program has those that are compiled together.
    tilewright_install_small(tilewright_runtime MERGED ${merged} JOINED "^unity_")
    tilewright_install_small(tilewright_not_linked)
    tilewright_install_small(tilewright_operators tilewright_workloads ${archives} MERGED .)
    # All libraries of an operator and target, which their list names, but those that have the name of several
    # operators: they stay objects of the first one's archive, which the others link.
    foreach (library IN LISTS libraries)
        string(REGEX REPLACE "^tilewright_(.*)_[a-z]+$" "^\\1_" begin ${library})
        set(elsewhere "")
        if (library MATCHES "^tilewright_fresnel(_.*)$" AND fft2d IN_LIST operators)
            set(other fft2d${CMAKE_MATCH_1})
            set(elsewhere WITHOUT "^fft_" ELSEWHERE tilewright_${other})
            target_link_libraries(${library} INTERFACE $<INSTALL_INTERFACE:Tilewright::${other}>)
        endif ()
        tilewright_install_small(${library} MERGED ${begin} ROOTS "_libraries[.]cpp[.]o$" ${elsewhere})
    endforeach ()
endif ()

# The header of an operator that was not built would promise what cannot be linked.
set(unbuilt ${TILEWRIGHT_ALL_OPERATORS})
list(REMOVE_ITEM unbuilt ${operators})
list(TRANSFORM unbuilt REPLACE "(.+)" "PATTERN;\\1.h;EXCLUDE")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN *.h ${unbuilt})
install(FILES ${TILEWRIGHT_VERSION_HEADER} ${CMAKE_BINARY_DIR}/include/tilewright/stages.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilewright)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/TilewrightConfig.cmake.in ${CMAKE_BINARY_DIR}/TilewrightConfig.cmake
    INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_LIBDIR
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TilewrightConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TilewrightConfig.cmake ${CMAKE_BINARY_DIR}/TilewrightConfigVersion.cmake
    DESTINATION ${package})
install(EXPORT TilewrightTargets NAMESPACE Tilewright:: DESTINATION ${package})

# pkg-config computes the prefix from the folder of its file. tilewright.pc links the libraries of all
# targets, and tilewright-cpu.pc those of the CPU alone.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
list(REVERSE libraries)  # an operator's libraries may need those of one before it
list(REVERSE libraries_cpu)
list(JOIN TILEWRIGHT_PICTURE_MODULES " " picture_modules)
function(tilewright_install_module name description)
    set(linked tilewright_operators ${ARGN} tilewright_not_linked tilewright_runtime)
    set(requires "libpng zlib ${picture_modules}")
    if ("${ARGN}" MATCHES "_(cuda|opencl)(;|$)")  # texts of kernels are packed by it
        string(APPEND requires " liblzma")
    endif ()
    set(more "-lpthread -ldl")
    if (BUILD_SHARED_LIBS)
        set(linked tilewright)
        set(requires "")
        set(more "")
    endif ()
    list(TRANSFORM linked PREPEND "-l")
    list(JOIN linked " " linked)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.pc @ONLY CONTENT [[prefix=${pcfiledir}/@up@
Name: Tilewright
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L${prefix}/@CMAKE_INSTALL_LIBDIR@ @linked@ @more@
]])
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
tilewright_install_module(tilewright "${PROJECT_DESCRIPTION}" ${archives} ${libraries})
if (cpu IN_LIST TILEWRIGHT_TARGETS AND NOT BUILD_SHARED_LIBS)
    tilewright_install_module(tilewright-cpu "${PROJECT_DESCRIPTION} (the CPU alone)"
        ${archives} ${libraries_cpu})
endif ()

# What a project's own generators are made of. What these make is linked with archives of the runtime, which a
# package with a shared library does not have.
if (NOT BUILD_SHARED_LIBS)
    set(share ${CMAKE_INSTALL_DATADIR}/tilewright)
    # The command line of generator programs is compiled: a project compiles its own generators and schedules
    # only. But it reads the files of its libraries/kernel* and library.cpp (halide.cmake).
    string(CONCAT compiled "/program/(accesses/.*|cpp_output|library_selection|program|show"
        "|errors/(error_codes|printed_errors)|libraries/(build|child_process|cubins))[.]cpp$")
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/generators ${PROJECT_SOURCE_DIR}/schedules DESTINATION ${share}
        FILES_MATCHING PATTERN *.h PATTERN *.cpp REGEX "${compiled}" EXCLUDE)
    tilewright_install_small(tilewright_generator MERGED .)
    # The private headers that the front of an operator includes.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime DESTINATION ${share}
        FILES_MATCHING PATTERN *.h PATTERN include EXCLUDE)
    foreach (file halide cubins generators merge add_library add_operator pipeline)
        install(FILES ${PROJECT_SOURCE_DIR}/cmake/${file}.cmake DESTINATION ${package})
    endforeach ()
endif ()

# `cmake --install BUILD --component Generators`: the generator programs too, which `tilewright show` asks,
# and Halide beside them. A plain install leaves them out.
set(generators ${CMAKE_INSTALL_LIBEXECDIR}/tilewright)
foreach (op IN LISTS operators)
    if (TILEWRIGHT_GENERATORS)
        break()
    endif ()
    set_target_properties(${op}.generator PROPERTIES INSTALL_RPATH $ORIGIN)
    install(TARGETS ${op}.generator RUNTIME DESTINATION ${generators} COMPONENT Generators EXCLUDE_FROM_ALL)
endforeach ()
file(GLOB halide ${TILEWRIGHT_HALIDE}/lib64/*.so)  # the autoschedulers too
install(FILES ${halide} DESTINATION ${generators} COMPONENT Generators EXCLUDE_FROM_ALL)

# The archives contain Halide's runtime and code that Halide made, so that its licence is installed with them.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB halide_licence
    ${TILEWRIGHT_HALIDE}/../halide-${TILEWRIGHT_HALIDE_VERSION}.dist-info/licenses/LICENSE*)
if (halide_licence)
    list(GET halide_licence 0 halide_licence)
    install(FILES ${halide_licence} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.Halide)
endif ()

if (PROJECT_IS_TOP_LEVEL)
    include(cmake/packages.cmake)
endif ()
