# TILEWRIGHT_LIBRARIES: the libraries of this build and their versions, as the JSON that `--version --json`
# has and from which packaging/sbom.py makes the list of parts of a release. Of fmt, CLI11 and nlohmann-json
# the program has the code; the others are linked.
function(tilewright_list_libraries result)
    # Of libjpeg CMake knows the version of the interface alone.
    pkg_check_modules(TILEWRIGHT_LIBJPEG QUIET libjpeg)
    set(versions "libpng ${PNG_VERSION_STRING}" "zlib ${ZLIB_VERSION_STRING}"
        "liblzma ${LIBLZMA_VERSION}" "fmt ${fmt_VERSION}" "CLI11 ${CLI11_VERSION}"
        "nlohmann-json ${nlohmann_json_VERSION}")
    if (JPEG IN_LIST TILEWRIGHT_PICTURE_PACKAGES)
        list(APPEND versions "libjpeg-turbo ${TILEWRIGHT_LIBJPEG_VERSION}")
    endif ()
    if (TIFF IN_LIST TILEWRIGHT_PICTURE_PACKAGES)
        list(APPEND versions "libtiff ${TIFF_VERSION_STRING}")
    endif ()
    if (TILEWRIGHT_LIBISAL_FOUND)
        list(APPEND versions "ISA-L ${TILEWRIGHT_LIBISAL_VERSION}")
    endif ()
    list(TRANSFORM versions REPLACE "^(.+) (.*)$" "\"\\1\": \"\\2\"")
    list(JOIN versions ", " json)
    set(${result} "{${json}}" PARENT_SCOPE)
endfunction()
tilewright_list_libraries(TILEWRIGHT_LIBRARIES)
