# The package's component `Generators`, as a project elsewhere uses it. WHAT is one of
#   package    installs the package into PREFIX, which the others use
#   plain_c, own_schedule, own_operator, plain_generator, pipeline, video
#              that example, copied out of the tree, built and run; then, in the same project, because its
#              generator takes longest, what needs the same generator
#   refusals   what the calls refuse when a project is configured, and in which words; plain_c and pipeline
#              have what they refuse when it is built
#   packages   pkg-config, and a .deb unpacked into an empty root
# Other arguments: SOURCE, BUILD, PREFIX, WORK (is emptied), CONFIG, COMPILER, FLAGS, GENERATOR, PYTHON,
# TARGETS.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(ENV{CMAKE_PREFIX_PATH} "")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DPython3_EXECUTABLE=${PYTHON}
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)

# build_example(NAME WORDS...): WORDS are for CMake.
function(build_example name)
    file(COPY ${SOURCE}/examples/${name} DESTINATION ${WORK})
    run(${configure} ${ARGN} -S ${WORK}/${name} -B ${WORK}/${name}/build)
    run(${CMAKE_COMMAND} --build ${WORK}/${name}/build)
endfunction()

# Where up to five files read Halide.h, precompiling it takes longer than all of them without that: for two
# files 12 s of CPU time in place of 5. pipeline, which has more, precompiles it, as a project does by itself.
set(not_precompiled -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)

string(CONCAT project
    "cmake_minimum_required(VERSION 3.28)\n"
    "project(refused LANGUAGES C CXX)\n"
    "find_package(Tilewright REQUIRED COMPONENTS Generators)\n")

# Ends the test if a command that had to fail did not fail, or if its message does not match WORDS.
function(expect_refusal what words code said)
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    if (code EQUAL 0 OR NOT said MATCHES "${words}")
        message(FATAL_ERROR "'${what}' gave ${code} and does not say '${words}':\n${said}")
    endif ()
    message("refused with a message: ${words}")
endfunction()

# refuses(WORDS CALL ARGUMENTS...): a project of this one call must fail when it is configured. The build
# folder is kept from call to call, because CMake takes 2 s to learn what the compiler is.
function(refuses words call)
    file(WRITE ${WORK}/refused/CMakeLists.txt "${project}${call}\n")
    execute_process(COMMAND ${configure} ${ARGN} -S ${WORK}/refused -B ${WORK}/refused/build
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    expect_refusal("${call}" "${words}" "${code}" "${said}")
endfunction()

# refuses_to_build(NAME WORDS FUNCTION ...): FUNCTION(NAME ...) must fail when its library is built. All these
# calls are added to one project, in which build_refused() builds them.
set(refused_libraries "")
set(refused_calls "")
function(refuses_to_build name words function)
    list(APPEND refused_libraries ${name})
    set(refused_libraries "${refused_libraries}" PARENT_SCOPE)
    list(JOIN ARGN " " words_of_call)
    set(refused_calls "${refused_calls}${function}(${name} ${words_of_call})\n" PARENT_SCOPE)
    set(words_of_${name} "${words}" PARENT_SCOPE)
endfunction()
function(build_refused folder)
    file(APPEND ${WORK}/${folder}/CMakeLists.txt "${refused_calls}")
    foreach (name IN LISTS refused_libraries)
        execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/${folder}/build --target ${name}
            RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
        expect_refusal(${name} "${words_of_${name}}" "${code}" "${said}")
    endforeach ()
endfunction()

if (WHAT STREQUAL "package")
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG})
    file(REMOVE_RECURSE ${PREFIX})
    file(RENAME ${WORK}/first ${PREFIX})  # a package must not remember where it was

elseif (WHAT STREQUAL "plain_c")
    build_example(plain_c ${not_precompiled})
    run(${WORK}/plain_c/build/plain)
    message("${said}")
    foreach (file negative_tuned_u8_cpu.stmt.html negative_tuned_u8_cpu.s)
        if (NOT EXISTS ${WORK}/plain_c/build/negative/${file})
            message(FATAL_ERROR "EMIT left no ${file}")
        endif ()
    endforeach ()
    # A function for CUDA, on a machine without a driver.
    file(APPEND ${WORK}/plain_c/CMakeLists.txt
        "tilewright_add_library(negative_gpu OPERATOR invert SCHEDULE tuned_any TYPES u8 TARGETS cuda)\n"
        "add_executable(no_driver [[${CMAKE_CURRENT_LIST_DIR}/no_driver.c]])\n"
        "target_link_libraries(no_driver PRIVATE negative_gpu)\n")
    run(${CMAKE_COMMAND} --build ${WORK}/plain_c/build --target no_driver)
    foreach (suffix so so.1)
        file(WRITE ${WORK}/no_cuda/libcuda.${suffix} "no library\n")
    endforeach ()
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${WORK}/no_cuda ${WORK}/plain_c/build/no_driver
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE why)
    message("no driver: ${said}${why}")
    if (NOT code EQUAL 0 OR NOT said MATCHES "^code -[0-9]+\n$"
        OR NOT why MATCHES "^Error: [^\n]*cuInit[^\n]*\n$")
        message(FATAL_ERROR "the function for CUDA gave ${code}: ${said}${why}")
    endif ()
    file(STRINGS ${WORK}/plain_c/build/negative_gpu/negative_gpu_functions.h header)
    if (NOT header MATCHES "halide_set_error_handler")
        message(FATAL_ERROR "NAME_functions.h does not say how errors are reported")
    endif ()
    set(tuned tilewright_add_library OPERATOR invert SCHEDULE tuned_any TARGETS opencl TUNABLES)
    refuses_to_build(unknown_schedule
        "no variant is of schedule 'best'; there are: reference, tuned, tuned_aligned, tuned_any, auto"
        tilewright_add_library OPERATOR invert SCHEDULE best)
    refuses_to_build(unknown_type
        "no variant is of type 'u9'; there are: u8"
        tilewright_add_library OPERATOR invert TYPES u9)
    refuses_to_build(no_such_variant
        "no variant is of schedule reference, backend opencl at once; there are: reference .u8, cpu."
        tilewright_add_library OPERATOR invert SCHEDULE reference TARGETS opencl)
    refuses_to_build(out_of_range
        "'width=4096' is taken by no chosen variant; it takes 16 to 128 in variant 'tuned_any'"
        ${tuned} width=4096)
    refuses_to_build(unknown_tunable
        "no chosen variant has a tunable 'depth'; there are: width, height"
        ${tuned} depth=4)
    refuses_to_build(no_number
        "tunable 'width=wide': write name=value, with a whole number"
        ${tuned} width=wide)
    set(not_made "the library of variant 'tuned_any' for u8 on opencl was not made")
    refuses_to_build(too_many_threads
        "has 2048 threads; a device runs at most 1024.*${not_made}"
        ${tuned} width=128 height=16)
    build_refused(plain_c)

elseif (WHAT STREQUAL "own_schedule")
    build_example(own_schedule ${not_precompiled})
    set(turner ${WORK}/own_schedule/build/turner)
    run(${turner} list transpose)
    foreach (target IN LISTS TARGETS)
        if (NOT said MATCHES "strips [a-z ]*${target} [a-z ]*u8")
            message(FATAL_ERROR "the variant of ${target} is not listed:\n${said}")
        endif ()
    endforeach ()
    run(${turner} verify transpose --schedule strips)
    message("${said}")
    if (NOT said MATCHES "strips")
        message(FATAL_ERROR "`verify` does not name the schedule")
    endif ()
    run(${WORK}/own_schedule/build/turn)
    message("${said}")
    if (NOT said MATCHES "turned 300 x 200 pixels by transpose/strips/u8/[a-z]+/my_turn")
        message(FATAL_ERROR "the library's function took another variant")
    endif ()
    run(${turner} bench transpose --schedule strips --device cpu --size 512 --repeats 3)
    message("${said}")
    if (NOT said MATCHES "strips")
        message(FATAL_ERROR "`bench` does not name the schedule")
    endif ()

elseif (WHAT STREQUAL "own_operator")
    build_example(own_operator ${not_precompiled})
    set(edges ${WORK}/own_operator/build/edges)
    run(${WORK}/own_operator/build/gradient)
    message("${said}")
    run(${edges} verify sobel)
    message("${said}")
    if (NOT said MATCHES "ok +sobel/tuned/u8/cpu" OR NOT said MATCHES "ok +sobel/reference/u8/cpu"
        OR said MATCHES "reference variant")
        message(FATAL_ERROR "`verify` does not compare the variants with the plain loop")
    endif ()
    run(${edges} list sobel)
    foreach (target IN LISTS TARGETS)
        if (NOT said MATCHES "tuned [a-z ]*${target} [a-z ]*u8")
            message(FATAL_ERROR "the variant of ${target} is not listed:\n${said}")
        endif ()
    endforeach ()
    run(${edges} bench sobel --device cpu --size 512 --repeats 3)
    message("${said}")
    # A window takes colours too, and alpha, on each device that is here.
    run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/pictures.py ${WORK})
    foreach (picture grey colour alpha)
        run(${edges} sobel ${WORK}/${picture}.png ${WORK}/edges.png --device cpu --check)
        run(${edges} sobel ${WORK}/${picture}.png ${WORK}/edges.png --check)
    endforeach ()
    run(${edges} sobel ${WORK}/colour.png ${WORK}/edges.png --grey --device cpu --check)

elseif (WHAT STREQUAL "plain_generator")
    build_example(plain_generator)
    run(${WORK}/plain_generator/build/sums)
    message("${said}")

elseif (WHAT STREQUAL "pipeline")
    build_example(pipeline)
    run(${WORK}/pipeline/build/pipeline)
    message("${said}")
    # What the generator refuses. It is in this project because the generator is: it takes half a minute.
    file(APPEND ${WORK}/pipeline/CMakeLists.txt
        "\ntilewright_add_pipeline(odd_stages STAGES transpose matmul TARGETS cpu)\n"
        "tilewright_add_pipeline(soft_colours STAGES \"gaussian_blur sigma=2\" TYPE rgb8 TARGETS cpu)\n"
        "tilewright_add_program(soft OPERATORS fused_sums soft_colours)\n")
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/pipeline/build --target odd_stages
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    expect_refusal(odd_stages "stage 2 'matmul': it cannot be composed at build time" "${code}" "${said}")
    # Pipelines are commands of a program, which compares them with their operators one after another.
    run(${CMAKE_COMMAND} --build ${WORK}/pipeline/build --target soft)
    set(soft ${WORK}/pipeline/build/soft)
    foreach (pipeline fused_sums soft_colours)
        run(${soft} verify ${pipeline} --device cpu)
        message("${said}")
    endforeach ()
    run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/pictures.py ${WORK})
    run(${soft} fused_sums ${WORK}/grey.png ${WORK}/sums.npy --device cpu --check)
    run(${soft} soft_colours ${WORK}/colour.png ${WORK}/soft.png --device cpu --check)

elseif (WHAT STREQUAL "video")
    build_example(video)
    foreach (device "" cpu)
        run(${WORK}/video/build/video 24 320x200 ${device})
        message("${said}")
        if (NOT said MATCHES "found in 24 of them; prepared calls and calls agree")
            message(FATAL_ERROR "the spot was lost")
        endif ()
    endforeach ()

elseif (WHAT STREQUAL "refusals")
    refuses("OPERATOR 'rotate' is none of" "tilewright_add_library(x OPERATOR rotate)")
    refuses("EMIT 'elf' is none of" "tilewright_add_library(x OPERATOR invert EMIT elf)")
    refuses("TARGETS 'tpu' is none of" "tilewright_add_library(x OPERATOR invert TARGETS tpu)")
    refuses("CUDA capability '20': Halide 21 writes code for 30"
        "tilewright_add_library(x OPERATOR invert TARGETS cuda sm_20)")
    refuses("TARGETS has sm_50, sm_80; a library is for one capability"
        "tilewright_add_library(x OPERATOR invert TARGETS sm_50 sm_80)")
    refuses("belongs to no option" "tilewright_add_library(x invert)")
    refuses("FRONT is missing" "tilewright_add_operator(x GENERATOR CMakeLists.txt SCHEDULES CMakeLists.txt)")
    refuses("FRONT .*none.cpp: there is no such file"
        "tilewright_add_operator(x GENERATOR CMakeLists.txt SCHEDULES CMakeLists.txt FRONT none.cpp)")
    refuses("there is an operator of that name" "tilewright_add_operator(invert)")
    refuses("there is no operator 'none' of this project" "tilewright_add_program(x OPERATORS none)")
    refuses("there is no such file" "tilewright_add_library(x OPERATOR invert SCHEDULES none.cpp)")
    refuses("there is no library 'none'" "tilewright_add_program(x LIBRARIES none)")
    refuses("STAGES is missing" "tilewright_add_pipeline(x TARGETS cpu)")
    refuses("TYPE rgb32: takes u8, u16, f16" "tilewright_add_pipeline(x STAGES transpose TYPE rgb32)")
    refuses("SCHEDULE 'fast' is none of staged, fused"
        "tilewright_add_pipeline(x STAGES transpose SCHEDULE fast)")
    # The last ones, because the build folder keeps the variables.
    refuses("CUDA capability '20'"
        "tilewright_add_library(x OPERATOR invert)" -DTILEWRIGHT_CUDA_CAPABILITY=20)
    refuses("pip install halide==" "" -DTILEWRIGHT_HALIDE=${WORK}/nowhere)

elseif (WHAT STREQUAL "packages")
    find_program(PKG_CONFIG pkg-config REQUIRED)
    file(GLOB pc ${PREFIX}/lib*/pkgconfig ${PREFIX}/lib/*/pkgconfig)
    run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc} ${PKG_CONFIG} --cflags --libs tilewright)
    separate_arguments(flags UNIX_COMMAND "${said}")
    if (said MATCHES "-std=")  # it would take the place of the project's own, which may be newer
        message(FATAL_ERROR "pkg-config chooses the standard: ${said}")
    endif ()
    run(${COMPILER} -std=c++23 -O1 ${SOURCE}/examples/consumer/main.cpp -o ${WORK}/soften ${flags})
    run(${WORK}/soften)
    message("pkg-config: ${said}")

    find_program(DPKG_DEB dpkg-deb)
    if (NOT DPKG_DEB)
        message("the .deb was not tried: no dpkg-deb")
        return()
    endif ()
    cmake_path(GET CMAKE_COMMAND PARENT_PATH folder)
    # A release compresses its packages (packaging/compress.cmake), which takes a minute and is tried here on
    # an empty one.
    file(WRITE ${WORK}/empty/DEBIAN/control
        "Package: empty\nVersion: 1\nArchitecture: all\nMaintainer: nobody <a@b>\nDescription: empty\n")
    run(${DPKG_DEB} -Znone --build ${WORK}/empty ${WORK}/empty.deb)
    run(${CMAKE_COMMAND} -DCPACK_GENERATOR=DEB "-DCPACK_PACKAGE_FILES=${WORK}/empty.deb"
        -P ${SOURCE}/packaging/compress.cmake)
    run(ar t ${WORK}/empty.deb)
    if (NOT said MATCHES "data.tar.xz")
        message(FATAL_ERROR "packaging/compress.cmake made a package of: ${said}")
    endif ()
    # Without the package of the generators, which packs all of Halide.
    execute_process(COMMAND ${folder}/cpack --config ${BUILD}/CPackConfig.cmake -G DEB -B ${WORK}/deb
            -D "CPACK_COMPONENTS_ALL=program;development" -D CPACK_POST_BUILD_SCRIPTS=
        COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB debs ${WORK}/deb/*.deb)
    set(depends_of_tilewright "libc6")
    set(depends_of_libtilewright-dev "libpng-dev")
    foreach (name tilewright libtilewright-dev)
        set(deb ${debs})
        list(FILTER deb INCLUDE REGEX "/${name}_[^/]*.deb$")
        run(${DPKG_DEB} --info ${deb})
        message("${said}")
        if (NOT said MATCHES "Package: ${name}\n" OR NOT said MATCHES "Depends: [^\n]*${depends_of_${name}}")
            message(FATAL_ERROR "the package does not say what it needs")
        endif ()
        run(${DPKG_DEB} --extract ${deb} ${WORK}/root)
        foreach (file copyright changelog.gz)
            if (NOT EXISTS ${WORK}/root/usr/share/doc/${name}/${file})
                message(FATAL_ERROR "${name} has no ${file}")
            endif ()
        endforeach ()
    endforeach ()
    run(${WORK}/root/usr/bin/tilewright list)
    list(REMOVE_ITEM configure -DCMAKE_PREFIX_PATH=${PREFIX})
    list(APPEND configure -DCMAKE_PREFIX_PATH=${WORK}/root/usr)
    build_example(consumer)
    run(${WORK}/consumer/build/soften)
    message("deb: ${said}")
else ()
    message(FATAL_ERROR "there is no test '${WHAT}'")
endif ()
