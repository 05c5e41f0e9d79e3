# `cpack -G DEB` in the build folder: a .deb for each component of the installation, so that who runs the
# program does not install what only compilers read. `cpack -G TGZ`: an archive of what `cmake --install`
# installs.
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_VENDOR Tilewright)
set(CPACK_PACKAGE_CONTACT "The maintainers of Tilewright <maintainers@tilewright.invalid>")
set(CPACK_PACKAGE_HOMEPAGE_URL ${PROJECT_HOMEPAGE_URL})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_FILE_NAME tilewright-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program development Generators)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/compress.cmake)

set(CPACK_DEBIAN_COMPRESSION_TYPE none)  # compress.cmake does it
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tilewright)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "tilewright-generators, ocl-icd-libopencl1, pocl-opencl-icd")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "image-processing operators for CPUs, CUDA and OpenCL
 Blurs, transposes, sums, matrix products and Fourier transforms of PNG, JPEG
 and TIFF pictures and NumPy arrays, on the command line. Every result is
 verified against a plain loop on request, and integer results are the same
 on every device.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtilewright-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libpng-dev, zlib1g-dev, liblzma-dev")
foreach (package IN LISTS TILEWRIGHT_PICTURE_PACKAGES)
    string(TOLOWER ${package} name)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", lib${name}-dev")
endforeach ()
if (TILEWRIGHT_LIBISAL_FOUND)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libisal-dev, pkg-config")
endif ()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "ocl-icd-libopencl1, pocl-opencl-icd")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "image-processing operators for CPUs, CUDA and OpenCL: C++ library
 Headers, static libraries, a CMake package and pkg-config files. Programs that
 are linked with them need no compiler and no Halide where they run. The
 component Generators makes libraries of a project's own schedules and
 operators; it needs Halide 21.0.0, which PyPI has.")

if (BUILD_SHARED_LIBS)  # libtilewright.so, without the link by which linkers find it
    list(APPEND CPACK_COMPONENTS_ALL library)
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtilewright${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
    set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
    set(CPACK_COMPONENT_PROGRAM_DEPENDS library)
    set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "image-processing operators for CPUs, CUDA and OpenCL: shared library
 The library that programs load which were linked with libtilewright.so.")
endif ()

set(CPACK_DEBIAN_GENERATORS_PACKAGE_NAME tilewright-generators)
set(CPACK_DEBIAN_GENERATORS_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_GENERATORS_DEPENDS program)
set(CPACK_DEBIAN_GENERATORS_PACKAGE_DEPENDS binutils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${TILEWRIGHT_HALIDE}/lib64 ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_GENERATORS_DESCRIPTION "image-processing operators for CPUs, CUDA and OpenCL: generators
 The programs that build variants of the operators, with Halide: `tilewright
 show` prints the kernels of a variant, and `tilewright explore` searches the
 values of its tunables on this machine.")
include(CPack)
