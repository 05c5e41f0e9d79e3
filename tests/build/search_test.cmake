# `explore` of each form of an installation: without the generators it says in one line what to install, and
# with them it searches. HOW is `install` (cmake --install), `deb` (packages by cpack, unpacked) or `wheel`
# (what the wheel of the generators has, beside the Python package of the build).
# Arguments: HOW, SOURCE, BUILD, CONFIG, WORK (is emptied), HALIDE (the folder of its wheel), PYTHON, PACKAGE
# (the folder of the Python package; empty: it is not built).
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# explore(PROGRAM...): sets `code`, `out` and `err`.
function(explore)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=TILEWRIGHT_GENERATORS ${ARGN} explore transpose
            --schedule tuned_small --type u8 --size 256x256 --device cpu --limit .02 --points 2
            --results ${WORK}/results.jsonl
        RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
    foreach (what code out err)
        set(${what} "${${what}}" PARENT_SCOPE)
    endforeach ()
endfunction()

function(expect_refusal words)
    explore(${ARGN})
    if (NOT code EQUAL 1 OR out OR NOT err MATCHES "^tilewright: error: [^\n]*${words}[^\n]*\n$"
        OR EXISTS ${WORK}/results.jsonl)
        message(FATAL_ERROR "without generators: code ${code}, not one line with '${words}':\n${out}${err}")
    endif ()
endfunction()

function(expect_search)
    explore(${ARGN})
    set(built "")
    if (EXISTS ${WORK}/results.jsonl)
        file(STRINGS ${WORK}/results.jsonl built REGEX "\"library\":\"[a-z_]+=.*\"real_time\"")
    endif ()
    if (NOT code EQUAL 0 OR NOT built)
        message(FATAL_ERROR "no point was built and timed (code ${code}):\n${out}${err}")
    endif ()
    message("searched:\n${out}")
endfunction()

# Sets `missing` where a program is not there.
macro(needs program)
    find_program(${program} ${program})
    if (NOT ${program})
        message("not run here: ${program} is not installed")
        return()
    endif ()
endmacro()

set(not_found "transpose.generator was not found in [^\n]*: install it \\(the package tilewright-generators")
needs(ld)
if (HOW STREQUAL deb)
    needs(dpkg-deb)
    # Neither stripped nor compressed (packaging/compress.cmake): that takes minutes and changes nothing here.
    file(WRITE ${WORK}/config.cmake "include(\"${BUILD}/CPackConfig.cmake\")\n"
        "set(CPACK_COMPONENTS_ALL program Generators)\nset(CPACK_STRIP_FILES OFF)\n"
        "set(CPACK_POST_BUILD_SCRIPTS \"\")\nset(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)\n")
    run(${CMAKE_CPACK_COMMAND} -G DEB --config ${WORK}/config.cmake -B ${WORK}/made -C ${CONFIG})
    file(GLOB program ${WORK}/made/tilewright_*.deb)
    file(GLOB generators ${WORK}/made/tilewright-generators_*.deb)
    run(${dpkg-deb} -x ${program} ${WORK}/root)
    expect_refusal("${not_found}" ${WORK}/root/usr/bin/tilewright)
    run(${dpkg-deb} -x ${generators} ${WORK}/root)
    expect_search(${WORK}/root/usr/bin/tilewright)
    file(REMOVE_RECURSE ${WORK})
    return()
endif ()

set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG} --component program)
if (HOW STREQUAL install)
    expect_refusal("${not_found}" ${prefix}/bin/tilewright)
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG} --component Generators)
    expect_search(${prefix}/bin/tilewright)
    file(REMOVE_RECURSE ${WORK})
    return()
endif ()

if (NOT PACKAGE)
    message("not run here: TILEWRIGHT_PYTHON_PACKAGE is off; `./dev test` sets it where it can")
    return()
endif ()
get_filename_component(beside ${PYTHON} DIRECTORY)
list(APPEND CMAKE_PROGRAM_PATH ${beside})
needs(patchelf)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG} --component Generators)
set(site ${WORK}/site)
set(python ${CMAKE_COMMAND} -E env PYTHONPATH=${site}:${PACKAGE} ${PYTHON} -B)
run(${python} -c "print(__import__('tilewright').__version__)")
string(STRIP "${said}" version)
expect_refusal("pip install tilewright-generators==${version}" ${python} -m tilewright)
# As scikit-build-core makes the wheel: the files of its CMake project, its Python package and its name.
run(${CMAKE_COMMAND} -S ${SOURCE}/packaging/generators -B ${WORK}/wheel -DTilewright_ROOT=${prefix}
    -Dpatchelf=${patchelf})
run(${CMAKE_COMMAND} --install ${WORK}/wheel --prefix ${site})
file(COPY ${SOURCE}/packaging/generators/tilewright_generators DESTINATION ${site})
file(WRITE ${site}/tilewright_generators-${version}.dist-info/METADATA
    "Metadata-Version: 2.1\nName: tilewright-generators\nVersion: ${version}\n")
file(CREATE_LINK ${HALIDE} ${site}/halide SYMBOLIC)
expect_search(${python} -m tilewright)
file(REMOVE_RECURSE ${WORK})
