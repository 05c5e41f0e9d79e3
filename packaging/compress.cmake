# Compresses the .deb packages: CPack calls this when it has made them. CPack's own xz takes its level 6,
# which looks for copies in the last 8 MB; level 8 looks in all of a package, and dpkg needs 32 MB to unpack.
if (NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif ()
find_program(dpkg_deb dpkg-deb REQUIRED)
foreach (package IN LISTS CPACK_PACKAGE_FILES)
    set(folder ${package}.files)
    file(REMOVE_RECURSE ${folder})
    execute_process(COMMAND ${dpkg_deb} --raw-extract ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${dpkg_deb} --root-owner-group -Zxz -z8 --build ${folder} ${package}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE ${folder})
endforeach ()
