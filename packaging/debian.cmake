# What the .deb packages have beside the installed files: CPack runs this when it has installed the
# components, each into a folder of its own. See cmake/packages.cmake.
if (NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif ()
find_program(gzip gzip REQUIRED)
foreach (component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} key)
    set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
    file(REMOVE_RECURSE ${root}/share/doc)  # the licences are in `copyright`
    set(doc ${root}/share/doc/${CPACK_DEBIAN_${key}_PACKAGE_NAME})
    file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${doc})
    string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE ${doc}/changelog "tilewright (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
        "  * Version ${CPACK_PACKAGE_VERSION}; CHANGELOG.md of the sources has the list of changes.\n\n"
        " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
    file(GLOB pages ${root}/share/man/man*/*.[1-9])
    execute_process(COMMAND ${gzip} -9nf ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach ()
