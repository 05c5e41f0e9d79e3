# JPEG and TIFF files, where libjpeg-turbo and libtiff are installed; a build without one of them says so
# when it meets such a file. ISA-L, where it is installed, compresses PNG and TIFF in place of zlib.
# TILEWRIGHT_PICTURE_SOURCES: the readers and writers. TILEWRIGHT_PICTURE_LIBRARIES: what they link.
# TILEWRIGHT_PICTURE_PACKAGES and TILEWRIGHT_PICTURE_MODULES: the names of these libraries for find_package()
# and for pkg-config.
include(CheckCXXSymbolExists)
option(TILEWRIGHT_JPEG "Read and write JPEG files, where libjpeg-turbo is installed" ON)
option(TILEWRIGHT_TIFF "Read and write TIFF files, where libtiff is installed" ON)
option(TILEWRIGHT_ISAL "Compress pictures by ISA-L, where it is installed" ON)
set(TILEWRIGHT_PICTURE_SOURCES "")
set(TILEWRIGHT_PICTURE_LIBRARIES "")
set(TILEWRIGHT_PICTURE_PACKAGES "")
set(TILEWRIGHT_PICTURE_MODULES "")

# Older releases of libjpeg-turbo, and other libjpegs, do not read ICC profiles.
if (TILEWRIGHT_JPEG)
    find_package(JPEG QUIET)
    if (JPEG_FOUND)
        set(CMAKE_REQUIRED_LIBRARIES JPEG::JPEG)
        check_cxx_symbol_exists(jpeg_read_icc_profile "cstddef;cstdio;jpeglib.h" TILEWRIGHT_HAS_JPEG)
        unset(CMAKE_REQUIRED_LIBRARIES)
    endif ()
endif ()
if (TILEWRIGHT_JPEG AND TILEWRIGHT_HAS_JPEG)
    list(APPEND TILEWRIGHT_PICTURE_SOURCES
        runtime/files/jpeg/jpeg_reader.cpp runtime/files/jpeg/jpeg_writer.cpp runtime/files/jpeg/libjpeg.cpp)
    list(APPEND TILEWRIGHT_PICTURE_LIBRARIES JPEG::JPEG)
    list(APPEND TILEWRIGHT_PICTURE_PACKAGES JPEG)
    list(APPEND TILEWRIGHT_PICTURE_MODULES libjpeg)
else ()
    list(APPEND TILEWRIGHT_PICTURE_SOURCES runtime/files/jpeg/no_jpeg.cpp)
endif ()

if (TILEWRIGHT_TIFF)
    find_package(TIFF 4.5 QUIET)  # the first one that reports errors to the caller of each file
endif ()
if (TILEWRIGHT_TIFF AND TIFF_FOUND)
    list(APPEND TILEWRIGHT_PICTURE_SOURCES
        runtime/files/tiff/libtiff.cpp runtime/files/tiff/tiff_header.cpp runtime/files/tiff/tiff_reader.cpp
        runtime/files/tiff/tiff_writer.cpp)
    list(APPEND TILEWRIGHT_PICTURE_LIBRARIES TIFF::TIFF)
    list(APPEND TILEWRIGHT_PICTURE_PACKAGES TIFF)
    list(APPEND TILEWRIGHT_PICTURE_MODULES libtiff-4)
else ()
    list(APPEND TILEWRIGHT_PICTURE_SOURCES runtime/files/tiff/no_tiff.cpp)
endif ()
if (TILEWRIGHT_ISAL)
    pkg_check_modules(TILEWRIGHT_LIBISAL QUIET IMPORTED_TARGET libisal>=2.30)
endif ()
if (TILEWRIGHT_ISAL AND TILEWRIGHT_LIBISAL_FOUND)
    list(APPEND TILEWRIGHT_PICTURE_SOURCES runtime/files/deflate/isal.cpp)
    list(APPEND TILEWRIGHT_PICTURE_LIBRARIES PkgConfig::TILEWRIGHT_LIBISAL)
    list(APPEND TILEWRIGHT_PICTURE_MODULES libisal)
else ()
    list(APPEND TILEWRIGHT_PICTURE_SOURCES runtime/files/deflate/no_isal.cpp)
endif ()
message(STATUS "Pictures besides PNG: ${TILEWRIGHT_PICTURE_PACKAGES}")
