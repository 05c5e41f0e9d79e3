# `cmake --install`: headers, archives, the command line, and a CMake package that needs neither Halide nor LLVM.
include(CMakePackageConfigHelpers)

get_property(operators GLOBAL PROPERTY TILEWRIGHT_ADDED)
list(TRANSFORM operators PREPEND tilewright_ OUTPUT_VARIABLE archives)
install(TARGETS tilewright_runtime tilewright_operators ${archives} EXPORT TilewrightTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The header of an operator that was not built would promise what cannot be linked.
set(unbuilt ${TILEWRIGHT_ALL_OPERATORS})
list(REMOVE_ITEM unbuilt ${operators})
list(TRANSFORM unbuilt REPLACE "(.+)" "PATTERN;\\1.h;EXCLUDE")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h ${unbuilt})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TilewrightConfig.cmake.in ${CMAKE_BINARY_DIR}/TilewrightConfig.cmake
    INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TilewrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TilewrightConfig.cmake ${CMAKE_BINARY_DIR}/TilewrightConfigVersion.cmake DESTINATION ${package})
install(EXPORT TilewrightTargets NAMESPACE Tilewright:: DESTINATION ${package})

# The archives hold Halide's runtime and code that Halide made; its licence goes with them.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB halide_licence ${TILEWRIGHT_HALIDE}/../halide-${TILEWRIGHT_HALIDE_VERSION}.dist-info/licenses/LICENSE*)
if (halide_licence)
    list(GET halide_licence 0 halide_licence)
    install(FILES ${halide_licence} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.Halide)
endif ()
