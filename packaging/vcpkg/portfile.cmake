# An overlay port: `vcpkg install tilewright --overlay-ports=packaging/vcpkg`, in a clone or an unpacked
# archive. Halide comes from PyPI, because the schedules are made for this version of it.
cmake_path(SET source NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
set(venv ${CURRENT_BUILDTREES_DIR}/venv)
if (NOT EXISTS ${venv}/bin/python)
    find_program(python NAMES python3 REQUIRED)
    vcpkg_execute_required_process(COMMAND ${python} -m venv ${venv}
        WORKING_DIRECTORY ${source} LOGNAME venv)
    vcpkg_execute_required_process(COMMAND ${venv}/bin/pip install halide==21.0.0
        WORKING_DIRECTORY ${source} LOGNAME halide)
endif ()
vcpkg_cmake_configure(SOURCE_PATH ${source}
    OPTIONS -DTILEWRIGHT_TESTS=OFF -DPython3_EXECUTABLE=${venv}/bin/python)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Tilewright CONFIG_PATH lib/cmake/Tilewright)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES tilewright AUTO_CLEAN)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE ${source}/packaging/copyright)
